// Reads the guests of one node: its two lists, and the config of each guest as soon as its list is in. What
// cannot be read stays in the result as unknown, with the reason.
import type {ActualGuest, ActualNode, GuestConfig, Incompleteness} from '../model/actual.ts'
import type {FelhomError} from '../model/felhom-error.ts'
import {GUEST_KINDS, type GuestKind} from '../model/guest.ts'
import {readGuestRows, readPendingConfig, type GuestRow, type NodeRow} from './answers.ts'
import {attempt} from './attempt.ts'
import type {ReadConnection} from './connection.ts'
import {guestPath, nodePath} from './paths.ts'

export interface NodeResult {
  readonly node: ActualNode
  readonly guests: readonly GuestOfNode[]
  readonly reasons: readonly Incompleteness[]
}

/** HA membership is the cluster's knowledge, not the node's. */
export type GuestOfNode = Omit<ActualGuest, 'ha'>

/** Once `halt` is given, nothing further is asked. */
export async function readNode(
  connection: ReadConnection,
  row: NodeRow,
  halt: AbortSignal,
): Promise<NodeResult> {
  if (row.status === 'offline') {
    const message = `node ${row.name} is offline: its guests are unknown`
    return {
      node: {name: row.name, online: false, listed: false},
      guests: [],
      reasons: [{code: 'node_offline', node: row.name, message}],
    }
  }
  const reading = new NodeReading(connection, row.name, halt)
  const lists = await Promise.all(GUEST_KINDS.map((kind) => reading.readKind(kind)))
  const reasons = lists.flatMap((list) => list.reasons)
  return {
    node: {name: row.name, online: true, listed: reasons.length === 0},
    guests: lists.flatMap((list) => list.guests),
    reasons,
  }
}

interface KindResult {
  readonly guests: readonly GuestOfNode[]
  readonly reasons: readonly Incompleteness[]
}

class NodeReading {
  readonly #connection: ReadConnection
  readonly #node: string
  /** Ends the asking for this node when it goes away while it is being read. */
  readonly #gone = new AbortController()
  readonly #stop: AbortSignal

  constructor(connection: ReadConnection, node: string, halt: AbortSignal) {
    this.#connection = connection
    this.#node = node
    this.#stop = AbortSignal.any([halt, this.#gone.signal])
  }

  async readKind(kind: GuestKind): Promise<KindResult> {
    // Without `full` Proxmox calls a paused machine running.
    const query = kind === 'qemu' ? {full: 1} : undefined
    const list = await attempt(async () =>
      readGuestRows((await this.#connection.get(nodePath(this.#node, kind), query, this.#stop)).data),
    )
    if ('error' in list) return {guests: [], reasons: [listFailure(this.#node, kind, list.error)]}
    return {guests: await Promise.all(list.value.map((row) => this.#readGuest(kind, row))), reasons: []}
  }

  async #readGuest(kind: GuestKind, row: GuestRow): Promise<GuestOfNode> {
    const config = await this.#readConfig(kind, row.vmid)
    const guest = {...row, kind, node: this.#node, config}
    if (!config.known) return guest
    // The config was read after the list, so it knows better.
    const lock = config.current['lock']
    return {...guest, lock: lock ?? row.lock, template: row.template || config.current['template'] === '1'}
  }

  async #readConfig(kind: GuestKind, vmid: number): Promise<GuestConfig> {
    const path = guestPath({node: this.#node, kind, vmid}, 'pending')
    const config = await attempt(async () =>
      readPendingConfig((await this.#connection.get(path, undefined, this.#stop)).data),
    )
    if ('value' in config) return config.value
    if (config.error.code === 'node_unreachable') this.#gone.abort(config.error)
    return {known: false, reason: config.error.message}
  }
}

function listFailure(node: string, kind: GuestKind, error: FelhomError): Incompleteness {
  const code = error.code === 'node_unreachable' ? 'node_unreachable' : 'list_failed'
  return {code, node, message: `the ${kind} guests of node ${node} are unknown: ${error.message}`}
}
