// A line of the daemon's log for somebody who watches a terminal: `06:00:01  info   lxc/101 web-1: started`.
import type {LogLevel, LogLine} from './daemon-log.ts'
import {escapeText} from './escape-text.ts'
import type {Palette} from './palette.ts'
import {wrapText} from './text-table.ts'

const TIME_AND_LEVEL = '00:00:00  error  '
const NARROWEST = 20

const two = (value: number): string => String(value).padStart(2, '0')

/** In the time zone of the terminal. */
export function renderLogLine(
  atMs: number,
  {level, msg}: Pick<LogLine, 'level' | 'msg'>,
  {palette, width}: {readonly palette: Palette; readonly width: number},
): string {
  const at = new Date(atMs)
  const time = [at.getHours(), at.getMinutes(), at.getSeconds()].map(two).join(':')
  const room = Math.max(NARROWEST, width - TIME_AND_LEVEL.length)
  const [first = '', ...more] = wrapText(escapeText(msg), room).split('\n')
  const indent = ' '.repeat(TIME_AND_LEVEL.length)
  const head = `${palette.dim(time)}  ${paintLevel(level, palette)}  ${first}`
  return [head, ...more.map((text) => indent + text)].join('\n')
}

function paintLevel(level: LogLevel, palette: Palette): string {
  const paints = {debug: palette.dim, info: palette.good, warn: palette.warn, error: palette.bad}
  return paints[level](level) + ' '.repeat(5 - level.length)
}
