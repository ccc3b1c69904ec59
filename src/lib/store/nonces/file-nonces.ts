// The nonces on their log. What is asked is judged against what is on disk and against what is on its way there, so
// that of two who burn the same nonce at once only one is told yes.
import {FelhomError} from '../../model/felhom-error.ts'
import {compactLog} from '../log/compact-log.ts'
import type {LogPlace} from '../log/append-log.ts'
import type {LateLog} from '../log/late-log.ts'
import {judgeNonce, objectClaimed, objectForgotten, type Objection} from './judge-nonce.ts'
import type {NonceEntry, UsedNonce} from './nonce-record.ts'
import type {NonceState} from './nonce-state.ts'
import type {NonceMarks, NonceUse, OpenNonces} from './nonce-store.ts'

export class FileNonces implements OpenNonces {
  readonly #log: LateLog<NonceState>
  readonly #place: LogPlace
  readonly #clock: {now(): number}
  /** Nonces on their way to the disk. */
  readonly #claims = new Map<string, UsedNonce['state']>()
  /** A drop on its way to the disk: what ended before may not be used any more. */
  #droppingBeforeMs = 0
  /** The last change of a mark, or drop, on its way: these are judged one after the other. */
  #marking: Promise<unknown> = Promise.resolve()

  constructor(log: LateLog<NonceState>, place: LogPlace, clock: {now(): number}) {
    this.#log = log
    this.#place = place
    this.#clock = clock
  }

  get clockMarkMs(): number {
    return this.#state.clockMarkMs
  }

  get trustMark(): number {
    return this.#state.trustMark
  }

  get trustHash(): string | undefined {
    return this.#state.trustHash
  }

  get #state(): NonceState {
    return this.#log.state
  }

  state(nonce: string): 'fresh' | UsedNonce['state'] {
    return this.#state.find(nonce)?.state ?? this.#claims.get(nonce) ?? 'fresh'
  }

  find(nonce: string): UsedNonce | undefined {
    return this.#state.find(nonce)
  }

  burn(nonce: string, {statement, expMs}: NonceUse): Promise<void> {
    return this.#use({type: 'burned', nonce, statement, expMs})
  }

  reject(nonce: string, {statement, expMs, reason}: NonceUse & {readonly reason: string}): Promise<void> {
    return this.#use({type: 'rejected', nonce, statement, expMs, reason})
  }

  advance(marks: NonceMarks): Promise<void> {
    return this.#inTurn(async () => {
      const clockMs = forward(this.clockMarkMs, marks.clockMs)
      const trust = forward(this.trustMark, marks.trust)
      const {trustHash} = marks
      if (clockMs === undefined && trust === undefined) return
      await this.#append({
        type: 'mark',
        ...(clockMs !== undefined && {clockMs}),
        ...(trust !== undefined && {trust, ...(trustHash !== undefined && {trustHash})}),
      })
    })
  }

  resetClock(toMs: number, by = 'operator'): Promise<void> {
    return this.#inTurn(() => this.#append({type: 'clock_reset', clockMs: toMs, by}))
  }

  compact(): Promise<number> {
    return this.#inTurn(async () => {
      const log = this.#log.written
      if (!log) return 0
      const dropped = this.#state.countDroppable()
      if (dropped > 0) await this.#drop(this.#state.droppableBeforeMs)
      await log.rotate()
      await log.exclusively(() => compactLog(this.#place, log.header, Infinity))
      return dropped
    })
  }

  async close(): Promise<void> {
    await this.#marking
    await this.#log.close()
  }

  #drop(beforeMs: number): Promise<void> {
    this.#droppingBeforeMs = beforeMs
    return this.#append({type: 'dropped', beforeMs})
  }

  async #use(entry: NonceEntry & {type: 'burned' | 'rejected'}): Promise<void> {
    const {nonce, expMs} = entry
    const claimed = this.#claims.get(nonce)
    if (claimed !== undefined) throw refusal(objectClaimed(nonce, claimed))
    if (expMs < this.#droppingBeforeMs) throw refusal(objectForgotten(nonce))
    this.#claims.set(nonce, entry.type)
    try {
      await this.#append(entry)
    } finally {
      this.#claims.delete(nonce)
    }
  }

  async #append(entry: NonceEntry): Promise<void> {
    const objection = judgeNonce(this.#state, entry)
    if (objection) throw refusal(objection)
    await this.#log.append({at: this.#clock.now(), ...entry})
  }

  #inTurn<T>(work: () => Promise<T>): Promise<T> {
    const done = this.#marking.then(work)
    this.#marking = done.catch(() => undefined)
    return done
  }
}

/** undefined: it is there already, or further. */
function forward(mark: number, to: number | undefined): number | undefined {
  return to === undefined || to <= mark ? undefined : to
}

function refusal({code, message, hint}: Objection): FelhomError {
  return new FelhomError(code, message, {doubt: 'Nothing was sent.', ...(hint !== undefined && {hint})})
}
