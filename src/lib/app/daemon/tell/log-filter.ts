// What of the log says something new. What does not goes to the level debug, so that months of quiet passes are an
// hourly sign of life and no flood. It goes by the times of the events, and a clock that was set does not silence it.
import type {DaemonEvent} from '../../../model/daemon.ts'
import type {LogLine} from '../../../report/daemon-log.ts'
import {showTime} from '../../../report/journal-times.ts'

/** `event`: another name than its own. */
export type NamedLine = LogLine & {readonly event?: string}

const HEARTBEAT_MS = 60 * 60 * 1000
const REPEAT_MS = 6 * HEARTBEAT_MS
/** Besides what the last two passes said: that is remembered whole, or else it would be said anew in each. */
const MOST_REMEMBERED = 1000

interface Said {
  readonly atMs: number
  /** The pass in which it was heard last, at whatever level. */
  readonly pass: number
}

export class LogFilter {
  /** What was heard last is last. */
  readonly #said = new Map<string, Said>()
  #pass = 0
  /** Since the last sign of life. */
  #passes = 0
  #aliveMs: number | undefined
  #isSingle = false

  pass(event: DaemonEvent, lines: readonly LogLine[]): NamedLine[] {
    if (event.type === 'daemon_started') this.#isSingle = event.intervalMs === 0
    const heard = lines.map((line) => this.#soften(line, event.atMs))
    this.#forget()
    if (event.type !== 'pass_ended') return heard
    this.#pass += 1
    return this.#isSingle ? heard.map(showAll) : this.#beat(event.atMs, heard)
  }

  #soften(line: LogLine, nowMs: number): LogLine {
    if (line.repeats === undefined) return line
    const said = this.#said.get(line.repeats)
    const isNew = said === undefined || isOver(said.atMs, nowMs, REPEAT_MS)
    this.#said.delete(line.repeats)
    this.#said.set(line.repeats, {atMs: isNew ? nowMs : said.atMs, pass: this.#pass})
    return isNew ? line : {...line, level: 'debug'}
  }

  #forget(): void {
    for (const [key, {pass}] of this.#said) {
      if (this.#said.size <= MOST_REMEMBERED || pass >= this.#pass - 1) return
      this.#said.delete(key)
    }
  }

  /** A sign of life where an hour went by without a line about a pass. */
  #beat(nowMs: number, lines: LogLine[]): NamedLine[] {
    const last = lines.at(-1)
    this.#passes += 1
    if (last === undefined) return lines
    // Of the first somebody who watches wants to know that it worked.
    if (this.#aliveMs === undefined) return this.#startOver(nowMs, lines.map(showAll))
    if (last.level !== 'debug') return this.#startOver(nowMs, lines)
    if (!isOver(this.#aliveMs, nowMs, HEARTBEAT_MS)) return lines
    const msg = `alive: ${countPasses(this.#passes)} since ${showTime(this.#aliveMs)}; ${last.msg}`
    const beat = {
      level: 'info' as const,
      event: 'heartbeat',
      msg,
      fields: {...last.fields, passes: this.#passes},
    }
    return this.#startOver(nowMs, [...lines, beat])
  }

  #startOver<T>(nowMs: number, lines: T): T {
    this.#aliveMs = nowMs
    this.#passes = 0
    return lines
  }
}

/** What lies further ahead than that was said by a clock that was wrong. */
const isOver = (sinceMs: number, nowMs: number, ms: number): boolean => Math.abs(nowMs - sinceMs) >= ms

/** Of a single pass somebody wants to know how it went. */
const showAll = (line: LogLine): LogLine => (line.level === 'debug' ? {...line, level: 'info'} : line)

const countPasses = (count: number): string => `${count} ${count === 1 ? 'pass' : 'passes'}`
