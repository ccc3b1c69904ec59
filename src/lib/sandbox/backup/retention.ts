// Which of a guest's backups a retention keeps: the last few, and the newest of so many hours, days, weeks, months
// and years that no rule before it has kept already.
import {parsePropertyString} from '../schema/property-string.ts'

/** `keep-last`, `keep-daily`, … → how many; `keep-all` overrules them. */
export type Retention = Record<string, number>

export type Mark = 'keep' | 'remove' | 'protected' | 'renamed'

export interface Marked {
  /** Epoch seconds. */
  ctime: number
  mark?: Mark
}

export function parseRetention(text: string): Retention {
  const parts = Object.entries(parsePropertyString('prune-backups', text))
  return Object.fromEntries(parts.map(([rule, value]) => [rule, Number(value)]))
}

/** Whether nothing is ever removed. */
export function keepsAll(keep: Retention): boolean {
  return keep['keep-all'] === 1 || !Object.values(keep).some((count) => count > 0)
}

/** Marks the backups of one guest; what is marked already, as protected ones are, stays so and does not count. */
export function markBackups(backups: readonly Marked[], keep: Retention): void {
  if (keepsAll(keep)) {
    for (const backup of backups) backup.mark ??= 'keep'
    return
  }
  const newestFirst = [...backups].sort((a, b) => b.ctime - a.ctime)
  for (const [rule, periodOf] of RULES) markByPeriod(newestFirst, keep[rule] ?? 0, periodOf)
  for (const backup of newestFirst) backup.mark ??= 'remove'
}

type PeriodOf = (time: Date) => string

const day = (time: Date): string => time.toISOString().slice(0, 'yyyy-mm-dd'.length)

/** In the order in which they apply. */
const RULES: readonly [string, PeriodOf][] = [
  ['keep-last', (time) => String(time.getTime())],
  ['keep-hourly', (time) => time.toISOString().slice(0, 'yyyy-mm-ddThh'.length)],
  ['keep-daily', day],
  ['keep-weekly', isoWeek],
  ['keep-monthly', (time) => day(time).slice(0, 'yyyy-mm'.length)],
  ['keep-yearly', (time) => String(time.getUTCFullYear())],
]

const DAY_MS = 86_400_000

/** A week belongs to the year that has its Thursday. */
function isoWeek(time: Date): string {
  const weekday = (time.getUTCDay() + 6) % 7
  const thursday = new Date(time.getTime() + (3 - weekday) * DAY_MS)
  const year = thursday.getUTCFullYear()
  return `${String(year)}-${String(Math.floor((thursday.getTime() - Date.UTC(year, 0, 1)) / DAY_MS / 7))}`
}

function markByPeriod(newestFirst: readonly Marked[], count: number, periodOf: PeriodOf): void {
  if (count <= 0) return
  const period = (backup: Marked): string => periodOf(new Date(backup.ctime * 1000))
  const covered = new Set(newestFirst.filter((b) => b.mark === 'keep').map(period))
  const kept = new Set<string>()
  for (const backup of newestFirst) {
    const id = period(backup)
    if (backup.mark !== undefined || covered.has(id)) continue
    if (kept.has(id)) {
      backup.mark = 'remove'
    } else {
      if (kept.size >= count) return
      kept.add(id)
      backup.mark = 'keep'
    }
  }
}
