// A log that is made only when something is to be written to it: whoever needs no gate leaves no empty logs behind.
// One that is there is opened, and checked, at once.
import type {AppendLog, NewRecord} from './append-log.ts'
import {NO_HASH} from './line.ts'
import {FORMAT} from './log-kind.ts'
import {openLog, type OpenLogOptions} from './open-log.ts'
import {segmentNumbers} from './segment-name.ts'
import {failedError} from './log-problem.ts'
import {FelhomError} from '../../model/felhom-error.ts'

export class LateLog<State> {
  readonly #options: OpenLogOptions<State>
  readonly #nothing: State
  #log: AppendLog<State> | undefined
  #opening: Promise<AppendLog<State>> | undefined
  #isClosed = false

  private constructor(options: OpenLogOptions<State>, log: AppendLog<State> | undefined) {
    const {kind, clock, identity} = options
    this.#options = options
    this.#log = log
    const {name} = kind
    const at = clock.now()
    this.#nothing = kind.begin({
      format: FORMAT,
      log: name,
      lineage: '',
      segment: 1,
      prev: NO_HASH,
      at,
      identity,
      aside: [],
    })
  }

  static async open<State>(options: OpenLogOptions<State>): Promise<LateLog<State>> {
    const {disk, dir} = options
    let numbers: readonly number[]
    try {
      numbers = segmentNumbers(await disk.list(dir))
    } catch (error) {
      throw error instanceof FelhomError ? error : failedError('opening', dir, error)
    }
    return new LateLog(options, numbers.length === 0 ? undefined : await openLog(options))
  }

  /** As it is on disk; not to be kept: the first record makes another. */
  get state(): State {
    return this.#log?.state ?? this.#nothing
  }

  /** Of the last line; zeros if there is none. */
  get head(): {readonly seq: number; readonly h: string} {
    return this.#log?.head ?? {seq: 0, h: NO_HASH}
  }

  /** undefined: nothing was ever written. */
  get written(): AppendLog<State> | undefined {
    return this.#log
  }

  async append(record: NewRecord): Promise<void> {
    const log = this.#log ?? (await this.#create())
    return log.append(record)
  }

  async close(): Promise<void> {
    this.#isClosed = true
    await this.#opening?.catch(() => undefined)
    await this.#log?.close()
  }

  /** A try that fails leaves nothing that the next one could not go on from. */
  #create(): Promise<AppendLog<State>> {
    if (this.#isClosed) return Promise.reject(new FelhomError('journal_failed', 'the log was closed'))
    this.#opening ??= openLog(this.#options).then(
      (log) => (this.#log = log),
      (error: unknown) => {
        this.#opening = undefined
        throw error
      },
    )
    return this.#opening
  }
}
