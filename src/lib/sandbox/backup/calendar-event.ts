// When a calendar event comes next: `21:00`, `mon..fri 2:30`, `sat *-1..7 3:00`, `*/30`, `daily`. Times are UTC.

interface CalendarEvent {
  /** 0 is Sunday; absent: every day. */
  weekdays?: ReadonlySet<number>
  years: Values
  months: Values
  days: Values
  hours: Values
  minutes: Values
  seconds: Values
}

/** Whether a number is among those that a field names. */
type Values = (value: number) => boolean

const WEEKDAYS = ['sun', 'mon', 'tue', 'wed', 'thu', 'fri', 'sat']

const NAMED: Record<string, string> = {
  minutely: '*:*',
  hourly: '*:00',
  daily: '00:00',
  weekly: 'mon 00:00',
  monthly: '*-*-1 00:00',
  yearly: '*-1-1 00:00',
  annually: '*-1-1 00:00',
  quarterly: '*-1,4,7,10-1 00:00',
  semiannually: '*-1,7-1 00:00',
  'semi-annually': '*-1,7-1 00:00',
}

const DAY_MS = 86_400_000
const SEARCHED_DAYS = 4 * 366

/** Epoch seconds of the first time after `afterSeconds`, or undefined where there is none within years. */
export function nextEvent(text: string, afterSeconds: number): number | undefined {
  const event = parse(NAMED[text.trim().toLowerCase()] ?? text.trim().toLowerCase())
  const firstDay = Math.floor((afterSeconds * 1000) / DAY_MS)
  for (let day = firstDay; day < firstDay + SEARCHED_DAYS; day++) {
    const date = new Date(day * DAY_MS)
    if (!isOnDay(event, date)) continue
    const earliest = Math.max(0, afterSeconds + 1 - (day * DAY_MS) / 1000)
    const second = nextInDay(event, earliest)
    if (second !== undefined) return (day * DAY_MS) / 1000 + second
  }
  return undefined
}

function isOnDay(event: CalendarEvent, date: Date): boolean {
  if (event.weekdays && !event.weekdays.has(date.getUTCDay())) return false
  return (
    event.years(date.getUTCFullYear()) &&
    event.months(date.getUTCMonth() + 1) &&
    event.days(date.getUTCDate())
  )
}

/** The first second of a day, counted from `earliest`, that the event names. */
function nextInDay({hours, minutes, seconds}: CalendarEvent, earliest: number): number | undefined {
  for (let minute = Math.floor(earliest / 60); minute < 24 * 60; minute++) {
    if (!hours(Math.floor(minute / 60)) || !minutes(minute % 60)) continue
    for (let second = Math.max(earliest, minute * 60); second < (minute + 1) * 60; second++) {
      if (seconds(second % 60)) return second
    }
  }
  return undefined
}

function parse(text: string): CalendarEvent {
  const words = text.split(/\s+/)
  const weekdays = /^[a-z]/.test(words[0] ?? '') ? parseWeekdays(words.shift() ?? '') : undefined
  const date = words[0]?.includes('-') ? (words.shift() ?? '') : '*-*-*'
  const dateFields = date.split('-')
  const [day = '*', month = '*', year = '*'] = dateFields.reverse()
  const [hour, minute, second] = timeFields(words[0] ?? '00:00')
  return {
    ...(weekdays && {weekdays}),
    ...{years: parseField(year), months: parseField(month), days: parseField(day)},
    ...{hours: parseField(hour), minutes: parseField(minute), seconds: parseField(second)},
  }
}

/** A lone field are minutes. */
function timeFields(text: string): [string, string, string] {
  const fields = text.split(':')
  if (fields.length === 1) return ['*', fields[0] ?? '0', '0']
  return [fields[0] ?? '*', fields[1] ?? '0', fields[2] ?? '0']
}

function parseWeekdays(text: string): Set<number> {
  const days = new Set<number>()
  for (const part of text.split(',')) {
    const [first = '', last = first] = part.split('..')
    const [from, to] = [first, last].map((name) => WEEKDAYS.indexOf(name.slice(0, 3)))
    for (let day = from ?? 0; ; day = (day + 1) % 7) {
      days.add(day)
      if (day === to) break
    }
  }
  return days
}

/** `*`, `5`, `1..7`, `0/15`, and lists of these. */
function parseField(text: string): Values {
  const tests = text.split(',').map((part): Values => {
    const [range = '*', step] = part.split('/')
    const [first = '', last] = range.split('..')
    const from = first === '*' ? 0 : Number(first)
    const to = last !== undefined ? Number(last) : first === '*' || step !== undefined ? Infinity : from
    return (value) => value >= from && value <= to && (value - from) % Number(step ?? 1) === 0
  })
  return (value) => tests.some((test) => test(value))
}
