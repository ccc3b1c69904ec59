import {readFileSync} from 'node:fs'
import {expect} from 'chai'
import {parse} from 'yaml'
import {describeJob, describeStatus} from '../../../../../src/lib/app/daemon/tell/describe-status.ts'
import {findAlerts, NOTHING_TOLD} from '../../../../../src/lib/app/daemon/tell/find-alerts.ts'
import {PROCESS_METRICS} from '../../../../../src/lib/app/daemon/tell/measure-process.ts'
import {METRICS, type MetricRow} from '../../../../../src/lib/app/daemon/tell/metric-table.ts'
import {ALERT_KINDS, type DaemonEvent, type PassReport} from '../../../../../src/lib/model/daemon.ts'
import type {RunEvent} from '../../../../../src/lib/model/run-event.ts'
import {describeDaemonEvent} from '../../../../../src/lib/report/daemon-log.ts'
import {actionResult, plannedAction, setOptions} from '../../../../support/action-result.ts'
import {intentOf, openOf, UPID} from '../../../../support/operations.ts'
import {
  failedPass,
  freshSource,
  guestPlan,
  PASS_MS,
  passReport,
  planOf,
} from '../../../../support/pass-report.ts'

const DOC = readFileSync(new URL('../../../../../docs/monitoring.md', import.meta.url), 'utf8')
const section = (title: string): string =>
  new RegExp(`^#+ ${title}\n(.*?)(?=^#|(?![^]))`, 'ms').exec(DOC)?.[1] ?? ''
const words = (text: string): Set<string> =>
  new Set([...text.matchAll(/`([^`\n]+)`/g)].map(([, word]) => word ?? ''))
const examples = (kind: string): string[] =>
  [...DOC.matchAll(new RegExp(`^\`\`\`${kind}\n(.*?)^\`\`\``, 'gms'))].map(([, text]) => text ?? '')

const problem = {code: 'x', severity: 'error' as const, message: 'a mistake'}
const guest = {kind: 'lxc' as const, vmid: 101}
const secretAction = plannedAction(
  {
    type: 'set-config',
    changes: [
      {
        option: 'memory',
        before: 'VALUE-BEFORE',
        after: 'VALUE-AFTER',
        impact: 'live',
        reversible: true,
        class: 'benign',
      },
    ],
  },
  {blockers: [{code: 'needs_signature', message: '0 of 1'}]},
)
/** With something in every place. */
const FULL: PassReport = passReport(1, {
  plan: {...planOf({...guestPlan(101, secretAction), problems: [problem]}), problems: [problem]},
  results: [actionResult(101, secretAction, 'blocked')],
  jobs: [{nonce: 'n', op: 'snapshot.delete', guest, outcome: 'refused', refusal: 'expired', detail: 'late'}],
  open: [openOf(intentOf(1, {type: 'set-config', set: {memory: 'VALUE-SET'}, delete: []}), 'started', UPID)],
  suspensions: [{vmid: 101, sinceMs: 0, untilMs: 1, reason: 'r', by: 'a@b'}],
  backOffs: [{guest, failures: 1, untilMs: 5}],
  trust: {version: 1, expiresMs: 5},
  problem: {code: 'timeout', message: 'late'},
  source: {...freshSource(1), state: 'refused', problem: 'it shrank', refusedRevision: 'r2'},
})
const {memory} = findAlerts(NOTHING_TOLD, FULL, {staleAfterMs: 1, trustWarningMs: 1})
const STATUS = describeStatus({
  ...{version: '1', host: 'h', startedMs: 0, nowMs: PASS_MS, mode: 'full', intervalMs: 1},
  ...{alerts: memory, report: FULL},
})

function keysOf(value: unknown): string[] {
  if (Array.isArray(value)) return value.flatMap(keysOf)
  if (typeof value !== 'object' || value === null) return []
  return Object.entries(value).flatMap(([key, part]) => [key, ...(key === 'outcomes' ? [] : keysOf(part))])
}

describe('docs/monitoring.md', () => {
  it('says when /status knows nothing of the source', () => {
    const early = describeStatus({
      ...{version: '1', host: 'h', startedMs: 0, nowMs: PASS_MS, mode: 'full', intervalMs: 1},
      ...{alerts: NOTHING_TOLD, report: failedPass(1)},
    })
    expect(early['lastPass']).to.include({source: null})
    expect(section('Status')).to.include('`source`').and.to.include('null where the pass could not ask')
  })

  it('has every metric, with its kind, labels and meaning, and no other', () => {
    const rows = [...section('Metrics').matchAll(/^\| +`(\w+)` +\| +(\w+) +\| +(.*?) *\| +(.*?) +\|$/gm)].map(
      ([, name, kind, labels, help]) => ({name, kind, labels: labels?.replaceAll('`', ''), help}),
    )
    const own = Object.values<MetricRow>(METRICS).map(({name, kind, labels, help}) => ({
      ...{name, kind, labels: labels.join(', '), help},
    }))
    const ofProcess = Object.entries(PROCESS_METRICS).map(([name, help]) => ({
      ...{name, kind: name.endsWith('_total') ? 'counter' : 'gauge', labels: '', help},
    }))
    expect(rows).to.deep.equal([...own, ...ofProcess])
  })

  it('names metrics in its rules that there are', () => {
    const rules = examples('yaml').find((text) => text.startsWith('groups:')) ?? ''
    const used = [...rules.matchAll(/\bfelhom_\w+/g)].map(([name]) => name)
    expect(used).to.have.length.greaterThan(3)
    const names: string[] = Object.values(METRICS).map(({name}) => name)
    for (const name of used) expect(names).to.include(name)
  })

  it('has examples that are YAML and JSON', () => {
    expect(examples('yaml')).to.have.length.greaterThan(2)
    for (const text of examples('yaml')) expect(parse(text)).to.be.an('object')
    for (const text of examples('json')) expect(JSON.parse(text)).to.be.an('object')
  })

  it('has every kind of alert', () => {
    expect([...words(section('Alerts'))]).to.include.members([...ALERT_KINDS])
  })

  it('has every key of the status, and the status has no value of any option', () => {
    const known = words(section('Status'))
    for (const key of keysOf(STATUS)) expect([...known], key).to.include(key)
    expect(JSON.stringify(STATUS)).not.to.contain('VALUE')
  })

  it('has every field of an outcome', () => {
    const shown = examples('json').find((text) => text.includes('"nonce"')) ?? '{}'
    const own = [
      'schemaVersion',
      ...Object.keys(describeJob({nonce: 'n', op: 'x', outcome: 'failed'})),
      'ended',
      'at',
    ]
    expect(Object.keys(JSON.parse(shown) as object)).to.deep.equal(own)
  })

  it('has every event of the log and every field', () => {
    const known = words(section('The log'))
    const run = (event: Partial<RunEvent>): DaemonEvent => ({
      ...{type: 'run', atMs: 0, event: {atMs: 0, run: 'r', ...event} as RunEvent},
    })
    const full = {op: 'o', upid: UPID, detail: 'd', refusal: 'expired' as const}
    const events: DaemonEvent[] = [
      {type: 'daemon_started', atMs: 0, version: '1', mode: 'observe', intervalMs: 1},
      {type: 'daemon_stopping', atMs: 0, reason: 'SIGTERM', running: 2},
      {type: 'daemon_stopped', atMs: 0, left: 1},
      {type: 'settings_reloaded', atMs: 0, mode: 'full', intervalMs: 1500},
      {type: 'settings_refused', atMs: 0, message: 'no endpoint'},
      {type: 'warning', atMs: 0, text: 'w'},
      {type: 'waiting_for_lock', atMs: 0, holder: 'apply'},
      {type: 'pass_started', atMs: 0, pass: 1},
      {type: 'recovered', atMs: 0, decisions: [{op: 'o', guest, verdict: 'failed', reason: 'r'}]},
      {type: 'job_ended', atMs: 0, job: {nonce: 'n', op: 'x', outcome: 'failed'}},
      {type: 'pass_ended', atMs: 0, report: FULL},
      {type: 'alert', atMs: 0, alert: {kind: 'disarmed', key: 'k', state: 'began', guest, text: 't'}},
      run({type: 'run_started', guests: 1, actions: 1}),
      run({type: 'action_started', guest, node: 'n', name: 'x', action: 'start', op: 'o'}),
      run({type: 'task_started', guest, op: 'o', upid: UPID}),
      run({type: 'action_ended', result: actionResult(101, setOptions('memory'), 'failed', full)}),
      run({type: 'run_ended'}),
    ]
    for (const event of events) {
      expect([...known]).to.include(event.type === 'run' ? event.event.type : event.type)
      const lines = describeDaemonEvent(event)
      expect(lines).not.to.deep.equal([])
      for (const field of lines.flatMap(({fields}) => Object.keys(fields)))
        expect([...known], `${event.type}: ${field}`).to.include(field)
    }
  })
})
