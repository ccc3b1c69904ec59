import {expect} from 'chai'
import fc from 'fast-check'
import {
  findAlerts,
  NOTHING_TOLD,
  type AlertMemory,
} from '../../../../../src/lib/app/daemon/tell/find-alerts.ts'
import type {Alert, JobResult, PassReport, SourceStanding} from '../../../../../src/lib/model/daemon.ts'
import type {PlannedAction} from '../../../../../src/lib/model/plan.ts'
import type {ActionOutcome} from '../../../../../src/lib/model/run-event.ts'
import {actionResult, plannedAction, setOptions} from '../../../../support/action-result.ts'
import {intentOf, operationOf} from '../../../../support/operations.ts'
import {failedPass, guestPlan, PASS_MS, passReport, planOf} from '../../../../support/pass-report.ts'

const OPTIONS = {staleAfterMs: 5 * 60_000, trustWarningMs: 1000}
const BENIGN: readonly ActionOutcome[] = [
  ...(['succeeded', 'satisfied', 'failed', 'in_flight', 'blocked'] as const),
  ...(['stale', 'frozen', 'skipped', 'not_started'] as const),
]

const anyAction: fc.Arbitrary<PlannedAction> = fc.oneof(
  fc.subarray(['memory', 'tags', 'cores'], {minLength: 1}).map((options) => setOptions(...options)),
  fc.constant(plannedAction({type: 'start'})),
  fc.constant(
    plannedAction(
      {type: 'destroy', volumes: []},
      {class: 'destructive', blockers: [{code: 'needs_signature', message: '0 of 1 have signed'}]},
    ),
  ),
)

const anyGuest = fc.record({
  vmid: fc.integer({min: 101, max: 103}),
  ended: fc.array(
    fc.tuple(anyAction, fc.constantFrom(...BENIGN), fc.constantFrom('no space', 'busy', undefined)),
    {maxLength: 2},
  ),
})

const anySource: fc.Arbitrary<SourceStanding> = fc.record(
  {
    kind: fc.constant('git' as const),
    place: fc.constant('git@example'),
    state: fc.constantFrom('fresh' as const, 'away' as const, 'refused' as const),
    goodAtMs: fc.integer({min: PASS_MS - 600_000, max: PASS_MS}),
    refusedRevision: fc.constantFrom('r2', 'r3'),
    problem: fc.constantFrom('no route', 'it shrank'),
  },
  {requiredKeys: ['kind', 'place', 'state']},
)

const anyJob: fc.Arbitrary<JobResult> = fc.record({
  nonce: fc.constantFrom('n1', 'n2', 'n3'),
  op: fc.constant('snapshot.delete'),
  outcome: fc.constantFrom(...BENIGN, 'refused' as const),
  refusal: fc.constantFrom('withheld' as const, 'replay' as const, 'expired' as const),
})

const anyReport: fc.Arbitrary<(pass: number) => PassReport> = fc
  .record({
    fails: fc.constantFrom<'early' | 'late' | false>('early', 'late', false, false, false),
    guests: fc.uniqueArray(anyGuest, {maxLength: 3, selector: ({vmid}) => vmid}),
    source: anySource,
    jobs: fc.array(anyJob, {maxLength: 2}),
    quarantined: fc.subarray([1, 2]),
    disarmed: fc.boolean(),
    trust: fc.option(
      fc.record({version: fc.integer({min: 1, max: 2}), expiresMs: fc.constant(PASS_MS + 60_000)}),
      {
        nil: undefined,
      },
    ),
  })
  .map(({fails, guests, source, jobs, quarantined, disarmed, trust}) => (pass: number) => {
    const problem = {code: 'unreachable' as const, message: 'no way'}
    if (fails === 'early') return failedPass(pass)
    return passReport(pass, {
      plan: planOf(...guests.map(({vmid, ended}) => guestPlan(vmid, ...ended.map(([action]) => action)))),
      results: guests.flatMap(({vmid, ended}) =>
        ended.map(([action, outcome, detail]) =>
          actionResult(vmid, action, outcome, detail === undefined ? {} : {detail}),
        ),
      ),
      ...{source, jobs, disarmed: disarmed ? ['UPID:x'] : []},
      open: quarantined.map((n) => operationOf(intentOf(n, {type: 'start'}), {state: 'quarantined'})),
      ...(trust && {trust}),
      ...(fails === 'late' && {problem}),
    })
  })

const anyReports = fc.array(anyReport, {maxLength: 12}).map((makers) => makers.map((make, i) => make(i + 1)))

function replay(reports: readonly PassReport[]): {told: Alert[]; memory: AlertMemory} {
  let memory = NOTHING_TOLD
  const told: Alert[] = []
  for (const report of reports) {
    const found = findAlerts(memory, report, OPTIONS)
    // What is kept between two runs of the daemon goes through a file.
    memory = JSON.parse(JSON.stringify(found.memory)) as AlertMemory
    told.push(...found.alerts)
  }
  return {told, memory}
}

/** The latest word on each matter. */
const latest = (told: readonly Alert[]): Map<string, Alert['state']> =>
  new Map(told.map(({key, state}) => [key, state]))

describe('alerts of any sequence of passes', () => {
  it('never tell a beginning twice without an end between, nor an end without a beginning', () => {
    fc.assert(
      fc.property(anyReports, (reports) => {
        const open = new Set<string>()
        for (const {key, state} of replay(reports).told) {
          expect(open.has(key), `${state} ${key}`).to.equal(state === 'over')
          if (state === 'began') open.add(key)
          else open.delete(key)
        }
      }),
      {numRuns: 300},
    )
  })

  it('leave nothing open that the last pass has seen to be over', () => {
    fc.assert(
      fc.property(anyReports, (reports) => {
        const {told, memory} = replay([...reports, passReport(reports.length + 1)])
        expect(memory.open).to.deep.equal({})
        const stillOpen = [...latest(told)].filter(
          ([key, state]) => state === 'began' && !/^job_ended:n/.test(key),
        )
        expect(stillOpen).to.deep.equal([])
      }),
      {numRuns: 200},
    )
  })

  it('have told all that stands at the end of the last pass, and remember exactly what is open', () => {
    fc.assert(
      fc.property(anyReports, anyReport, (reports, make) => {
        const last = make(reports.length + 1)
        const {told, memory} = replay([...reports, last])
        const state = latest(told)
        const open = [...state].filter(([key, how]) => how === 'began' && !/^job_ended:n/.test(key))
        expect(Object.keys(memory.open).sort()).to.deep.equal(open.map(([key]) => key).sort())
        for (const {intent} of last.open) expect(state.get(`quarantine:${intent.op}`)).to.equal('began')
        expect(state.get('pass_failing') === 'began').to.equal(last.problem !== undefined)
        if (last.disarmed.length > 0) expect(state.get('disarmed')).to.equal('began')
        for (const {guest, outcome} of last.results) {
          const prefix = `action_failed:lxc/${guest.vmid}:`
          if (outcome === 'failed') expect(open.some(([key]) => key.startsWith(prefix))).to.equal(true)
        }
      }),
      {numRuns: 200},
    )
  })

  it('tell nothing more when the same passes are seen again', () => {
    fc.assert(
      fc.property(anyReport, (make) => {
        const {memory} = replay([make(1)])
        const again = findAlerts(memory, make(1), OPTIONS)
        expect(again.alerts).to.deep.equal([])
        expect(again.memory).to.deep.equal(memory)
      }),
      {numRuns: 200},
    )
  })
})
