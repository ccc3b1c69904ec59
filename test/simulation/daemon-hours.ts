// The settings of a simulated day: modes and maintenance windows, and a second opinion on when a window is open, which
// asks the calendar of its time zone minute by minute instead of computing the next moment of a pattern.
import type {Permission} from '../../src/lib/model/daemon.ts'
import type {Settings} from '../../src/lib/settings/settings.ts'
import type {Random} from './random.ts'

export interface Hours {
  readonly cron: string
  readonly timezone: string
  readonly durationMs: number
  readonly minutes: readonly number[]
  /** Absent: every hour, every day. */
  readonly hour?: number
  readonly weekdays?: readonly string[]
}

const MINUTE_MS = 60_000
const WORKDAYS = ['Mon', 'Tue', 'Wed', 'Thu', 'Fri']

const SHORTEST: Hours = {
  cron: '*/5 * * * *',
  timezone: 'UTC',
  minutes: Array.from({length: 12}, (_, i) => i * 5),
  durationMs: 2 * MINUTE_MS,
}

const ALL_HOURS: readonly Hours[] = [
  SHORTEST,
  {cron: '30 1 * * *', timezone: 'Europe/Berlin', minutes: [30], hour: 1, durationMs: 180 * MINUTE_MS},
  {cron: '0 23 * * *', timezone: 'Europe/Berlin', minutes: [0], hour: 23, durationMs: 240 * MINUTE_MS},
  {
    cron: '0 12 * * 1-5',
    timezone: 'America/New_York',
    minutes: [0],
    hour: 12,
    weekdays: WORKDAYS,
    durationMs: 90 * MINUTE_MS,
  },
  {cron: '*/20 * * * *', timezone: 'Asia/Kolkata', minutes: [0, 20, 40], durationMs: 7 * MINUTE_MS},
]

export type Daemon = Settings['daemon']

export function drawDaemon(base: Daemon, random: Random): Daemon {
  const mode = random.pick(['full', 'full', 'full', 'benign', 'observe'] as const)
  const count = random.pick([0, 1, 1, 2])
  // The shortest most often: every window that closes is a chance to do something after it.
  const windows = Array.from({length: count}, () => (random.chance(0.4) ? SHORTEST : random.pick(ALL_HOURS)))
  return {
    ...base,
    mode,
    outside: random.pick(['observe', 'live', 'benign'] as const),
    windows: windows.map(({cron, timezone, durationMs}) => ({cron, timezone, durationMs})),
  }
}

/** Open for two minutes of five, and nothing is done in between. */
export const withShortHours = (base: Daemon): Daemon => {
  const {cron, timezone, durationMs} = SHORTEST
  return {...base, mode: 'full', outside: 'observe', windows: [{cron, timezone, durationMs}]}
}

const ORDER: readonly Permission[] = ['observe', 'live', 'benign', 'full']

/** The most that may be done at a moment, by the calendar. */
export function permissionAt({mode, outside, windows}: Daemon, nowMs: number): Permission {
  const isOpen = windows.length === 0 || windows.some((window) => isOpenAt(hoursOf(window), nowMs))
  return isOpen ? mode : (ORDER[Math.min(ORDER.indexOf(mode), ORDER.indexOf(outside))] ?? 'observe')
}

export const atLeast = (one: Permission, other: Permission): boolean =>
  ORDER.indexOf(one) >= ORDER.indexOf(other)

function hoursOf({cron, timezone}: Daemon['windows'][number]): Hours {
  const found = ALL_HOURS.find((hours) => hours.cron === cron && hours.timezone === timezone)
  if (!found) throw new Error(`nobody knows ${cron}`)
  return found
}

function isOpenAt(hours: Hours, nowMs: number): boolean {
  const firstMs = nowMs - (nowMs % MINUTE_MS)
  for (let ms = firstMs; nowMs - ms < hours.durationMs; ms -= MINUTE_MS) if (begins(hours, ms)) return true
  return false
}

const calendars = new Map<string, Intl.DateTimeFormat>()

function begins({timezone, minutes, hour, weekdays}: Hours, ms: number): boolean {
  let calendar = calendars.get(timezone)
  if (!calendar) {
    const parts = {weekday: 'short', hour: '2-digit', minute: '2-digit', hourCycle: 'h23'} as const
    calendar = new Intl.DateTimeFormat('en-GB', {timeZone: timezone, ...parts})
    calendars.set(timezone, calendar)
  }
  const [, weekday = '', hours = '', minute = ''] = /(\w{3})\D+(\d\d):(\d\d)/.exec(calendar.format(ms)) ?? []
  if (!minutes.includes(Number(minute))) return false
  return (hour === undefined || Number(hours) === hour) && (weekdays?.includes(weekday) ?? true)
}
