// Knows what really happened to every operation, and says so when a promise of felhom's is broken. It watches from
// outside: the synced disk, the network, Proxmox's own state; what felhom thinks of itself counts for nothing.
import {
  isOpen,
  type Ending,
  type Intent,
  type Operation,
  type OperationState,
} from '../../src/lib/model/operation.ts'
import type {JournalStore} from '../../src/lib/store/open-journal.ts'
import {isGoalReached} from './goals.ts'
import type {ProcessLife} from './process-life.ts'
import type {Answer} from './sim-network.ts'
import type {SimDisk} from './sim-disk.ts'
import {OUR_TOKEN, type SimProxmox} from './sim-proxmox.ts'

/** What became of a request, as only the world knows it. */
type Effect =
  | {readonly kind: 'unsent' | 'underway' | 'dropped' | 'cut' | 'done' | 'refused'}
  | {readonly kind: 'task'; readonly upid: string}

interface Truth {
  readonly intent: Intent
  /** `starting`: it is not known yet whether the record is on disk. */
  state: OperationState | 'starting'
  readonly startedMs: number
  sentMs: number | undefined
  effect: Effect
  goalSeen: boolean
  /** The clock on the wall was put forward while it was open: no waiting time can be relied on. */
  isTimeUnsure: boolean
}

export interface Violation {
  readonly promise: string
  readonly message: string
}

export interface OracleHost {
  readonly disk: SimDisk
  readonly proxmox: SimProxmox
  readonly managed: ReadonlySet<number>
  now(): number
  holdsLock(life: ProcessLife): boolean
  trace(text: () => string): void
}

export type OracleMemory = ReadonlyMap<string, Truth>

export class Oracle {
  readonly violations: Violation[] = []
  readonly counts = new Map<string, number>()
  readonly #host: OracleHost
  readonly #truths = new Map<string, Truth>()
  readonly #authorized = new Set<string>()
  readonly #keysSent = new Map<string, string>()
  readonly #existsSince = new Map<number, number>()
  readonly #recovering = new Set<ProcessLife>()
  readonly #passStarted = new Map<ProcessLife, number>()

  constructor(host: OracleHost) {
    this.#host = host
    this.sample()
  }

  /** Looks at Proxmox as it is at this moment. */
  sample(): void {
    const {proxmox} = this.#host
    for (const truth of this.#truths.values()) {
      if (truth.goalSeen || !isUnsettled(truth.state)) continue
      const {vmid} = truth.intent.target
      if (isGoalReached(truth.intent, proxmox.guest(vmid), truth.startedMs)) truth.goalSeen = true
    }
    for (const vmid of proxmox.state.guests.keys()) {
      if (!this.#existsSince.has(vmid)) this.#existsSince.set(vmid, this.#host.now())
    }
    for (const vmid of this.#existsSince.keys()) if (!proxmox.guest(vmid)) this.#existsSince.delete(vmid)
  }

  passBegins(life: ProcessLife): void {
    this.#passStarted.set(life, this.#host.now())
  }

  recovers(life: ProcessLife, isRecovering: boolean): void {
    if (isRecovering) this.#recovering.add(life)
    else this.#recovering.delete(life)
  }

  processEnds(life: ProcessLife): void {
    this.#passStarted.delete(life)
    this.#recovering.delete(life)
  }

  get isRecovering(): boolean {
    return this.#recovering.size > 0
  }

  /** Whether any operation was ever begun. */
  get hasStarted(): boolean {
    return this.#truths.size > 0
  }

  authorizes(key: string, vmid: number): void {
    this.#authorized.add(`${key} ${String(vmid)}`)
  }

  clockJumped(): void {
    for (const truth of this.#truths.values()) if (isUnsettled(truth.state)) truth.isTimeUnsure = true
  }

  /** Of a life that lasts for weeks: what ended before then is no longer compared with the journal. */
  forgetSettled(beforeMs: number): void {
    for (const [op, {state, startedMs}] of this.#truths)
      if (startedMs < beforeMs && !isUnsettled(state)) this.#truths.delete(op)
  }

  /** For a backup of the state directory: what the journal knew then. */
  remember(): OracleMemory {
    return new Map([...this.#truths].map(([op, truth]) => [op, {...truth}]))
  }

  /** An old state directory was brought back: the journal knows no more than it did then. */
  recall(memory: OracleMemory): void {
    for (const op of this.#truths.keys()) if (!memory.has(op)) this.#truths.delete(op)
    for (const [op, then] of memory) {
      const truth = this.#truths.get(op) ?? {...then}
      truth.state = then.state
      this.#truths.set(op, truth)
    }
    // What waits for its time has a request that is long gone.
    this.clockJumped()
  }

  starting(intent: Intent): void {
    const known = this.#truths.get(intent.op)
    if (known && known.state !== 'starting') this.#violate('G5', `${intent.op} was started twice`)
    this.#truths.set(intent.op, {
      intent,
      state: 'starting',
      startedMs: this.#host.now(),
      sentMs: undefined,
      effect: {kind: 'unsent'},
      goalSeen: false,
      isTimeUnsure: false,
    })
    this.#count(`start ${intent.body.type}`)
  }

  started(op: string): void {
    const truth = this.#truths.get(op)
    if (truth) truth.state = 'started'
  }

  taskRunning(op: string): void {
    const truth = this.#truths.get(op)
    if (truth && isUnsettled(truth.state)) truth.state = 'task_running'
  }

  settling(op: string, {state, by, reason}: Ending): void {
    const truth = this.#truths.get(op)
    if (!truth) return
    this.sample()
    this.#count(`${by} ${truth.intent.body.type} ${state}`)
    if (state === 'quarantined') return
    const {type} = truth.intent.body
    const what = `${op} (${type}) is called ${state}: ${reason}`
    if (!truth.isTimeUnsure && this.#isActing(truth)) this.#violate('final', `${what}, but it goes on`)
    const isProxmoxesWord = state === 'succeeded' && type !== 'create' && this.#hasDoneIt(truth)
    if ((state === 'succeeded' || state === 'satisfied') && !truth.goalSeen && !isProxmoxesWord)
      this.#violate(
        'true',
        `${what}, but it was never so: ${JSON.stringify(truth.intent.body)} ${JSON.stringify(this.#host.proxmox.guest(truth.intent.target.vmid))}`,
      )
    const isOnce = type === 'create' || type === 'destroy' || type.startsWith('snapshot-')
    if (state === 'failed' && isOnce && this.#hasDoneIt(truth))
      this.#violate('true', `${what}, but its task did it`)
  }

  settled(op: string, state: Ending['state']): void {
    const truth = this.#truths.get(op)
    if (truth) truth.state = state
  }

  /** A request leaves; `op` is what the journal is said to hold it as. */
  sent(life: ProcessLife, intent: Intent): void {
    const {op, target, body} = intent
    const host = this.#host
    host.trace(() => `      sent ${op} ${body.type} ${String(target.vmid)}`)
    this.#count(`sent ${body.type}`)
    const truth = this.#truths.get(op)
    if (!host.disk.holdsDurably(`"${op}"`)) this.#violate('G5', `${op} was sent without a durable record`)
    if (truth && truth.sentMs !== undefined) this.#violate('G5', `${op} was sent twice`)
    if (!host.holdsLock(life)) this.#violate('G6', `${op} was sent by a process without the lock`)
    if (this.#recovering.has(life)) this.#violate('G3', `${op} was sent by recover`)
    if (!host.managed.has(target.vmid)) this.#violate('G8', `${op} is about a guest that nobody desires`)
    this.#checkFreeze(intent)
    if (body.type === 'create') this.#checkAbsence(life, intent)
    if (body.type === 'destroy' || intent.class === 'destructive') this.#checkAuthority(intent)
    if (!truth) return
    truth.sentMs = host.now()
    truth.effect = {kind: 'underway'}
    if (body.type === 'set-config' && this.#isShadowed(intent)) truth.goalSeen = true
    this.sample()
  }

  /** Proxmox has carried a request out, or refused it; undefined: it lost its power over it. */
  handled({op}: Intent, answer: Answer | undefined): void {
    const truth = this.#truths.get(op)
    if (!truth) return
    truth.effect = effectOf(answer)
    this.sample()
  }

  dropped({op}: Intent): void {
    const truth = this.#truths.get(op)
    if (truth) truth.effect = {kind: 'dropped'}
  }

  /** A journal was opened: what was acknowledged must be in it. */
  opened(store: JournalStore): void {
    const open = new Map(store.openOperations().map((operation) => [operation.intent.op, operation]))
    for (const [op, truth] of this.#truths) this.#reconcile(op, truth, open.get(op), store)
    for (const [op, operation] of open) {
      if (!this.#truths.has(op)) this.#violate('G7', `${op} is in the journal, and nobody wrote it`)
      const rivals = [...open.values()].filter(
        (one) => one.intent.target.vmid === operation.intent.target.vmid,
      )
      if (rivals.length > 1) this.#violate('freeze', `${op} has open rivals: one guest, one open operation`)
    }
  }

  /** Operations that are open, by what was acknowledged. */
  open(): Truth[] {
    return [...this.#truths.values()].filter(({state}) => isUnsettled(state) && state !== 'starting')
  }

  count(what: string): void {
    this.#count(what)
  }

  violate(promise: string, message: string): void {
    this.#violate(promise, message)
  }

  #reconcile(op: string, truth: Truth, open: Operation | undefined, store: JournalStore): void {
    const now = open?.state ?? store.find(op)?.state
    const {state, intent} = truth
    if (state === 'starting') {
      // Its append was never acknowledged: it may be there or not.
      if (now !== undefined) truth.state = now
      else this.#truths.delete(op)
      return
    }
    if (intent.key !== undefined && !store.usedKey(intent.key))
      this.#violate('G1', `the key of ${op} is no longer known`)
    if (!isUnsettled(state)) {
      if (open) this.#violate('G2', `${op} was ${state}, and is ${open.state} again`)
      return
    }
    if (now === undefined) {
      this.#violate('G2', `${op} was ${state}, and is gone`)
      return
    }
    if (RANK[now] < RANK[state]) this.#violate('G2', `${op} was ${state}, and is ${now}`)
    truth.state = now
  }

  /** A container takes a value that waits even when the option is deleted: what comes of it is not judged. */
  #isShadowed({body, target}: Intent): boolean {
    const guest = this.#host.proxmox.guest(target.vmid)
    return (
      body.type === 'set-config' &&
      guest?.kind === 'lxc' &&
      body.delete.some((name) => guest.pending[name] !== undefined)
    )
  }

  #checkFreeze({op, target}: Intent): void {
    for (const {intent} of this.open()) {
      if (intent.op !== op && intent.target.vmid === target.vmid)
        this.#violate('freeze', `${op} was sent while ${intent.op} of the same guest is open`)
    }
  }

  #checkAbsence(life: ProcessLife, {op, target}: Intent): void {
    const sinceMs = this.#existsSince.get(target.vmid)
    const passMs = this.#passStarted.get(life) ?? 0
    if (sinceMs !== undefined && sinceMs < passMs)
      this.#violate('G8', `${op} creates ${String(target.vmid)}, which has been there all the time`)
  }

  #checkAuthority({op, key, target}: Intent): void {
    if (key === undefined || !this.#authorized.has(`${key} ${String(target.vmid)}`)) {
      this.#violate('G3', `${op} is destructive, and nobody has allowed it`)
      return
    }
    const earlier = this.#keysSent.get(key)
    if (earlier !== undefined) this.#violate('G1', `${op} and ${earlier} were sent under the same key ${key}`)
    this.#keysSent.set(key, op)
    const strange = this.#unknownTasks()
    if (strange.length > 0) this.#violate('G9', `${op} was sent although nobody knows ${strange.join(', ')}`)
  }

  /** Tasks of our token that the journal on disk does not name, and no open operation explains. */
  #unknownTasks(): string[] {
    const {proxmox, disk} = this.#host
    const open = this.open().map(({intent}) => intent)
    const explained = new Set(
      open.flatMap(({target, body}) => [
        String(target.vmid),
        ...(body.type === 'create' && 'clone' in body.from ? [String(body.from.clone)] : []),
      ]),
    )
    return this.#strangers.filter((upid) => {
      const task = proxmox.task(upid)
      return task && !task.lost && !explained.has(task.id) && !disk.holdsDurably(`"${upid}"`)
    })
  }

  #strangers: string[] = []

  /** Tasks that an old state directory cannot know: everything of ours that is listed now. */
  noteStrangers(): void {
    const {proxmox} = this.#host
    this.#strangers = proxmox.state.nodes
      .flatMap(({name}) => proxmox.listed(name))
      .filter(({user, exitstatus}) => user === OUR_TOKEN && exitstatus !== undefined)
      .map(({upid}) => upid)
  }

  forgetStrangers(): void {
    this.#strangers = []
  }

  #isActing({effect}: Truth): boolean {
    if (effect.kind === 'underway') return true
    if (effect.kind !== 'task') return false
    const task = this.#host.proxmox.task(effect.upid)
    return task !== undefined && task.exitstatus === undefined
  }

  #hasDoneIt({effect}: Truth): boolean {
    if (effect.kind !== 'task') return false
    const task = this.#host.proxmox.task(effect.upid)
    // A machine's reboot only stops it; what comes then is no longer the task's.
    if (!task || task.type === 'qmreboot') return false
    return task.exitstatus === 'OK' || task.exitstatus?.startsWith('WARNINGS') === true
  }

  #count(what: string): void {
    this.counts.set(what, (this.counts.get(what) ?? 0) + 1)
  }

  #violate(promise: string, message: string): void {
    this.#host.trace(() => `  !!!! ${promise}: ${message}`)
    this.violations.push({promise, message})
  }
}

const isUnsettled = (state: Truth['state']): boolean => state === 'starting' || isOpen({state})

const RANK: Readonly<Record<OperationState, number>> = {
  started: 0,
  task_running: 1,
  quarantined: 2,
  succeeded: 3,
  failed: 3,
  satisfied: 3,
  superseded: 3,
  abandoned: 3,
}

function effectOf(answer: Answer | undefined): Effect {
  if (!answer) return {kind: 'cut'}
  if (answer.status !== 200) return {kind: 'refused'}
  const {data} = JSON.parse(answer.text) as {data: unknown}
  return typeof data === 'string' && data.startsWith('UPID:') ? {kind: 'task', upid: data} : {kind: 'done'}
}
