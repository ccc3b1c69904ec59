import {expect} from 'chai'
import {makeMetrics, MOST_DRIFTING, type Metrics} from '../../../../../src/lib/app/daemon/tell/metrics.ts'
import {PROCESS_METRICS} from '../../../../../src/lib/app/daemon/tell/measure-process.ts'
import {METRICS} from '../../../../../src/lib/app/daemon/tell/metric-table.ts'
import type {PassReport} from '../../../../../src/lib/model/daemon.ts'
import type {RunEvent} from '../../../../../src/lib/model/run-event.ts'
import {actionResult, plannedAction, setOptions} from '../../../../support/action-result.ts'
import {intentOf, openOf, operationOf} from '../../../../support/operations.ts'
import {indexSamples, parseExposition, type Sample} from '../../../../support/parse-exposition.ts'
import {failedPass, guestPlan, PASS_MS, passReport, planOf} from '../../../../support/pass-report.ts'

const HOUR_MS = 3_600_000

describe('metrics', () => {
  let metrics: Metrics
  let nowMs: number
  beforeEach(async () => {
    nowMs = PASS_MS + HOUR_MS
    metrics = await makeMetrics({version: '1.2.3', nowMs: () => nowMs})
  })

  const end = (report: PassReport): void => {
    metrics.note({type: 'pass_ended', atMs: report.endedMs, report})
  }
  /** Without the parser, which is a process of its own. */
  const samples = async (): Promise<Map<string, number>> => {
    const families = await metrics.registry.getMetricsAsJSON()
    const values = families.flatMap(({name, values}) =>
      values.map((each) => ({name, ...each, ...('metricName' in each && {name: String(each.metricName)})})),
    )
    return indexSamples(values as Sample[])
  }

  it('are understood by the parser of Prometheus, each with its kind and its help', async () => {
    end(passReport(1))
    const families = new Map(
      parseExposition(await metrics.registry.metrics()).map((each) => [each.name, each]),
    )
    for (const {name, kind, help} of Object.values(METRICS)) {
      // The parser takes the suffix of a counter off.
      const family = families.get(name.replace(/_total$/, ''))
      expect(family, name).to.include({type: kind, help})
      families.delete(family?.name ?? '')
    }
    const rest = Object.keys(PROCESS_METRICS).map((name) => name.replace(/_total$/, ''))
    expect([...families.keys()].sort()).to.deep.equal(rest.sort())
  })

  it('have names and units as Prometheus wants them', () => {
    for (const {name, kind} of Object.values(METRICS)) {
      expect(name).to.match(/^felhom_[a-z_]+$/)
      expect(name.endsWith('_total'), name).to.equal(kind === 'counter')
      if (kind === 'histogram') expect(name).to.match(/_seconds$/)
    }
  })

  it('say nothing of what is not known yet', async () => {
    const known = await samples()
    expect(known.get('felhom_build_info{node="' + process.version + '",version="1.2.3"}')).to.equal(1)
    for (const name of [METRICS.lastPass, METRICS.lastGoodPass, METRICS.trustExpiry, METRICS.sourceAge])
      expect(known.has(name.name), name.name).to.equal(false)
  })

  it('tell a pass that was told to end from one that failed', async () => {
    end(failedPass(1))
    end(failedPass(2, {problem: {code: 'interrupted', message: 'told to end by SIGTERM'}}))
    const known = await samples()
    expect(known.get('felhom_passes_total{result="failed"}')).to.equal(1)
    expect(known.get('felhom_passes_total{result="interrupted"}')).to.equal(1)
    expect(known.get('felhom_passes_total{result="ok"}') ?? 0).to.equal(0)
  })

  it('tell how the last pass left the cluster', async () => {
    const destroy = plannedAction(
      {type: 'destroy', volumes: []},
      {class: 'destructive', blockers: [{code: 'needs_signature', message: '0 of 1'}]},
    )
    const problem = {code: 'x', severity: 'error' as const, message: 'rootfs cannot shrink'}
    end(
      passReport(1, {
        plan: planOf(guestPlan(101, setOptions('memory')), guestPlan(102, destroy), {
          ...guestPlan(103),
          problems: [problem],
        }),
        results: [
          actionResult(101, setOptions('memory'), 'succeeded'),
          actionResult(102, destroy, 'blocked'),
        ],
        open: [
          operationOf(intentOf(1, {type: 'start'}), {state: 'quarantined'}),
          openOf(intentOf(2, {type: 'start'}), 'started'),
        ],
        suspensions: [
          {vmid: 'all', sinceMs: 0, by: 'a@b'},
          {vmid: 101, sinceMs: 0, by: 'a@b'},
        ],
        backOffs: [{guest: {kind: 'lxc', vmid: 101}, failures: 1, untilMs: nowMs}],
        disarmed: ['UPID:x'],
        trust: {version: 1, expiresMs: PASS_MS},
      }),
    )
    const expected: Record<string, number> = {
      'felhom_passes_total{result="ok"}': 1,
      felhom_pass_duration_seconds_count: 1,
      felhom_pass_duration_seconds_sum: 1.5,
      felhom_last_pass_timestamp_seconds: PASS_MS / 1000 + 1.5,
      felhom_last_good_pass_timestamp_seconds: PASS_MS / 1000 + 1.5,
      'felhom_guests{state="managed"}': 13,
      'felhom_guests{state="unchanged"}': 10,
      'felhom_guests{state="unmanaged"}': 2,
      'felhom_guests{state="drifted"}': 1,
      'felhom_drift_actions{class="destructive",guest="lxc/102"}': 1,
      'felhom_plan_problems{severity="error"}': 1,
      felhom_in_flight: 1,
      felhom_quarantined: 1,
      felhom_disarmed: 1,
      felhom_pending_signatures: 1,
      'felhom_suspended{scope="all"}': 1,
      'felhom_suspended{scope="guests"}': 1,
      felhom_backing_off: 1,
      'felhom_source_state{state="fresh"}': 1,
      'felhom_source_state{state="away"}': 0,
      felhom_source_age_seconds: 3600,
      felhom_trust_expiry_timestamp_seconds: PASS_MS / 1000,
      'felhom_mode{mode="benign"}': 1,
      'felhom_mode{mode="full"}': 0,
      'felhom_permission{permission="benign"}': 1,
    }
    const families = parseExposition(await metrics.registry.metrics())
    const read = indexSamples(families.flatMap((family) => family.samples))
    const actual = Object.fromEntries(Object.keys(expected).map((key) => [key, read.get(key)]))
    expect(actual).to.deep.equal(expected)
    expect([...read.keys()].filter((key) => key.includes('lxc/101'))).to.deep.equal([])
  })

  it('keep what a failed pass says nothing about, and let go of what is over', async () => {
    const action = {...setOptions('memory'), blockers: [{code: 'withheld' as const, message: 'no'}]}
    const results = [actionResult(101, action, 'blocked')]
    const backOffs = [{guest: {kind: 'lxc', vmid: 102}, failures: 1, untilMs: PASS_MS, pauseMs: 1}] as const
    const trust = {version: 1, expiresMs: PASS_MS}
    end(passReport(1, {plan: planOf(guestPlan(101, action)), results, backOffs, trust}))
    end(failedPass(2))
    const drift = 'felhom_drift_actions{class="benign",guest="lxc/101"}'
    const kept = await samples()
    expect(kept.get(drift)).to.equal(1)
    expect(kept.get('felhom_backing_off')).to.equal(1)
    expect(kept.get('felhom_source_age_seconds')).to.equal(3600)
    expect(kept.get('felhom_passes_total{result="failed"}')).to.equal(1)
    expect(kept.get('felhom_last_good_pass_timestamp_seconds')).to.equal(PASS_MS / 1000 + 1.5)
    end(passReport(3))
    const gone = await samples()
    expect(gone.has(drift)).to.equal(false)
    expect(gone.get('felhom_backing_off')).to.equal(0)
    expect(gone.has('felhom_trust_expiry_timestamp_seconds')).to.equal(false)
  })

  it('name no more guests than a thousand, and count them all', async () => {
    const action = {...setOptions('memory'), blockers: [{code: 'withheld' as const, message: 'no'}]}
    end(passReport(1, {plan: planOf(...Array.from({length: 1200}, (_, i) => guestPlan(100 + i, action)))}))
    const read = await samples()
    expect([...read.keys()].filter((key) => key.startsWith('felhom_drift_actions'))).to.have.length(
      MOST_DRIFTING,
    )
    expect(read.get('felhom_guests{state="drifted"}')).to.equal(1200)
  })

  it('follow what is done and in flight while a pass is made', async () => {
    const run = (event: Partial<RunEvent>): void => {
      metrics.note({type: 'run', atMs: 0, event: {atMs: 0, run: 'r', ...event} as RunEvent})
    }
    const guest = {kind: 'lxc' as const, vmid: 101}
    run({type: 'action_started', guest, node: 'n', name: undefined, action: 'start', op: 'r.1'})
    run({type: 'action_started', guest, node: 'n', name: undefined, action: 'start', op: 'r.2'})
    expect((await samples()).get('felhom_in_flight')).to.equal(2)
    const action = plannedAction({type: 'start'})
    run({type: 'action_ended', result: actionResult(101, action, 'succeeded', {op: 'r.1'})})
    run({type: 'action_ended', result: actionResult(101, action, 'in_flight', {op: 'r.2'})})
    run({type: 'action_ended', result: actionResult(102, action, 'blocked')})
    const read = await samples()
    expect(read.get('felhom_in_flight')).to.equal(1)
    expect(read.get('felhom_actions_total{kind="start",outcome="succeeded"}')).to.equal(1)
    expect(read.get('felhom_actions_total{kind="start",outcome="in_flight"}')).to.equal(1)
    expect(read.has('felhom_actions_total{kind="start",outcome="blocked"}')).to.equal(false)
    end(passReport(1))
    expect((await samples()).get('felhom_in_flight')).to.equal(0)
  })

  it('count requests by route, and syncs', async () => {
    const route = '/nodes/{node}/lxc/{vmid}/config'
    metrics.observeRequest({method: 'GET', route, status: 200, ms: 30})
    metrics.observeRequest({method: 'GET', route, errorCode: 'timeout', ms: 40_000})
    metrics.observeSync(4)
    metrics.countWebhook('delivered')
    const read = await samples()
    expect(read.get(`felhom_api_request_seconds_count{method="GET",route="${route}"}`)).to.equal(2)
    expect(read.get(`felhom_api_request_seconds_bucket{le="0.05",method="GET",route="${route}"}`)).to.equal(1)
    expect(read.get('felhom_api_errors_total{code="timeout"}')).to.equal(1)
    expect(read.get('felhom_journal_sync_seconds_bucket{le="0.005"}')).to.equal(1)
    expect(read.get('felhom_webhook_alerts_total{result="delivered"}')).to.equal(1)
  })

  it('measure the process', async () => {
    const read = await samples()
    expect(read.get('process_resident_memory_bytes')).to.be.greaterThan(10e6)
    expect(read.get('process_open_fds')).to.be.greaterThan(2)
    expect(read.get('process_cpu_seconds_total')).to.be.greaterThan(0)
    expect(read.get('nodejs_eventloop_lag_seconds')).to.be.at.least(0)
  })

  it('stand in no registry but their own', async () => {
    const {register} = await import('prom-client')
    expect(await register.metrics()).not.to.contain('felhom')
    const second = await makeMetrics({version: '1', nowMs: () => 0})
    expect(second.registry).not.to.equal(metrics.registry)
  })
})
