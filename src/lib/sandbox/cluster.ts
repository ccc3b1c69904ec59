// The sandbox's core: state, clock, randomness, tasks and config locks in one place. It may touch nothing
// outside itself. Handlers change the state only through it and through the rooms beside it.
import {die} from './pve-error.ts'
import {systemClock, type Clock} from './clock.ts'
import {ConfigLocks} from './guest/config-lock.ts'
import {TaskRunner} from './tasks/task-runner.ts'
import type {ClusterState, Guest, Kind, Node} from './state.ts'

export class Cluster {
  readonly state: ClusterState
  readonly clock: Clock
  readonly tasks: TaskRunner
  readonly locks: ConfigLocks
  /** Epoch milliseconds of the sandbox's own start. */
  readonly startedMs: number
  #seed: number

  constructor(state: ClusterState, clock: Clock = systemClock, seed = 1) {
    this.state = state
    this.clock = clock
    this.startedMs = clock.now()
    this.#seed = seed
    this.tasks = new TaskRunner(this)
    this.locks = new ConfigLocks(this)
  }

  nowSeconds(): number {
    return Math.floor(this.clock.now() / 1000)
  }

  /** A reproducible random number in [0, 1) (mulberry32). */
  random(): number {
    this.#seed = (this.#seed + 0x6d2b79f5) | 0
    let t = Math.imul(this.#seed ^ (this.#seed >>> 15), 1 | this.#seed)
    t = (t + Math.imul(t ^ (t >>> 7), 61 | t)) ^ t
    return ((t ^ (t >>> 14)) >>> 0) / 4294967296
  }

  node(name: string): Node | undefined {
    return this.state.nodes.find((n) => n.name === name)
  }

  guest(vmid: number): Guest | undefined {
    return this.state.guests.get(vmid)
  }

  /** The guest of that kind on that node, or the 500 that Proxmox answers for a missing config file. */
  requireGuest(kind: Kind, node: string, vmid: number): Guest {
    const guest = this.state.guests.get(vmid)
    if (guest && guest.kind === kind && guest.node === node) return guest
    const folder = kind === 'lxc' ? 'lxc' : 'qemu-server'
    die(`Configuration file 'nodes/${node}/${folder}/${String(vmid)}.conf' does not exist`)
  }

  randomHex(digits: number): string {
    let out = ''
    while (out.length < digits) out += Math.floor(this.random() * 16).toString(16)
    return out
  }

  randomUuid(): string {
    const h = this.randomHex(32)
    return `${h.slice(0, 8)}-${h.slice(8, 12)}-4${h.slice(13, 16)}-8${h.slice(17, 20)}-${h.slice(20, 32)}`
  }

  /** A MAC address under the cluster's prefix, upper-case as Proxmox writes it. */
  randomMac(): string {
    const configured = this.state.options['mac_prefix']
    const prefix = typeof configured === 'string' ? configured : 'BC:24:11'
    const missing = 6 - prefix.split(':').length
    const rest = Array.from({length: missing}, () => this.randomHex(2).toUpperCase())
    return [prefix, ...rest].join(':')
  }
}
