// Reports of passes made up for a test: a quiet pass unless something else is asked for.
import type {PassReport} from '../../src/lib/model/daemon.ts'
import type {GuestPlan, Plan, PlannedAction} from '../../src/lib/model/plan.ts'

/** 2026-11-18T06:00:00Z */
export const PASS_MS = Date.UTC(2026, 10, 18, 6)
const MINUTE_MS = 60_000

export const planOf = (...guests: GuestPlan[]): Plan => ({guests, unmanaged: 2, unchanged: 10, problems: []})

export const guestPlan = (vmid: number, ...actions: PlannedAction[]): GuestPlan => ({
  kind: 'lxc',
  vmid,
  name: `guest-${vmid}`,
  node: 'pve1',
  exists: true,
  run: 'running',
  liveDigest: 'd1',
  actions,
  unchangedOptions: 3,
  problems: [],
})

/** One a minute. */
export const passReport = (pass: number, change: Partial<PassReport> = {}): PassReport => ({
  ...passWithoutPlan(pass),
  plan: planOf(),
  ...change,
})

export function passWithoutPlan(pass: number, change: Partial<PassReport> = {}): PassReport {
  const startedMs = PASS_MS + (pass - 1) * MINUTE_MS
  return {
    pass,
    startedMs,
    endedMs: startedMs + 1500,
    mode: 'benign',
    permission: 'benign',
    source: {kind: 'git', place: 'git@example:guests', state: 'fresh', revision: 'r1', goodAtMs: startedMs},
    results: [],
    jobs: [],
    open: [],
    disarmed: [],
    suspensions: [],
    backOffs: [],
    ...change,
  }
}

/** Not even the source was asked. */
export const failedPass = (pass: number, change: Partial<PassReport> = {}): PassReport =>
  passWithoutPlan(pass, {
    source: {kind: 'none', place: '', state: 'away'},
    problem: {code: 'unreachable', message: 'no way to pve1'},
    ...change,
  })
