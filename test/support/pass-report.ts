// Reports of passes made up for a test: a quiet pass unless something else is asked for.
import type {PassReport, SourceStanding} from '../../src/lib/model/daemon.ts'
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

export const freshSource = (pass: number): SourceStanding => ({
  ...{kind: 'git', place: 'git@example:guests', state: 'fresh', revision: 'r1'},
  goodAtMs: startOf(pass),
})

const startOf = (pass: number): number => PASS_MS + (pass - 1) * MINUTE_MS

export const passWithoutPlan = (pass: number, change: Partial<PassReport> = {}): PassReport => ({
  ...passWithoutSource(pass),
  source: freshSource(pass),
  ...change,
})

/** Not even the source was asked. */
export const failedPass = (pass: number, change: Partial<PassReport> = {}): PassReport => ({
  ...passWithoutSource(pass),
  problem: {code: 'unreachable', message: 'no way to pve1'},
  ...change,
})

function passWithoutSource(pass: number): PassReport {
  const startedMs = startOf(pass)
  return {
    pass,
    startedMs,
    endedMs: startedMs + 1500,
    mode: 'benign',
    permission: 'benign',
    results: [],
    jobs: [],
    open: [],
    disarmed: [],
    suspensions: [],
    backOffs: [],
  }
}
