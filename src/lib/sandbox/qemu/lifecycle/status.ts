// GET /nodes/{node}/qemu and GET status/current: what a machine's status says, stopped and running.
import {flag, nodeOf, type Call} from '../../call.ts'
import {hasPrivs} from '../../access/permissions.ts'
import {isTemplate} from '../../guest/snapshots.ts'
import {haStatus, uptimeSeconds} from '../../guest/status.ts'
import {parseSize} from '../../schema/sizes.ts'
import {isDriveName} from '../config/drive.ts'
import {maxCpus} from '../config/processors.ts'
import {isUp, isSet, memoryMiB, placeOf, requireVm} from './vm.ts'
import {RUNNING_QEMU, runningMachine} from './machine.ts'
import type {Cluster} from '../../cluster.ts'
import type {Guest, Section} from '../../state.ts'

export type VmStatus = Record<string, unknown>

const MIB = 1024 * 1024
const FAKED_BALLOON_BYTES = 512 * MIB
const NO_PRESSURE = {
  pressurecpufull: 0,
  pressurecpusome: 0,
  pressureiofull: 0,
  pressureiosome: 0,
  pressurememoryfull: 0,
  pressurememorysome: 0,
}

export function listVms(call: Call): VmStatus[] {
  const node = nodeOf(call)
  const full = flag(call, 'full')
  const rows: VmStatus[] = []
  for (const guest of call.cluster.state.guests.values()) {
    if (guest.kind !== 'qemu' || guest.node !== node) continue
    if (!hasPrivs(call, `/vms/${String(guest.vmid)}`, ['VM.Audit'])) continue
    rows.push(vmStatus(call.cluster, guest, full))
  }
  return rows
}

export function currentStatus(call: Call): VmStatus {
  const guest = requireVm(placeOf(call))
  const status = vmStatus(call.cluster, guest, true)
  status['ha'] = haStatus(call.cluster, guest)
  const vga = guest.config['vga']
  if (vga) {
    if (/(?:^|type=)(?:virtio|qxl)/.test(vga)) status['spice'] = 1
    status['clipboard'] = /(?:^|,)clipboard=([^,]+)/.exec(vga)?.[1] ?? null
  }
  if (isAgentEnabled(guest.config)) status['agent'] = 1
  return status
}

/** `agent: 1`, `agent: enabled=1,…`. */
export function isAgentEnabled(config: Section): boolean {
  return /(?:^|,)(?:enabled=)?(?:1|on|yes|true)(?:,|$)/.test(config['agent'] ?? '')
}

/** One machine as the list shows it; `full` adds what only its monitor knows. */
export function vmStatus(cluster: Cluster, guest: Guest, full: boolean): VmStatus {
  const {config, vmid} = guest
  const status: VmStatus = {
    vmid,
    status: guest.runtime.status,
    disk: 0,
    maxdisk: bootDiskBytes(config),
    cpus: cpusOf(cluster, guest),
    name: config['name'] || `VM ${String(vmid)}`,
    maxmem: memoryMiB(config) * MIB,
    uptime: 0,
    cpu: 0,
    mem: 0,
    memhost: 0,
    netin: 0,
    netout: 0,
  }
  addOptions(status, guest)
  if (isUp(guest)) addRunning(status, cluster, guest)
  if (!full) return status
  if (isUp(guest)) addMonitor(status, cluster, guest)
  status['qmpstatus'] ??= guest.runtime.status
  return status
}

function addOptions(status: VmStatus, guest: Guest): void {
  const {config} = guest
  if (isSet(config, 'balloon')) {
    status['balloon_min'] = Number(config['balloon']) * MIB
    status['shares'] = Number(config['shares'] ?? 1000)
  }
  if (isTemplate(guest)) status['template'] = 1
  if ([0, 1, 2, 3].some((n) => config[`serial${String(n)}`] !== undefined)) status['serial'] = 1
  if (config['lock']) status['lock'] = config['lock']
  if (config['tags'] !== undefined) status['tags'] = config['tags']
}

function addRunning(status: VmStatus, cluster: Cluster, guest: Guest): void {
  status['pid'] = guest.runtime.pid ?? 0
  status['uptime'] = uptimeSeconds(cluster, guest)
  Object.assign(status, NO_PRESSURE)
}

function addMonitor(status: VmStatus, cluster: Cluster, guest: Guest): void {
  const {config, runtime, vmid} = guest
  status['qmpstatus'] = runtime.paused ? 'paused' : 'running'
  status['proxmox-support'] = {}
  status['diskread'] = 0
  status['diskwrite'] = 0
  const isFaked = cluster.state.knobs.isHypervisorFaked === true
  status['running-machine'] = isFaked ? runningMachine({}) : (runtime.machine ?? runningMachine(config))
  status['running-qemu'] = RUNNING_QEMU
  const nics: Record<string, {netin: number; netout: number}> = {}
  for (const option of Object.keys(config)) {
    if (/^net\d+$/.test(option)) nics[`tap${String(vmid)}i${option.slice(3)}`] = {netin: 0, netout: 0}
  }
  if (Object.keys(nics).length > 0) status['nics'] = nics
  addBalloon(status, cluster, guest)
}

/** A machine without balloon does not answer; the recorded stand-in answered for every machine alike. */
function addBalloon(status: VmStatus, cluster: Cluster, {config}: Guest): void {
  const isFaked = cluster.state.knobs.isHypervisorFaked === true
  if (!isFaked && config['balloon'] === '0') return
  const bytes = isFaked ? FAKED_BALLOON_BYTES : memoryMiB(config) * MIB
  status['maxmem'] = bytes
  status['balloon'] = bytes
  status['ballooninfo'] = {actual: bytes, max_mem: bytes}
}

function cpusOf(cluster: Cluster, guest: Guest): number {
  const {config} = guest
  if (isSet(config, 'vcpus')) return Number(config['vcpus'])
  const wanted = maxCpus(config)
  return Math.min(wanted, cluster.node(guest.node)?.cpus ?? wanted)
}

/** The size that the config notes for the first disk the machine boots from. */
function bootDiskBytes(config: Section): number {
  for (const option of bootDrives(config)) {
    const text = config[option]
    if (text === undefined || /(?:^|,)media=cdrom/.test(text)) continue
    return parseSize(/(?:^|,)size=([^,]+)/.exec(text)?.[1] ?? '0') ?? 0
  }
  return 0
}

/** Read by hand: a list of thousands of machines asks for each. The legacy letters know only `bootdisk`. */
function bootDrives(config: Section): string[] {
  const order = /(?:^|,)order=([^,]*)/.exec(config['boot'] ?? '')?.[1]
  if (order !== undefined) return order.split(/[;\s]+/).filter(isDriveName)
  return config['bootdisk'] === undefined ? [] : [config['bootdisk']]
}
