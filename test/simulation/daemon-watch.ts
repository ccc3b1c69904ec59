// Watches a daemon from outside, beside the oracle: what it sends against the hour, its mode, the suspensions and the
// last good state; that each pass looks at what was left open; that no pass overlaps another; that what it remembers
// stays small. What the daemon thinks of itself counts for nothing.
import {getEventListeners} from 'node:events'
import type {PassMemory} from '../../src/lib/app/daemon/pass-world.ts'
import type {PassReport, Permission, Suspension} from '../../src/lib/model/daemon.ts'
import type {Intent} from '../../src/lib/model/operation.ts'
import {holdsAt} from '../../src/lib/store/suspensions.ts'
import {atLeast, permissionAt, type Daemon} from './daemon-hours.ts'
import type {Hub} from './daemon-hub.ts'
import {findUnexplained} from './daemon-wish.ts'
import type {ProcessLife} from './process-life.ts'
import type {World} from './world.ts'

/** What the operator has really signed. */
export interface Signed {
  readonly nonce: string
  readonly vmid: number
  readonly isDestruction: boolean
  /** Of a job: no file asks for it. */
  readonly isJob: boolean
  readonly expMs: number
}

interface Watched {
  daemon: Daemon
  passes: number
  /** Operations that were open when this pass opened the journal, and were not looked at yet. */
  unseen: Set<string>
}

/** From the gate's word to the request there are two syncs of the disk. */
const GRACE_MS = 100
/** More than any pass leaves behind on the signal that ends the process. */
const MOST_LISTENERS = 10

export class DaemonWatch {
  readonly #world: World
  readonly #hub: Hub
  readonly #daemons = new Map<ProcessLife, Watched>()
  readonly #signed = new Map<string, Signed>()
  suspensions: readonly Suspension[] = []
  lastReport: PassReport | undefined

  constructor(world: World, hub: Hub) {
    this.#world = world
    this.#hub = hub
    world.onSent = (life, intent) => {
      const watched = this.#daemons.get(life)
      if (watched) this.#sent(watched, intent)
    }
  }

  begins(life: ProcessLife, daemon: Daemon): void {
    this.#daemons.set(life, {daemon, passes: 0, unseen: new Set()})
  }

  ends(life: ProcessLife): void {
    this.#daemons.delete(life)
  }

  /** From the next pass on this is what it may do. */
  reloads(life: ProcessLife, daemon: Daemon): void {
    const watched = this.#daemons.get(life)
    if (watched) watched.daemon = daemon
  }

  passBegins(life: ProcessLife): void {
    const watched = this.#daemons.get(life)
    if (watched && ++watched.passes > 1) this.#violate('overlap', 'a pass began while another was under way')
  }

  passEnds(life: ProcessLife, report: PassReport, memory: PassMemory, stop: AbortSignal): void {
    const watched = this.#daemons.get(life)
    if (watched) watched.passes--
    this.lastReport = report
    this.#world.oracle.count('pass')
    this.#checkMemory(memory)
    const listeners = getEventListeners(stop, 'abort').length
    if (listeners > MOST_LISTENERS) this.#violate('memory', `${listeners} listeners wait for the end`)
  }

  opened(life: ProcessLife, ops: readonly string[]): void {
    const watched = this.#daemons.get(life)
    if (watched) watched.unseen = new Set(ops)
  }

  recovered(life: ProcessLife, ops: readonly string[]): void {
    for (const op of ops) this.#daemons.get(life)?.unseen.delete(op)
  }

  /** Recovery is over, and work may begin. */
  goesOn(life: ProcessLife): void {
    const unseen = [...(this.#daemons.get(life)?.unseen ?? [])]
    if (unseen.length > 0) this.#violate('recovery', `nobody looked at ${unseen.join(', ')}`)
  }

  signs(signed: Signed): void {
    this.#signed.set(signed.nonce, signed)
    this.#world.oracle.authorizes(signed.nonce, signed.vmid)
  }

  #sent({daemon}: Watched, intent: Intent): void {
    const {op, body, target} = intent
    const what = `${op} (${body.type} ${String(target.vmid)})`
    const nowMs = this.#world.wallClockMs()
    const allowed = [nowMs, nowMs - GRACE_MS].map((ms) => permissionAt(daemon, ms))
    const needed = neededFor(intent)
    if (!allowed.some((permission) => atLeast(permission, needed)))
      this.#violate('hours', `${what} was sent with ${allowed.join(', ')}, and takes ${needed}`)
    for (const one of this.suspensions)
      if ((one.vmid === 'all' || one.vmid === target.vmid) && holdsAt(one, nowMs) && isHeard(one, nowMs))
        this.#violate('suspended', `${what} was sent, and ${String(one.vmid)} is suspended`)
    this.#checkSource(intent, what)
    this.#checkSignature(intent, what, nowMs)
  }

  #checkSource(intent: Intent, what: string): void {
    const {key, body, target} = intent
    const signed = key === undefined ? undefined : this.#signed.get(key)
    if (signed?.isJob === true) return
    // A job to destroy shuts down first.
    const isForJob = [...this.#signed.values()].some(
      ({isJob, isDestruction, vmid}) => isJob && isDestruction && vmid === target.vmid,
    )
    if (body.type === 'shutdown' && isForJob) return
    const good = this.#hub.good
    const why = good ? findUnexplained(good, intent) : 'nothing was ever good'
    if (why !== undefined) this.#violate('source', `${what} does not come from the last good state: ${why}`)
  }

  #checkSignature({key}: Intent, what: string, nowMs: number): void {
    if (key === undefined) return
    const signed = this.#signed.get(key)
    if (!signed) this.#violate('G3', `${what} was sent under ${key}, which nobody signed`)
    else if (nowMs > signed.expMs + GRACE_MS + LONGEST_LOOK_MS)
      this.#violate('G3', `${what} was sent under ${key}, which has expired`)
  }

  #checkMemory({backOffs, refusals, toldJobs, jobRefusals}: PassMemory): void {
    const guests = this.#world.scenario.managed.length
    const most = {guests, refusals: guests * 4, jobs: this.#hub.jobs.length + MOST_JOBS}
    const now = {
      guests: backOffs.size,
      refusals: refusals.size,
      jobs: Math.max(toldJobs.size, jobRefusals.size),
    }
    for (const name of ['guests', 'refusals', 'jobs'] as const)
      if (now[name] > most[name])
        this.#violate('memory', `${now[name]} ${name} are remembered, and there are ${most[name]}`)
  }

  #violate(promise: string, message: string): void {
    this.#world.oracle.violate(promise, message)
  }
}

/** The kept state may be a revision behind: as many as the operator ever has there at once. */
const MOST_JOBS = 6
/** After its time was checked the guest is read once more. */
const LONGEST_LOOK_MS = 0

/** The gate could know it when it was asked. */
const isHeard = ({sinceMs}: Suspension, nowMs: number): boolean => sinceMs <= nowMs - GRACE_MS

const DISTURBING: ReadonlySet<string> = new Set(['shutdown', 'restart', 'destroy', 'snapshot-rollback'])

function neededFor({body, class: gateClass}: Intent): Permission {
  if (gateClass === 'destructive') return 'full'
  return DISTURBING.has(body.type) ? 'benign' : 'live'
}
