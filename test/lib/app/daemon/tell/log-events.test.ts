import {fstatSync} from 'node:fs'
import {PassThrough, Writable} from 'node:stream'
import {expect} from 'chai'
import {isJournalStream} from '../../../../../src/lib/app/daemon/tell/journal-stream.ts'
import {makeLogSink, type LogOptions} from '../../../../../src/lib/app/daemon/tell/log-events.ts'
import {makeScrub} from '../../../../../src/lib/app/daemon/tell/scrub-secrets.ts'
import type {DaemonEvent, PassReport} from '../../../../../src/lib/model/daemon.ts'
import type {ErrorCode} from '../../../../../src/lib/model/error-codes.ts'
import {actionResult, setOptions} from '../../../../support/action-result.ts'
import {CANARY} from '../../../../support/canary.ts'
import {UPID} from '../../../../support/operations.ts'
import {failedPass, guestPlan, PASS_MS, passReport, planOf} from '../../../../support/pass-report.ts'

type Line = Record<string, unknown>

async function write(
  events: readonly DaemonEvent[],
  options: Partial<LogOptions> = {},
  secrets: readonly string[] = [],
): Promise<string> {
  const stream = new PassThrough()
  const log = await makeLogSink({stream, format: 'json', ...options}, makeScrub(secrets))
  for (const event of events) log.sink(event)
  log.close()
  stream.end()
  return (await stream.toArray()).join('')
}

const readLines = (text: string): Line[] =>
  text
    .split('\n')
    .filter((line) => line !== '')
    .map((line) => JSON.parse(line) as Line)

const ended = (report: PassReport): DaemonEvent => ({type: 'pass_ended', atMs: report.endedMs, report})
const failure: DaemonEvent = {
  type: 'run',
  atMs: PASS_MS,
  event: {
    type: 'action_ended',
    atMs: PASS_MS,
    run: 'r1',
    result: actionResult(101, setOptions('memory'), 'failed', {op: 'r1.1', upid: UPID, detail: 'no space'}),
  },
}
const warning = (text: string, atMs = PASS_MS): DaemonEvent => ({type: 'warning', atMs, text})

describe('the log in JSON', () => {
  it('has one object a line, with time, level, sentence and what it is about', async () => {
    expect(readLines(await write([failure]))).to.deep.equal([
      {
        level: 'error',
        time: '2026-11-18T06:00:00.000Z',
        event: 'action_ended',
        run: 'r1',
        guest: 'lxc/101',
        name: 'guest-101',
        node: 'pve1',
        action: 'set-config',
        outcome: 'failed',
        op: 'r1.1',
        upid: UPID,
        detail: 'no space',
        msg: 'lxc/101 guest-101: change memory failed: no space',
      },
    ])
  })

  it('puts the priority before each line for journald alone', async () => {
    const text = await write([failure, warning('look out')], {isJournal: true})
    expect(text.split('\n').map((line) => line.slice(0, 4))).to.deep.equal(['<3>{', '<4>{', ''])
  })

  it('knows journald by the stream that systemd names, and not by the name alone', () => {
    const {dev, ino} = fstatSync(0)
    const stream = Object.assign(new PassThrough(), {fd: 0})
    expect(isJournalStream({JOURNAL_STREAM: `${dev}:${ino}`}, stream)).to.equal(true)
    expect(isJournalStream({JOURNAL_STREAM: `${dev}:${ino + 1}`}, stream)).to.equal(false)
    expect(isJournalStream({}, stream)).to.equal(false)
    expect(isJournalStream({JOURNAL_STREAM: `${dev}:${ino}`}, new PassThrough())).to.equal(false)
  })

  it('repeats no secret that is known, in whatever form', async () => {
    const quoted = 'pa"ss\\word'
    const text = await write(
      [warning(`token ${CANARY}`), warning(`again ${quoted} and ${encodeURIComponent(quoted)}`)],
      {},
      [CANARY, quoted, 'a'],
    )
    expect(text).to.contain('token ***').and.contain('again *** and ***')
    expect(text).not.to.contain(CANARY)
    expect(text).not.to.contain('ss\\\\word').and.not.to.contain('%5Cword')
  })

  it('holds nothing that a terminal would obey', async () => {
    const text = await write([warning('name \u{1b}[2J\u{202e}\u{9b}x')])
    expect(text).not.to.match(/(?!\n)[\p{Cc}\p{Cf}]/u)
    expect(readLines(text)[0]?.['msg']).to.equal('name \u{1b}[2J\u{202e}\u{9b}x')
  })

  it('goes on when its stream fails', async () => {
    const stream = new Writable({
      write: (_chunk, _encoding, done) => {
        done(new Error('EPIPE'))
      },
    })
    const {sink} = await makeLogSink({stream, format: 'json'}, (text) => text)
    sink(failure)
    await new Promise((resolve) => setImmediate(resolve))
    sink(failure)
  })
})

describe('the log at the level info', () => {
  const messages = async (...events: DaemonEvent[]): Promise<unknown[]> =>
    readLines(await write(events)).map(
      ({level, event, msg}) => `${String(level)} ${String(event)}: ${String(msg)}`,
    )

  it('has nothing of quiet passes but a sign of life each hour', async () => {
    const passes = Array.from({length: 125}, (_, i) => ended(passReport(i + 1)))
    expect(await messages(...passes)).to.deep.equal([
      'info pass_ended: pass 1 took 1.5 s: nothing done, 10 guests as desired',
      'info heartbeat: alive: 60 passes since 2026-11-18T06:00:01Z; pass 61 took 1.5 s: nothing done, 10 guests as desired',
      'info heartbeat: alive: 60 passes since 2026-11-18T07:00:01Z; pass 121 took 1.5 s: nothing done, 10 guests as desired',
    ])
  })

  it('has a line for a pass that did something', async () => {
    const action = setOptions('memory')
    const plan = planOf(guestPlan(101, action))
    const report = passReport(1, {plan, results: [actionResult(101, action, 'succeeded')]})
    expect(await messages(ended(report))).to.deep.equal([
      'info pass_ended: pass 1 took 1.5 s: 1 succeeded, 10 guests as desired, 1 had something to do',
    ])
  })

  it('has a line for a single pass, however quiet it was', async () => {
    const started = {type: 'daemon_started', atMs: 0, version: '1.2.3', mode: 'full', intervalMs: 0} as const
    expect(await messages(started, ended(passReport(1)))).to.deep.equal([
      'info daemon_started: felhom 1.2.3 does all that is signed for, once',
      'info pass_ended: pass 1 took 1.5 s: nothing done, 10 guests as desired',
    ])
  })

  it('has no line for jobs that are brought again in every pass', async () => {
    const job = {nonce: 'n', op: 'snapshot.delete', outcome: 'succeeded', operation: 'r1.1'} as const
    expect(await messages(ended(passReport(1)), ended(passReport(2, {jobs: [job]})))).to.have.length(1)
  })

  it('has no line for drift that stands from pass to pass', async () => {
    const action = setOptions('memory')
    const plan = planOf(guestPlan(101, action))
    const report = passReport(1, {plan, results: [actionResult(101, action, 'blocked')]})
    expect(
      await messages(ended(report), ended({...report, pass: 2}), ended({...report, pass: 3})),
    ).to.deep.equal([
      'info pass_ended: pass 1 took 1.5 s: nothing done, 10 guests as desired, 1 had something to do',
    ])
  })

  it('says once in six hours that passes fail in the same way', async () => {
    const passes = Array.from({length: 400}, (_, i) => ended(failedPass(i + 1)))
    const lines = (await messages(...passes)).filter((text) => String(text).startsWith('error'))
    expect(lines).to.deep.equal([
      'error pass_ended: pass 1 failed (unreachable): no way to pve1',
      'error pass_ended: pass 361 failed (unreachable): no way to pve1',
    ])
  })

  it('says of a pass that never asked nothing about guests and source', async () => {
    const [, line] = readLines(await write([ended(failedPass(1))]))
    expect(line).to.include({event: 'pass_ended', msg: 'pass 1 took 1.5 s: nothing done', result: 'failed'})
    expect(line).not.to.have.any.keys('sourceState', 'unchanged', 'unmanaged', 'planned', 'quarantined')
  })

  it('calls it no failure that a pass was told to end, or that an operator was at work', async () => {
    const problem = (code: ErrorCode, message: string): DaemonEvent =>
      ended(failedPass(1, {problem: {code, message}}))
    expect(await messages(problem('interrupted', 'told to end by SIGTERM'))).to.deep.equal([
      'info pass_ended: pass 1 was interrupted: told to end by SIGTERM',
      'info pass_ended: pass 1 took 1.5 s: nothing done',
    ])
    const [locked] = await messages(problem('journal_locked', 'held by felhom apply'))
    expect(locked).to.equal(
      'warn pass_ended: pass 1 waited in vain, and leaves it to the next: held by felhom apply',
    )
  })

  it('says each mistake of the plan once', async () => {
    const problem = {code: 'disk_smaller', severity: 'error' as const, message: 'rootfs cannot shrink'}
    const plan = {...planOf({...guestPlan(101), problems: [problem]})}
    const said = await messages(ended(passReport(1, {plan})), ended(passReport(2, {plan})))
    expect(said.filter((text) => text === 'warn pass_ended: rootfs cannot shrink')).to.have.length(1)
  })

  it('says a warning once, and remembers no more than a thousand that the last passes did not say', async () => {
    const many = Array.from({length: 1001}, (_, i) => warning(`w${i}`))
    const passes = [1, 2].map((pass) => ended(passReport(pass)))
    const said = await messages(warning('a'), ...passes, warning('a'), ...passes, ...many, warning('a'))
    expect(said.filter((text) => text === 'warn warning: a')).to.have.length(2)
  })

  it('says each of thousands of mistakes once, however many passes find them again', async () => {
    const problems = Array.from({length: 5000}, (_, i) => ({
      ...{code: 'absence_unproved', severity: 'error' as const, message: `lxc/${i} was not seen`},
    }))
    const plan = planOf({...guestPlan(101), problems})
    const said = await messages(...[1, 2, 3, 4].map((pass) => ended(passReport(pass, {plan}))))
    expect(said.filter((text) => String(text).startsWith('warn'))).to.have.length(5000)
  })

  it('is not silenced by a clock that was ahead and was put back', async () => {
    const wrongMs = Date.UTC(2036, 0, 1)
    const ahead = failedPass(1, {startedMs: wrongMs, endedMs: wrongMs})
    const later = Array.from({length: 400}, (_, i) => ended(failedPass(i + 2)))
    const said = await messages(ended(ahead), ...later)
    expect(said.filter((text) => String(text).startsWith('error'))).to.have.length(3)
    expect(said.filter((text) => String(text).startsWith('info heartbeat'))).to.have.length.greaterThan(5)
  })

  it('tells an alert by how grave it is, and its end as a piece of information', async () => {
    const alert = {kind: 'quarantine', key: 'quarantine:x', text: 'in doubt'} as const
    expect(
      await messages(
        {type: 'alert', atMs: PASS_MS, alert: {...alert, state: 'began'}},
        {type: 'alert', atMs: PASS_MS, alert: {...alert, state: 'over'}},
      ),
    ).to.deep.equal(['error alert: in doubt', 'info alert: in doubt'])
  })

  it('has a sentence for each thing that the daemon does', async () => {
    const job = {nonce: 'n', op: 'snapshot.delete', outcome: 'refused', refusal: 'expired'} as const
    const decision = {op: 'o1', guest: {kind: 'lxc', vmid: 101}, verdict: 'satisfied', reason: ''} as const
    const events: DaemonEvent[] = [
      {type: 'daemon_started', atMs: 0, version: '1.2.3', mode: 'observe', intervalMs: 60_000},
      {type: 'waiting_for_lock', atMs: 0, holder: 'apply (pid 4)'},
      {type: 'pass_started', atMs: 0, pass: 1},
      {type: 'recovered', atMs: 0, decisions: [decision]},
      {type: 'job_ended', atMs: 0, job},
      {type: 'settings_reloaded', atMs: 0, mode: 'full', intervalMs: 1500},
      {type: 'settings_refused', atMs: 0, message: 'no endpoint'},
      {type: 'daemon_stopping', atMs: 0, reason: 'SIGTERM', running: 2},
      {type: 'daemon_stopped', atMs: 0, left: 1},
    ]
    expect(await messages(...events)).to.deep.equal([
      'info daemon_started: felhom 1.2.3 only observes, every 60 s',
      'info waiting_for_lock: waiting for the lock of the state directory: apply (pid 4)',
      'info recovered: lxc/101: an interrupted operation is settled as satisfied',
      'warn job_ended: signed job snapshot.delete was refused by the gate',
      'info settings_reloaded: settings read again: mode full, every 1.5 s',
      'error settings_refused: the new settings cannot be used, the old ones stay in force: no endpoint',
      'info daemon_stopping: ending: SIGTERM; 2 actions running',
      'warn daemon_stopped: ended; 1 operation in flight, the next start settles',
    ])
  })
})

describe('the log on a terminal', () => {
  const before = process.env['TZ']
  beforeEach(() => {
    process.env['TZ'] = 'UTC'
  })
  afterEach(() => {
    if (before === undefined) delete process.env['TZ']
    else process.env['TZ'] = before
  })

  it('fits its width, and shows what a terminal would obey', async () => {
    const text = await write([failure, warning(`\u{1b}[2J ${'word '.repeat(30)}`)], {
      format: 'pretty',
      width: 80,
    })
    const lines = text.split('\n')
    expect(lines[0]).to.equal('06:00:00  error  lxc/101 guest-101: change memory failed: no space')
    expect(lines[1]).to.match(/^06:00:00 {2}warn {3}\\x1b\[2J word/)
    expect(lines[2]).to.match(/^ {17}word/)
    for (const line of lines) expect(line.length).to.be.at.most(80)
  })

  it('has what is below its level only when asked', async () => {
    const quiet = [ended(passReport(1)), ended(passReport(2))]
    expect(await write(quiet, {format: 'pretty'})).not.to.contain('pass 2')
    expect(await write(quiet, {format: 'pretty', level: 'debug'})).to.contain('debug  pass 2 took 1.5 s')
  })
})
