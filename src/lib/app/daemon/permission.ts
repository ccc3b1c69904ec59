// What the daemon may do at a moment, and why not the rest. The same answer blocks an action in the plan and, once
// more, at the gate when it is about to begin: a window may have closed in between.
import type {Permission} from '../../model/daemon.ts'
import type {GateClass, Impact, PlannedAction} from '../../model/plan.ts'
import type {Settings} from '../../settings/settings.ts'
import {Windows} from './windows.ts'

/** The same for every guest. */
type WithholdByHour = (
  action: Pick<PlannedAction, 'type' | 'impact'>,
  gateClass: GateClass,
) => string | undefined

const ORDER: readonly Permission[] = ['observe', 'live', 'benign', 'full']
const UNDISTURBING: readonly Impact[] = ['none', 'live']

export class Permissions {
  readonly #daemon: Settings['daemon']
  readonly #windows: Windows

  constructor(daemon: Settings['daemon']) {
    this.#daemon = daemon
    this.#windows = new Windows(daemon.windows)
  }

  at(nowMs: number): Permission {
    const {mode, outside} = this.#daemon
    return this.#windows.at(nowMs).isOpen ? mode : lesser(mode, outside)
  }

  withholdAt(nowMs: number): WithholdByHour {
    const permission = this.at(nowMs)
    if (permission === 'full') return () => undefined
    const why = this.#explain(permission, nowMs)
    return ({impact}, gateClass) => {
      if (permission === 'observe' || gateClass === 'destructive') return why
      return permission === 'live' && !UNDISTURBING.includes(impact) ? why : undefined
    }
  }

  #explain(permission: Permission, nowMs: number): string {
    const {mode} = this.#daemon
    if (permission === mode) return WHY[mode]
    const {untilMs} = this.#windows.at(nowMs)
    const next = untilMs === undefined ? '' : `; the next begins ${new Date(untilMs).toISOString()}`
    return `outside of the maintenance windows ${OUTSIDE[permission]}${next}`
  }
}

const lesser = (a: Permission, b: Permission): Permission => (ORDER.indexOf(a) < ORDER.indexOf(b) ? a : b)

const WHY: Readonly<Record<Permission, string>> = {
  observe: 'the daemon only observes (daemon.mode)',
  live: 'the daemon interrupts nothing',
  benign: 'the daemon does nothing that can lose data (daemon.mode)',
  full: 'the daemon does all that is signed for',
}

const OUTSIDE: Readonly<Record<Permission, string>> = {
  observe: 'the daemon only observes',
  live: 'only what interrupts nothing is done',
  benign: 'nothing that can lose data is done',
  full: 'all is done',
}
