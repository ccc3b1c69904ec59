// The rows of GET /nodes/{node}/lxc and the answer of status/current. Usage figures are plausible, not measured.
import {nodeOf, vmidOf, type Call} from '../../call.ts'
import {hasPrivs} from '../../access/permissions.ts'
import {haStatus, uptimeSeconds} from '../../guest/status.ts'
import {parseSize} from '../../schema/sizes.ts'
import {typedOption} from '../config/option-schema.ts'
import {textAsRead} from '../config/staged-config.ts'
import type {Cluster} from '../../cluster.ts'
import type {Guest, Section} from '../../state.ts'

const MIB = 1024 * 1024
const DEFAULT_DISK_BYTES = 4 * 1024 * MIB
const DEFAULT_MEMORY_MIB = 512
const SHOWN = ['cores', 'cpulimit', 'hostname', 'lock', 'memory', 'rootfs', 'swap', 'tags', 'template']

export type ContainerRow = Record<string, unknown>

export function containerRow(cluster: Cluster, guest: Guest): ContainerRow {
  const {vmid} = guest
  const config = valuesAsRead(guest.config)
  const running = guest.runtime.status === 'running'
  const diskBytes = rootfsBytes(config)
  const memoryBytes = Number(isTrue(config['memory']) ? config['memory'] : DEFAULT_MEMORY_MIB) * MIB
  const row: ContainerRow = {
    vmid,
    type: 'lxc',
    status: guest.runtime.status,
    name: (config['hostname'] ?? `CT${String(vmid)}`).replaceAll(/\s/g, ''),
    cpus: cpusOf(cluster, guest.node, config),
    cpu: 0,
    disk: 0,
    maxdisk: diskBytes,
    mem: 0,
    maxmem: memoryBytes,
    swap: 0,
    maxswap: Number(config['swap'] ?? 0) * MIB,
    uptime: uptimeSeconds(cluster, guest),
    netin: 0,
    netout: 0,
    diskread: 0,
    diskwrite: 0,
  }
  if (config['tags'] !== undefined) row['tags'] = config['tags']
  if (config['template'] === '1') row['template'] = 1
  if (config['lock']) row['lock'] = config['lock']
  return running ? {...row, ...usage(guest, diskBytes, memoryBytes)} : row
}

function rootfsBytes(config: Section): number {
  const size = /(?:^|,)size=([^,]+)/.exec(config['rootfs'] ?? '')?.[1]
  return (size === undefined ? 0 : parseSize(size)) || DEFAULT_DISK_BYTES
}

/** Of the options that a row shows. */
function valuesAsRead(config: Section): Section {
  const values: Section = {}
  for (const option of SHOWN) {
    const text = config[option]
    if (text !== undefined) values[option] = textAsRead(option, text)
  }
  return values
}

const isTrue = (text: string | undefined): text is string => text !== undefined && text !== '0'

/** As many as `cores`, else `cpulimit` as it is written, else all of the node's. */
function cpusOf(cluster: Cluster, node: string, {cores, cpulimit}: Section): unknown {
  if (isTrue(cores)) return typedOption('cores', cores)
  return isTrue(cpulimit) ? cpulimit : (cluster.node(node)?.cpus ?? 1)
}

function usage(guest: Guest, diskBytes: number, memoryBytes: number): ContainerRow {
  const pressure = ['cpusome', 'cpufull', 'iosome', 'iofull', 'memorysome', 'memoryfull']
  return {
    pid: guest.runtime.pid ?? 0,
    disk: Math.floor(diskBytes / 100),
    maxdisk: Math.floor(diskBytes * 0.9),
    mem: Math.floor(memoryBytes / 9),
    netin: 1462,
    netout: 586,
    diskread: MIB,
    diskwrite: MIB / 2,
    ...Object.fromEntries(pressure.map((name) => [`pressure${name}`, '0.00'])),
  }
}

/** GET /nodes/{node}/lxc: silently without what the caller may not audit. */
export function listContainers(call: Call): ContainerRow[] {
  const {cluster} = call
  const node = nodeOf(call)
  const rows: ContainerRow[] = []
  for (const guest of cluster.state.guests.values()) {
    if (guest.kind !== 'lxc' || guest.node !== node) continue
    if (hasPrivs(call, `/vms/${String(guest.vmid)}`, ['VM.Audit'])) rows.push(containerRow(cluster, guest))
  }
  return rows
}

/** GET status/current. */
export function currentStatus(call: Call): ContainerRow {
  const guest = call.cluster.requireGuest('lxc', nodeOf(call), vmidOf(call))
  return {...containerRow(call.cluster, guest), ha: haStatus(call.cluster, guest)}
}
