import {expect} from 'chai'
import {
  findAlerts,
  MOST_JOBS,
  MOST_OPEN,
  NOTHING_TOLD,
  type AlertMemory,
} from '../../../../../src/lib/app/daemon/tell/find-alerts.ts'
import type {JobResult, PassReport} from '../../../../../src/lib/model/daemon.ts'
import type {PlannedAction} from '../../../../../src/lib/model/plan.ts'
import {actionResult, plannedAction, setOptions} from '../../../../support/action-result.ts'
import {intentOf, operationOf} from '../../../../support/operations.ts'
import {
  failedPass,
  freshSource,
  guestPlan,
  PASS_MS,
  passReport,
  passWithoutPlan,
  planOf,
} from '../../../../support/pass-report.ts'

const OPTIONS = {staleAfterMs: 3_600_000, trustWarningMs: 14 * 86_400_000}
const DAY_MS = 86_400_000

const blocked = (action: PlannedAction, message = 'the daemon only observes'): PlannedAction => ({
  ...action,
  blockers: [{code: 'withheld', message}],
})

/** A pass in which these actions of guest 101 were planned and ended so. */
const passWith = (pass: number, ...ended: [PlannedAction, Parameters<typeof actionResult>[2], string?][]) =>
  passReport(pass, {
    plan: planOf(guestPlan(101, ...ended.map(([action]) => action))),
    results: ended.map(([action, outcome, detail]) =>
      actionResult(101, action, outcome, detail === undefined ? {} : {detail}),
    ),
  })

/** What each of the reports makes told: `began drift_found`. */
function replay(...reports: PassReport[]): string[][] {
  let memory: AlertMemory = NOTHING_TOLD
  return reports.map((report) => {
    const found = findAlerts(memory, report, OPTIONS)
    memory = found.memory
    return found.alerts.map(({state, kind}) => `${state} ${kind}`)
  })
}

const lastAlerts = (...reports: PassReport[]) => {
  let memory: AlertMemory = NOTHING_TOLD
  let alerts: ReturnType<typeof findAlerts>['alerts'] = []
  for (const report of reports) ({memory, alerts} = findAlerts(memory, report, OPTIONS))
  return {memory, alerts}
}

describe('alerts of a pass', () => {
  it('are none after a quiet pass', () => {
    expect(replay(passReport(1), passReport(2))).to.deep.equal([[], []])
  })

  describe('of a guest that is not seen', () => {
    const unseen = (code: string, ...actions: PlannedAction[]) =>
      passReport(2, {
        plan: planOf({
          ...guestPlan(101, ...actions),
          problems: [{code, severity: 'error', message: 'lxc/101 was not seen'}],
        }),
        results: actions.map((action) => actionResult(101, action, 'blocked')),
      })
    const unsigned = plannedAction(
      {type: 'destroy', volumes: [{option: 'rootfs', text: 'local-lvm:vm-101-disk-0'}]},
      {class: 'destructive', blockers: [{code: 'needs_signature', message: 'nobody has signed'}]},
    )

    for (const code of ['absence_unproved', 'node_offline', 'config_unknown'])
      it(`are neither over nor told again: ${code}`, () => {
        const failing = setOptions('memory')
        const waiting: PlannedAction = {
          ...failing,
          blockers: [{code: 'backing_off', message: 'it came to nothing once'}],
        }
        const passes: [PassReport, PassReport][] = [
          [passWith(1, [blocked(failing), 'blocked']), passWith(3, [blocked(failing), 'blocked'])],
          [passWith(1, [unsigned, 'refused']), passWith(3, [unsigned, 'blocked'])],
          [passWith(1, [failing, 'failed', 'no']), passWith(3, [waiting, 'blocked'])],
        ]
        for (const [before, after] of passes)
          expect(replay(before, unseen(code), after).slice(1)).to.deep.equal([[], []])
      })

    it('stay where the config alone is missing, though its destruction is planned without its volumes', () => {
      const blind = {...unsigned, volumes: []} as PlannedAction
      const replayed = replay(
        passWith(1, [unsigned, 'refused']),
        unseen('config_unknown', blind),
        passReport(3),
      )
      expect(replayed[0]).to.include('began signature_pending')
      expect(replayed[1]).to.deep.equal([])
      expect(replayed[2]).to.include('over signature_pending')
    })

    it('stay without a usable desired state, and are over where none is named any more', () => {
      const drifted = passWith(1, [blocked(setOptions('memory')), 'blocked'])
      const refused = {kind: 'git', place: 'git@example:guests', state: 'refused'} as const
      expect(replay(drifted, passWithoutPlan(2, {source: refused}))[1]).not.to.include('over drift_found')
      const none = {kind: 'none', place: '', state: 'fresh'} as const
      expect(replay(drifted, passWithoutPlan(2, {source: none}))[1]).to.deep.equal(['over drift_found'])
    })
  })

  describe('of drift', () => {
    const drift = blocked(setOptions('memory'))

    it('are told once while the same drift stays, and once when it is gone', () => {
      const pass = (n: number): PassReport => passWith(n, [drift, 'blocked'])
      expect(replay(pass(1), pass(2), pass(3), passReport(4), passReport(5))).to.deep.equal([
        ['began drift_found'],
        [],
        [],
        ['over drift_found'],
        [],
      ])
    })

    it('say which guest, what and why not', () => {
      const [alert] = lastAlerts(passWith(1, [drift, 'blocked'])).alerts
      expect(alert).to.deep.include({kind: 'drift_found', state: 'began', guest: {kind: 'lxc', vmid: 101}})
      expect(alert?.text).to.equal(
        'lxc/101 guest-101 differs from the desired state: change memory. Not done: the daemon only observes.',
      )
    })

    it('are another when the drift is another, whatever stands in its way', () => {
      const other = blocked(setOptions('memory', 'tags'))
      const sameForOtherReason = blocked(setOptions('memory'), 'outside of the windows')
      expect(
        replay(
          passWith(1, [drift, 'blocked']),
          passWith(2, [sameForOtherReason, 'blocked']),
          passWith(3, [other, 'blocked']),
        ),
      ).to.deep.equal([['began drift_found'], [], ['over drift_found', 'began drift_found']])
    })

    it('are not told of what the pass has put right', () => {
      expect(replay(passWith(1, [setOptions('memory'), 'succeeded']))).to.deep.equal([[]])
    })

    it('are the same when only a part was put right and the rest stays', () => {
      const first = passWith(1, [setOptions('tags'), 'succeeded'], [drift, 'blocked'])
      expect(replay(first, passWith(2, [drift, 'blocked']))).to.deep.equal([['began drift_found'], []])
    })

    for (const outcome of ['in_flight', 'stale', 'frozen', 'not_started'] as const) {
      it(`stand as they were while the outcome is ${outcome}`, () => {
        expect(
          replay(
            passWith(1, [setOptions('memory'), outcome]),
            passWith(2, [drift, 'blocked']),
            passWith(3, [drift, outcome]),
            passWith(4, [drift, 'blocked']),
          ),
        ).to.deep.equal([[], ['began drift_found'], [], []])
      })
    }

    it('stand as they were while no plan can be made', () => {
      expect(replay(passWith(1, [drift, 'blocked']), failedPass(2), passReport(3))).to.deep.equal([
        ['began drift_found'],
        ['began pass_failing'],
        ['over drift_found', 'over pass_failing'],
      ])
    })

    it('are over when nothing is desired any more', () => {
      const nothing = passWithoutPlan(2, {source: {kind: 'none', place: '', state: 'fresh'}})
      expect(replay(passWith(1, [drift, 'blocked']), nothing)).to.deep.equal([
        ['began drift_found'],
        ['over drift_found'],
      ])
    })
  })

  describe('of a failed action', () => {
    const action = setOptions('memory')
    const failed = (pass: number, detail: string): PassReport => passWith(pass, [action, 'failed', detail])
    const backingOff = (pass: number): PassReport => passWith(pass, [blocked(action), 'blocked'])
    const ofFailure = (told: string[][]): string[][] =>
      told.map((each) => each.filter((text) => text.endsWith('action_failed')))

    it('are told again only for another failure, and are over when it succeeds', () => {
      const told = replay(
        failed(1, 'no space'),
        backingOff(2),
        failed(3, 'no space'),
        failed(4, 'the storage is away'),
        passWith(5, [action, 'succeeded']),
      )
      expect(ofFailure(told)).to.deep.equal([
        ['began action_failed'],
        [],
        [],
        ['over action_failed', 'began action_failed'],
        ['over action_failed'],
      ])
    })

    it('are the same when only the task, the operation or a number in the text is another', () => {
      const text = (n: number): string =>
        `UPID:pve1:0000${n}:00:691BF0FF:vzstart:101:root@pam: failed after ${n} s, see 20261118T060311-ab1${n}.${n}`
      expect(ofFailure(replay(failed(1, text(1)), failed(2, text(2))))).to.deep.equal([
        ['began action_failed'],
        [],
      ])
    })

    it('are over when there is nothing left to be done', () => {
      expect(ofFailure(replay(failed(1, 'no space'), passReport(2)))[1]).to.deep.equal(['over action_failed'])
    })
  })

  it('tell of each action that waits for a signature', () => {
    const destroy = plannedAction(
      {type: 'destroy', volumes: []},
      {class: 'destructive', blockers: [{code: 'needs_signature', message: 'needs a signature (0/1)'}]},
    )
    const pass = (n: number): PassReport => passWith(n, [destroy, 'blocked'])
    expect(replay(pass(1), pass(2), passReport(3))).to.deep.equal([
      ['began drift_found', 'began signature_pending'],
      [],
      ['over drift_found', 'over signature_pending'],
    ])
  })

  it('tell of each operation in quarantine, and not that it is over while the journal was not read', () => {
    const quarantined = operationOf(intentOf(1, {type: 'start'}), {state: 'quarantined', reason: 'in doubt'})
    const {alerts} = lastAlerts(passReport(1, {open: [quarantined]}))
    expect(alerts[0]?.text).to.contain(
      'lxc/101 web-1 on pve1: start is in quarantine: in doubt. Operation 2026',
    )
    expect(replay(passReport(1, {open: [quarantined]}), failedPass(2), passReport(3))).to.deep.equal([
      ['began quarantine'],
      ['began pass_failing'],
      ['over quarantine', 'over pass_failing'],
    ])
    const running = operationOf(intentOf(1, {type: 'start'}), {state: 'started'})
    expect(replay(passReport(1, {open: [running]}))).to.deep.equal([[]])
  })

  describe('of the source', () => {
    const away = (pass: number, goodAtMs: number | undefined): PassReport =>
      passReport(pass, {
        source: {
          kind: 'git',
          place: 'git@example:guests',
          state: 'away',
          problem: 'no route to host',
          ...(goodAtMs !== undefined && {goodAtMs, revision: 'r1'}),
        },
      })

    it('wait until it is stale', () => {
      expect(replay(away(60, PASS_MS), away(61, PASS_MS), away(62, PASS_MS), passReport(63))).to.deep.equal([
        [],
        ['began source_stale'],
        [],
        ['over source_stale'],
      ])
    })

    it('wait as long for one that never was good', () => {
      expect(replay(away(1, undefined), away(61, undefined), away(62, undefined))).to.deep.equal([
        [],
        ['began source_stale'],
        [],
      ])
    })

    it('wait no longer because a clock was ahead when it was asked first', () => {
      expect(replay(away(500_000, undefined), away(1, undefined), away(62, undefined))[2]).to.deep.equal([
        'began source_stale',
      ])
    })

    it('do not come at once because a clock was behind for a pass', () => {
      const [, behind, right, late] = replay(
        ...[away(1, undefined), away(-1_000_000, undefined), away(3, undefined), away(62, undefined)],
      )
      expect([behind, right, late]).to.deep.equal([[], [], ['began source_stale']])
    })

    it('are not over because a pass failed before it was asked', () => {
      expect(replay(away(61, PASS_MS), failedPass(62))[1]).to.deep.equal(['began pass_failing'])
    })

    const refused = (pass: number, revision: string): PassReport =>
      passReport(pass, {
        source: {
          ...freshSource(pass),
          ...{state: 'refused', problem: 'it lost half of its guests', refusedRevision: revision},
        },
      })

    it('do not take a refused revision for gone because the source is away', () => {
      const gone = away(2, PASS_MS)
      expect(replay(refused(1, 'r2'), gone, refused(3, 'r2'), gone, passReport(5))).to.deep.equal([
        ['began source_refused'],
        [],
        [],
        [],
        ['over source_refused'],
      ])
    })

    it('tell of each revision that is refused', () => {
      expect(replay(refused(1, 'r2'), refused(2, 'r2'), refused(3, 'r3'), passReport(4))).to.deep.equal([
        ['began source_refused'],
        [],
        ['over source_refused', 'began source_refused'],
        ['over source_refused'],
      ])
    })
  })

  it('tell that the trust store is about to expire, until there is another version', () => {
    const pass = (n: number, version: number, days: number): PassReport =>
      passReport(n, {trust: {version, expiresMs: PASS_MS + days * DAY_MS}})
    expect(replay(pass(1, 3, 15), pass(2, 3, 13), pass(3, 3, 13), pass(4, 4, 90))).to.deep.equal([
      [],
      ['began trust_expiring'],
      [],
      ['over trust_expiring'],
    ])
    const {alerts} = lastAlerts(pass(1, 3, -1))
    expect(alerts[0]?.text).to.contain('has expired at 2026-11-17T06:00:00Z')
  })

  it('tell that passes fail, and that one has ended well again', () => {
    expect(replay(failedPass(1), failedPass(2), passReport(3))).to.deep.equal([
      ['began pass_failing'],
      [],
      ['over pass_failing'],
    ])
  })

  it('tell that the journal is disarmed, naming a few of its tasks', () => {
    const disarmed = Array.from({length: 7}, (_, i) => `UPID:${i}`)
    const {alerts} = lastAlerts(passReport(1, {disarmed}))
    expect(alerts[0]?.text).to.contain('7 tasks').and.contain('UPID:4 and 2 more')
    expect(replay(passReport(1, {disarmed}), failedPass(2), passReport(3))[2]).to.include('over disarmed')
  })

  describe('of signed jobs', () => {
    const job = (change: Partial<JobResult> = {}): JobResult => ({
      nonce: 'AAAAAAAAAAAAAAAAAAAAAA',
      op: 'snapshot.delete',
      guest: {kind: 'lxc', vmid: 101},
      outcome: 'succeeded',
      operation: 'r1.1',
      ...change,
    })
    const pass = (n: number, ...jobs: JobResult[]): PassReport => passReport(n, {jobs})

    it('are told once for each nonce', () => {
      const other = job({nonce: 'BBBBBBBBBBBBBBBBBBBBBA', outcome: 'failed', detail: 'no such snapshot'})
      expect(
        replay(pass(1, job()), pass(2, job({outcome: 'refused', refusal: 'replay'})), pass(3, other)),
      ).to.deep.equal([['began job_ended'], [], ['began job_ended']])
      expect(lastAlerts(pass(1, other)).alerts[0]?.text).to.equal(
        'The signed job snapshot.delete of lxc/101 has ended: failed: no such snapshot. Nonce BBBBBBBBBBBBBBBBBBBBBA.',
      )
    })

    it('wait until it has ended', () => {
      const waits = job({outcome: 'refused', refusal: 'withheld'})
      const flies = job({outcome: 'in_flight'})
      expect(replay(pass(1, waits), pass(2, flies), pass(3, job()))).to.deep.equal([
        [],
        [],
        ['began job_ended'],
      ])
    })

    it('are one for all that may be signed by nobody, however often their nonces change', () => {
      const {guest} = job()
      const forged = (n: number): JobResult[] => [
        {
          nonce: `A${n}`,
          op: 'snapshot.delete',
          ...(guest && {guest}),
          outcome: 'refused',
          refusal: 'expired',
        },
        {nonce: `B${n}`, op: 'snapshot.delete', ...(guest && {guest}), outcome: 'satisfied'},
      ]
      const [alert] = lastAlerts(pass(1, ...forged(1))).alerts
      expect(alert?.text).to.equal(
        'The source carries 2 jobs that nothing is done for (expired, satisfied): snapshot.delete A1, snapshot.delete B1.',
      )
      const {memory} = lastAlerts(pass(1, ...forged(1)), pass(2, ...forged(2)))
      expect(memory.jobs).to.deep.equal([])
      expect(replay(pass(1, ...forged(1)), pass(2, ...forged(2)), pass(3))).to.deep.equal([
        ['began job_ended'],
        [],
        ['over job_ended'],
      ])
    })

    it('are remembered up to a limit', () => {
      const many = Array.from({length: MOST_JOBS + 5}, (_, i) => job({nonce: `n${i}`}))
      expect(lastAlerts(pass(1, ...many)).memory.jobs).to.have.length(MOST_JOBS)
    })
  })

  it('are told later where too much is open already, and it is said how many', () => {
    const action = blocked(setOptions('memory'))
    const many = Array.from({length: MOST_OPEN + 3}, (_, i) => guestPlan(100 + i, action))
    const crowded = passReport(1, {plan: planOf(...many)})
    const found = findAlerts(NOTHING_TOLD, crowded, OPTIONS)
    expect(found.untold).to.equal(3)
    expect(Object.keys(found.memory.open)).to.have.length(MOST_OPEN)
    const later = findAlerts(found.memory, passReport(2, {plan: planOf(...many.slice(3))}), OPTIONS)
    expect(later.untold).to.equal(0)
    expect(later.alerts.filter(({state}) => state === 'began')).to.have.length(3)
  })
})
