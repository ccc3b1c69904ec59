// The journal on its log. What is asked is judged against what is on disk and against what is on its way there, so
// that two who start at once cannot both be told yes.
import {FelhomError} from '../../model/felhom-error.ts'
import type {GuestIdentity} from '../../model/identity.ts'
import {
  involvedVmids,
  type Ending,
  type Intent,
  type JournaledIntent,
  type Operation,
} from '../../model/operation.ts'
import type {AppendLog} from '../log/append-log.ts'
import {compactLog} from '../log/compact-log.ts'
import type {LogPlace} from '../log/append-log.ts'
import {judgeEntry, type Objection} from './judge-entry.ts'
import type {JournalEntry} from './journal-record.ts'
import type {JournalState} from './journal-state.ts'
import type {Compaction, CompactOptions, JournalStore} from './journal-store.ts'

export class FileJournal implements JournalStore {
  readonly #log: AppendLog<JournalState>
  readonly #place: LogPlace
  readonly #clock: {now(): number}
  /** What starts on their way to the disk claim for themselves, and which operation claims it. */
  readonly #claims = new Map<string, string>()
  /** The last entry of an operation on its way to the disk. */
  readonly #writing = new Map<string, Promise<void>>()

  constructor(log: AppendLog<JournalState>, place: LogPlace, clock: {now(): number}) {
    this.#log = log
    this.#place = place
    this.#clock = clock
  }

  get knowsTasksSinceMs(): number {
    return this.#state.tasks.sinceMs
  }

  get #state(): JournalState {
    return this.#log.state
  }

  /** Hands back what was written, and not what was given: what is sent is what the journal holds. */
  async start(given: Intent): Promise<JournaledIntent> {
    const intent = JSON.parse(JSON.stringify(given)) as Intent
    const claims = claimsOf(intent)
    const objection = this.#judgeStart(intent, claims)
    if (objection) throw refusal(objection)
    for (const claim of claims) this.#claims.set(claim, intent.op)
    try {
      await this.#append({type: 'started', intent})
    } finally {
      for (const claim of claims) this.#claims.delete(claim)
    }
    return intent as JournaledIntent
  }

  taskRunning(op: string, upid: string): Promise<void> {
    return this.#follow({type: 'task_running', op, upid}, op)
  }

  settle(op: string, {state, by, reason, identity}: Ending): Promise<void> {
    return this.#follow({type: state, op, by, reason, ...(identity && {identity})}, op)
  }

  async noteAbsence(op: string, sinceMs: number | undefined): Promise<void> {
    await this.#writing.get(op)
    if (this.#state.findOpen(op)?.absentSinceMs === sinceMs && this.#state.findOpen(op)) return
    return this.#follow({type: 'absence', op, sinceMs: sinceMs ?? null}, op)
  }

  openOperations(): readonly Operation[] {
    return this.#state.openOperations()
  }

  find(op: string): Operation | undefined {
    return this.#state.findRecent(op)
  }

  usedKey(key: string): boolean {
    return this.#state.keys.has(key)
  }

  findByKey(key: string): Operation | undefined {
    return this.#state.findByKey(key)
  }

  hasCreated(run: string, identity: GuestIdentity): boolean {
    return this.#state.hasCreated(run, identity)
  }

  lastRun(): string | undefined {
    return this.#state.lastRun
  }

  disarmed(): readonly string[] {
    return [...this.#state.disarmed]
  }

  knowsTask(upid: string): boolean {
    return this.#state.tasks.has(upid)
  }

  async disarm(upids: readonly string[]): Promise<void> {
    const news = upids.filter((upid) => !this.#state.disarmed.has(upid))
    if (news.length > 0) await this.#append({type: 'disarmed', upids: news})
  }

  async rearm(upids: readonly string[]): Promise<void> {
    const held = upids.filter((upid) => this.#state.disarmed.has(upid))
    if (held.length > 0) await this.#append({type: 'rearmed', upids: held})
  }

  rotate(): Promise<void> {
    return this.#log.rotate()
  }

  async compact({olderThanMs, rotate = false}: CompactOptions): Promise<Compaction> {
    if (rotate) await this.#log.rotate()
    return this.#log.exclusively(() =>
      compactLog(this.#place, this.#log.header, this.#clock.now() - olderThanMs),
    )
  }

  close(): Promise<void> {
    return this.#log.close()
  }

  #append(entry: JournalEntry): Promise<void> {
    return this.#log.append({at: this.#clock.now(), ...entry})
  }

  #judgeStart(intent: Intent, claims: readonly string[]): Objection | undefined {
    if (this.#state.findRecent(intent.op))
      return {code: 'unexpected', message: `${intent.op} was started before`}
    for (const claim of claims) {
      const other = this.#claims.get(claim)
      if (other !== undefined)
        return {
          code: codeOf(claim),
          message: `${other}, with the same ${claim}, is being started at this moment`,
        }
    }
    return judgeEntry(this.#state, {type: 'started', intent})
  }

  /** Entries of one operation reach the disk one after the other, each judged on what the one before made of it. */
  #follow(entry: JournalEntry, op: string): Promise<void> {
    const before = this.#writing.get(op)
    const work = before ? before.then(ignore, ignore).then(() => this.#judged(entry)) : this.#judged(entry)
    this.#writing.set(op, work)
    const forget = (): void => {
      if (this.#writing.get(op) === work) this.#writing.delete(op)
    }
    work.then(forget, forget)
    return work
  }

  #judged(entry: JournalEntry): Promise<void> {
    const objection = judgeEntry(this.#state, entry)
    return objection ? Promise.reject(refusal(objection)) : this.#append(entry)
  }
}

function claimsOf(intent: Intent): readonly string[] {
  const {op, key} = intent
  return [
    `operation ${op}`,
    ...(key === undefined ? [] : [`key ${key}`]),
    ...involvedVmids(intent).map((vmid) => `guest ${vmid}`),
  ]
}

function codeOf(claim: string): Objection['code'] {
  if (claim.startsWith('guest ')) return 'guest_frozen'
  return claim.startsWith('key ') ? 'key_used' : 'unexpected'
}

const ignore = (): void => undefined

const HINTS: Partial<Record<Objection['code'], string>> = {
  guest_frozen: 'Settle it first: felhom recover, or felhom journal resolve.',
  key_used: 'What is signed runs once; a new run needs a new signature.',
}

function refusal({code, message}: Objection): FelhomError {
  const hint = HINTS[code]
  return new FelhomError(code, message, {doubt: 'Nothing was sent.', ...(hint !== undefined && {hint})})
}
