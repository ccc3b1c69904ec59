// Maintenance windows on the clock of their own time zones. A window is open from each moment of its cron pattern for
// its duration; several may overlap, and daylight saving is croner's to know.
import {Cron} from 'croner'
import {FelhomError} from '../../model/felhom-error.ts'
import type {MaintenanceWindow} from '../../settings/settings.ts'

export interface WindowState {
  readonly isOpen: boolean
  /** When that may change; undefined: never, as far as can be told. */
  readonly untilMs: number | undefined
}

export class Windows {
  readonly #windows: readonly {readonly cron: Cron; readonly durationMs: number}[]
  /** Finding the next moment of a pattern takes a while, and every action asks. */
  #known: (WindowState & {readonly sinceMs: number}) | undefined

  /** Throws settings_invalid for a pattern that means nothing. */
  constructor(windows: readonly MaintenanceWindow[]) {
    this.#windows = windows.map(({cron, timezone, durationMs}) => ({cron: parse(cron, timezone), durationMs}))
  }

  /** Without any window it is always open. */
  at(nowMs: number): WindowState {
    const known = this.#known
    if (known && nowMs >= known.sinceMs && nowMs < (known.untilMs ?? Infinity)) return known
    const state = this.#find(nowMs)
    this.#known = {...state, sinceMs: nowMs}
    return state
  }

  #find(nowMs: number): WindowState {
    if (this.#windows.length === 0) return {isOpen: true, untilMs: undefined}
    const open = this.#windows.flatMap(({cron, durationMs}) => {
      // The first moment after that is the oldest whose window can still be open.
      const startMs = cron.nextRun(new Date(nowMs - durationMs))?.getTime()
      return startMs !== undefined && startMs <= nowMs ? [startMs + durationMs] : []
    })
    if (open.length > 0) return {isOpen: true, untilMs: Math.max(...open)}
    const starts = this.#windows.flatMap(({cron}) => cron.nextRun(new Date(nowMs))?.getTime() ?? [])
    return {isOpen: false, untilMs: starts.length === 0 ? undefined : Math.min(...starts)}
  }
}

function parse(pattern: string, timezone: string): Cron {
  try {
    return new Cron(pattern, {timezone, paused: true})
  } catch (error) {
    throw new FelhomError(
      'settings_invalid',
      `daemon.windows: ${JSON.stringify(pattern)} is no cron pattern: ${(error as Error).message}`,
      {hint: 'Write it as minute, hour, day, month, weekday: "0 2 * * *".', doubt: 'Nothing was done.'},
    )
  }
}
