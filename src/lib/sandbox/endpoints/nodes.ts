// The nodes themselves: their list, status, version, time, network and the few fixed answers beside.
import {createHash} from 'node:crypto'
import {HOST_DNS} from '../host-dns.ts'
import {nodeOf, optionalText, type Call, type Route} from '../call.ts'
import {hasPrivs, requirePrivs} from '../access/permissions.ts'
import {nodeRow, rootDisk, uptimeSeconds} from '../stats/node-stats.ts'
import {die} from '../pve-error.ts'
import type {Node} from '../state.ts'

export const routes: Route[] = [
  {method: 'GET', path: '/nodes', handler: listNodes},
  {method: 'GET', path: '/nodes/{node}/status', handler: readStatus},
  {method: 'GET', path: '/nodes/{node}/version', handler: (call) => call.cluster.state.version},
  {method: 'GET', path: '/nodes/{node}/time', handler: readTime},
  {method: 'GET', path: '/nodes/{node}/network', handler: listNetwork},
  {method: 'GET', path: '/nodes/{node}/dns', handler: () => ({...HOST_DNS}), check: auditNode},
  {
    method: 'GET',
    path: '/nodes/{node}/capabilities',
    handler: () => [{name: 'qemu'}],
    check: () => undefined,
  },
]

function auditNode(call: Call): void {
  requirePrivs(call, `/nodes/${nodeOf(call)}`, ['Sys.Audit'])
}

function listNodes(call: Call): unknown[] {
  return call.cluster.state.nodes.map((node) => ({
    ...nodeRow(call.cluster, node, hasPrivs(call, `/nodes/${node.name}`, ['Sys.Audit'])),
    ssl_fingerprint: fingerprint(node),
  }))
}

/** Something of the right form that stays the same for a node. */
function fingerprint(node: Node): string {
  const hex = createHash('sha256').update(node.name).digest('hex').toUpperCase()
  return (hex.match(/../g) ?? []).join(':')
}

function requireNode(call: Call): Node {
  return call.cluster.node(nodeOf(call)) ?? die(`no such cluster node '${nodeOf(call)}'`)
}

const KERNEL = {sysname: 'Linux', release: '6.17.2-1-pve', machine: 'x86_64'}
const KERNEL_VERSION = '#1 SMP PREEMPT_DYNAMIC PMX 6.17.2-1 (2025-10-21T11:55Z)'

function readStatus(call: Call): unknown {
  const node = requireNode(call)
  const {version} = call.cluster.state.version
  const {memoryBytes, cpus} = node
  const disk = rootDisk(call.cluster, node)
  const used = Math.floor(memoryBytes / 8)
  return {
    uptime: uptimeSeconds(call.cluster, node),
    idle: 0,
    cpu: 0,
    wait: 0,
    loadavg: ['0.00', '0.00', '0.00'],
    kversion: `Linux ${KERNEL.release} ${KERNEL_VERSION}`,
    'current-kernel': {...KERNEL, version: KERNEL_VERSION},
    'boot-info': {mode: 'legacy-bios'},
    cpuinfo: {
      cpus,
      cores: cpus,
      sockets: 1,
      mhz: '3000.000',
      vendor: 'GenuineIntel',
      family: '6',
      model: 'Sandbox CPU',
      user_hz: 100,
      hvm: '1',
      flags: '',
    },
    memory: {total: memoryBytes, used, free: memoryBytes - used, available: memoryBytes - used},
    swap: {total: 0, used: 0, free: 0},
    ksm: {shared: 0},
    pveversion: `pve-manager/${version}/${call.cluster.state.version.repoid}`,
    rootfs: {total: disk.total, used: disk.used, free: disk.total - disk.used, avail: disk.total - disk.used},
  }
}

function readTime(call: Call): unknown {
  const time = call.cluster.nowSeconds()
  return {timezone: 'UTC', time, localtime: time}
}

const bridgeTypes = new Set(['any_bridge', 'any_local_bridge', 'bridge', 'include_sdn'])

/** Only bridges are modelled. The recorded node had none that this list knows: its bridges were made by hand. */
function listNetwork(call: Call): unknown[] {
  const type = optionalText(call, 'type')
  if (type !== undefined && !bridgeTypes.has(type)) return []
  if (call.cluster.state.knobs.isHypervisorFaked) return []
  return requireNode(call)
    .bridges.filter(({iface}) => mayUseBridge(call, iface))
    .map(({iface, address}, i) => networkRow(iface, address, i))
}

function mayUseBridge(call: Call, iface: string): boolean {
  if (hasPrivs(call, `/nodes/${nodeOf(call)}`, ['Sys.Audit', 'Sys.Modify'], true)) return true
  return hasPrivs(call, `/sdn/zones/localnetwork/${iface}`, ['SDN.Audit', 'SDN.Use'], true)
}

function networkRow(iface: string, address: string | undefined, i: number): Record<string, unknown> {
  const row = {
    iface,
    type: 'bridge',
    active: 1,
    autostart: 1,
    exists: 1,
    priority: i + 3,
    families: ['inet'],
    method6: 'manual',
    bridge_fd: '0',
    bridge_stp: 'off',
    bridge_ports: i === 0 ? 'eno1' : '',
  }
  if (address === undefined) return {...row, method: 'manual'}
  const [ip = '', prefix = '24'] = address.split('/')
  return {...row, method: 'static', cidr: address, address: ip, netmask: prefix}
}
