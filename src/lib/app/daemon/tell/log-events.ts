// The log of the daemon: JSON for journald and machines, plain lines for a terminal.
import type {DaemonEvent} from '../../../model/daemon.ts'
import {describeDaemonEvent, type LogLevel} from '../../../report/daemon-log.ts'
import {renderLogLine} from '../../../report/daemon-pretty.ts'
import {escapeJson} from '../../../report/json-text.ts'
import {makePalette, type Palette} from '../../../report/palette.ts'
import {LogFilter, type NamedLine} from './log-filter.ts'
import type {DaemonSink} from '../ports.ts'
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

type WriteLine = (event: DaemonEvent, line: NamedLine) => void

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
