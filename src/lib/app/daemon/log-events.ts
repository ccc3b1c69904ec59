// The log of the daemon: JSON for journald and machines, plain lines for a terminal. What says nothing new goes to
// the level debug, so that months of quiet passes are an hourly sign of life and no flood.
import type {DaemonEvent} from '../../model/daemon.ts'
import {describeDaemonEvent, type LogLevel, type LogLine} from '../../report/daemon-log.ts'
import {renderLogLine} from '../../report/daemon-pretty.ts'
import {showTime} from '../../report/journal-times.ts'
import {escapeJson} from '../../report/json-text.ts'
import {makePalette, type Palette} from '../../report/palette.ts'
import type {DaemonSink} from './ports.ts'
import type {Scrub} from './scrub-secrets.ts'

export interface LogOptions {
  /** Usually stderr. */
  readonly stream: NodeJS.WritableStream
  /** `json`: for journald and machines. `pretty`: for a terminal. */
  readonly format: 'json' | 'pretty'
  /** `info` unless told. */
  readonly level?: LogLevel
  /** Of `pretty`. */
  readonly palette?: Palette
  /** Cells of a line of `pretty`. */
  readonly width?: number
  /** The stream is journald's: each line begins with its priority, which journald takes off. */
  readonly isJournal?: boolean
}

export interface Log {
  readonly sink: DaemonSink
  close(): void
}

/** `scrub`: takes secrets out of a text. */
export async function makeLogSink(options: LogOptions, scrub: Scrub): Promise<Log> {
  const write = options.format === 'json' ? await writeJson(options, scrub) : writePretty(options, scrub)
  const filter = new LogFilter()
  // A log that cannot be written, to a terminal that is gone, is no reason to end.
  const ignore = (): void => undefined
  options.stream.on('error', ignore)
  return {
    sink: (event) => {
      for (const line of filter.pass(event, describeDaemonEvent(event))) write(event, line)
    },
    close: () => {
      options.stream.removeListener('error', ignore)
    },
  }
}

type WriteLine = (event: DaemonEvent, line: LogLine & {readonly event?: string}) => void

/** RFC 5424, as sd-daemon(3) has it. */
const PRIORITIES: Record<LogLevel, number> = {debug: 7, info: 6, warn: 4, error: 3}
const LEVELS: readonly LogLevel[] = ['debug', 'info', 'warn', 'error']

async function writeJson({stream, level = 'info', isJournal}: LogOptions, scrub: Scrub): Promise<WriteLine> {
  const {pino} = await import('pino')
  let current: {atMs: number; level: LogLevel} = {atMs: 0, level: 'info'}
  const destination = {
    write: (json: string) => {
      const prefix = isJournal === true ? `<${PRIORITIES[current.level]}>` : ''
      stream.write(prefix + escapeJson(scrub(json)))
    },
  }
  const logger = pino(
    {
      level,
      base: null,
      timestamp: () => `,"time":"${new Date(current.atMs).toISOString()}"`,
      formatters: {level: (label) => ({level: label})},
      redact: {paths: SECRET_FIELDS, censor: '***'},
    },
    destination,
  )
  return (told, {level: of, event = nameEvent(told), msg, fields}) => {
    current = {atMs: told.atMs, level: of}
    logger[of]({event, ...fields}, msg)
  }
}

/** What happens to an action is an event of its own. */
const nameEvent = (event: DaemonEvent): string => (event.type === 'run' ? event.event.type : event.type)

/** No event has such fields; should one ever have, its value stays here. */
const SECRET_FIELDS = ['token', 'secret', 'password', 'authorization'].flatMap((name) => [name, `*.${name}`])

function writePretty(options: LogOptions, scrub: Scrub): WriteLine {
  const {stream, level = 'info', palette = makePalette(false), width = 80} = options
  const least = LEVELS.indexOf(level)
  return ({atMs}, line) => {
    if (LEVELS.indexOf(line.level) < least) return
    stream.write(`${renderLogLine(atMs, {...line, msg: scrub(line.msg)}, {palette, width})}\n`)
  }
}

/** Of a single pass somebody wants to know how it went. */
const showAll = (line: LogLine): LogLine => (line.level === 'debug' ? {...line, level: 'info'} : line)

const countPasses = (count: number): string => `${count} ${count === 1 ? 'pass' : 'passes'}`

const HEARTBEAT_MS = 60 * 60 * 1000
const REPEAT_MS = 6 * HEARTBEAT_MS
const MOST_REMEMBERED = 1000

/** Knows what was said before. */
class LogFilter {
  readonly #saidMs = new Map<string, number>()
  #passes = 0
  #aliveMs: number | undefined
  #isSingle = false

  pass(event: DaemonEvent, lines: readonly LogLine[]): (LogLine & {readonly event?: string})[] {
    if (event.type === 'daemon_started') this.#isSingle = event.intervalMs === 0
    const heard = lines.map((line) => this.#soften(line, event.atMs))
    if (event.type !== 'pass_ended') return heard
    return this.#isSingle ? heard.map(showAll) : this.#beat(event.atMs, heard)
  }

  #soften(line: LogLine, nowMs: number): LogLine {
    if (line.repeats === undefined) return line
    const saidMs = this.#saidMs.get(line.repeats)
    if (saidMs !== undefined && nowMs - saidMs < REPEAT_MS) return {...line, level: 'debug'}
    this.#saidMs.delete(line.repeats)
    this.#saidMs.set(line.repeats, nowMs)
    const [oldest] = this.#saidMs.keys()
    if (this.#saidMs.size > MOST_REMEMBERED && oldest !== undefined) this.#saidMs.delete(oldest)
    return line
  }

  /** A sign of life where an hour went by without a line about a pass. */
  #beat(nowMs: number, lines: LogLine[]): (LogLine & {readonly event?: string})[] {
    const last = lines.at(-1)
    this.#passes += 1
    if (last === undefined) return lines
    // Of the first somebody who watches wants to know that it worked.
    if (this.#aliveMs === undefined) return this.#startOver(nowMs, lines.map(showAll))
    if (last.level !== 'debug') return this.#startOver(nowMs, lines)
    if (nowMs - this.#aliveMs < HEARTBEAT_MS) return lines
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
