// The writing end of a log. An append resolves when its record is on disk; those that come while a sync is under
// way share the next one. After the first failed sync nobody knows what is on disk: then nothing more is written.
import type {Disk, DiskFile} from '../disk.ts'
import {closeQuietly, createSegment, UncertainSegment} from './create-segment.ts'
import {sealLine} from './line.ts'
import type {LogHeader, LogKind, LogRecord} from './log-kind.ts'
import {failedError} from './log-problem.ts'
import {segmentName} from './segment-name.ts'
import {writeWhole} from './write-whole.ts'
import {FelhomError} from '../../model/felhom-error.ts'

export interface LogPlace {
  readonly disk: Disk
  /** Of the segments. */
  readonly dir: string
}

/** Where the last good record of a segment ends. */
export interface LogPosition {
  readonly header: LogHeader
  readonly file: DiskFile
  readonly bytes: number
  readonly seq: number
  readonly h: string
}

export interface AppendLogOptions<State> extends LogPlace {
  readonly kind: LogKind<State>
  readonly clock: {now(): number}
  readonly warn: (text: string) => void
  readonly segmentBytes: number
}

export type NewRecord = Readonly<Record<string, unknown>> & {readonly type: string; readonly at: number}

interface Append {
  readonly record: NewRecord
  readonly body: string
  readonly resolve: () => void
  readonly reject: (error: unknown) => void
}

type Job = Append | (() => Promise<void>)

/** After a segment could not be begun, how much is written to the old one before the next try. */
const RETRY_BYTES = 1024 * 1024
/** Appenders that were waiting for the last sync get this many turns to come back before the next begins. */
const TURNS = 16

export class AppendLog<State> {
  readonly state: State
  readonly #options: AppendLogOptions<State>
  #at: LogPosition
  #rotateAtBytes: number
  readonly #jobs: Job[] = []
  #isDraining = false
  #failure: FelhomError | undefined

  constructor(options: AppendLogOptions<State>, state: State, position: LogPosition, headBytes: number) {
    this.#options = options
    this.state = state
    this.#at = position
    this.#rotateAtBytes = this.#limit(headBytes)
  }

  get header(): LogHeader {
    return this.#at.header
  }

  /** Of the last line that is on disk: it seals all that is before it. */
  get head(): {readonly seq: number; readonly h: string} {
    const {seq, h} = this.#at
    return {seq, h}
  }

  append(record: NewRecord): Promise<void> {
    if (this.#failure) return Promise.reject(this.#refusal(this.#failure))
    const body = JSON.stringify(record)
    return new Promise((resolve, reject) => this.#enqueue({record, body, resolve, reject}))
  }

  /** Begins a new segment; what fails before it stands leaves the old one as it was. */
  rotate(identity: Readonly<Record<string, string>> = this.header.identity): Promise<void> {
    return this.exclusively(() => this.#rotate(identity))
  }

  /** Runs `work` while nothing is being written. */
  exclusively<T>(work: () => Promise<T>): Promise<T> {
    if (this.#failure) return Promise.reject(this.#refusal(this.#failure))
    return new Promise((resolve, reject) =>
      this.#enqueue(async () => {
        if (this.#failure) reject(this.#refusal(this.#failure))
        else await work().then(resolve, reject)
      }),
    )
  }

  async close(): Promise<void> {
    await new Promise<void>((resolve) => {
      this.#enqueue(() => {
        resolve()
        return Promise.resolve()
      })
    })
    this.#failure ??= new FelhomError('journal_failed', 'the log was closed')
    await closeQuietly(this.#at.file)
  }

  #enqueue(job: Job): void {
    this.#jobs.push(job)
    if (!this.#isDraining) void this.#drain()
  }

  async #drain(): Promise<void> {
    this.#isDraining = true
    while (this.#jobs.length > 0) {
      for (let turn = 0; turn < TURNS; turn++) await Promise.resolve()
      const first = this.#jobs[0]
      if (typeof first === 'function') {
        this.#jobs.shift()
        await first()
      } else await this.#commitNext()
    }
    this.#isDraining = false
  }

  async #commitNext(): Promise<void> {
    const end = this.#jobs.findIndex((job) => typeof job === 'function')
    const batch = this.#jobs.splice(0, end < 0 ? this.#jobs.length : end) as Append[]
    try {
      if (this.#failure) throw this.#refusal(this.#failure)
      if (this.#at.bytes >= this.#rotateAtBytes) await this.#rotateIfPossible()
      const records = await this.#commit(batch)
      for (const record of records) this.#options.kind.apply(this.state, record)
    } catch (error) {
      for (const {reject} of batch) reject(error)
      return
    }
    for (const {resolve} of batch) resolve()
  }

  /** All of the batch is on disk, or none of it counts. */
  async #commit(batch: readonly Append[]): Promise<LogRecord[]> {
    const {file, bytes: offset} = this.#at
    let {seq, h} = this.#at
    const records: LogRecord[] = []
    let text = ''
    for (const {record, body} of batch) {
      const line = sealLine(h, ++seq, body)
      h = line.h
      text += line.text
      records.push({...record, seq})
    }
    const bytes = Buffer.from(text)
    try {
      writeWhole(file, bytes, offset)
    } catch (error) {
      await this.#takeBack(error)
      throw failedError('writing', this.#path(), error)
    }
    await this.#sync()
    this.#at = {...this.#at, bytes: offset + bytes.length, seq, h}
    return records
  }

  async #sync(): Promise<void> {
    try {
      await this.#at.file.datasync()
    } catch (error) {
      const failure = this.#poison(failedError('syncing', this.#path(), error))
      // The kernel takes for written what it could not write: whoever opens the log next would trust its cache, and
      // the next power loss would leave a hole there.
      await this.#at.file.truncate(this.#at.bytes).catch(() => undefined)
      throw failure
    }
  }

  /** Nothing of what failed may be found by whoever reads the log next. */
  async #takeBack(cause: unknown): Promise<void> {
    try {
      await this.#at.file.truncate(this.#at.bytes)
      await this.#at.file.datasync()
    } catch (error) {
      throw this.#poison(
        failedError(
          'taking back a failed write to',
          this.#path(),
          new AggregateError([cause, error], messageOf(error)),
        ),
      )
    }
  }

  async #rotateIfPossible(): Promise<void> {
    try {
      await this.#rotate(this.header.identity)
    } catch (error) {
      if (this.#failure) throw error
      this.#rotateAtBytes = this.#at.bytes + RETRY_BYTES
      this.#options.warn(`No new segment could be begun, the old one goes on: ${messageOf(error)}`)
    }
  }

  async #rotate(identity: Readonly<Record<string, string>>): Promise<void> {
    const {kind, clock} = this.#options
    const {header: old, seq, h, file} = this.#at
    const header = {...old, segment: old.segment + 1, prev: h, at: clock.now(), identity}
    kind.turn(this.state, old, header)
    try {
      const created = await createSegment(this.#options, header, seq + 1, kind.checkpoint(this.state))
      this.#at = {...created, header}
      this.#rotateAtBytes = this.#limit(created.bytes)
    } catch (error) {
      throw error instanceof UncertainSegment ? this.#poison(error) : error
    }
    await closeQuietly(file)
  }

  /** A checkpoint that fills a segment must not make every append begin another. */
  #limit(headBytes: number): number {
    return Math.max(this.#options.segmentBytes, headBytes * 2)
  }

  #path(): string {
    return segmentName(this.header.segment)
  }

  #poison(error: FelhomError): FelhomError {
    this.#failure = error
    return error
  }

  #refusal(failure: FelhomError): FelhomError {
    return new FelhomError('journal_failed', `nothing more is recorded since ${failure.message}`, {
      cause: failure,
      hint: failure.hint ?? '',
      doubt: 'Nothing was sent because of this record.',
    })
  }
}

const messageOf = (error: unknown): string => (error instanceof Error ? error.message : String(error))
