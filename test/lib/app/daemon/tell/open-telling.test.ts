import {once} from 'node:events'
import {existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync} from 'node:fs'
import {createServer, type AddressInfo} from 'node:net'
import {tmpdir} from 'node:os'
import {join} from 'node:path'
import {PassThrough} from 'node:stream'
import {expect} from 'chai'
import {
  openTelling,
  type Telling,
  type TellingOptions,
} from '../../../../../src/lib/app/daemon/tell/open-telling.ts'
import {LONG_LOCKED_MS} from '../../../../../src/lib/app/daemon/tell/patience.ts'
import {systemClock} from '../../../../../src/lib/app/system-clock.ts'
import type {Clock} from '../../../../../src/lib/engine/ports.ts'
import type {DaemonEvent, PassReport} from '../../../../../src/lib/model/daemon.ts'
import type {ErrorCode} from '../../../../../src/lib/model/error-codes.ts'
import {loadSettings} from '../../../../../src/lib/settings/load-settings.ts'
import type {Settings} from '../../../../../src/lib/settings/settings.ts'
import {actionResult, setOptions} from '../../../../support/action-result.ts'
import {CANARY} from '../../../../support/canary.ts'
import {intentOf, openOf} from '../../../../support/operations.ts'
import {failedPass, guestPlan, PASS_MS, passReport, planOf} from '../../../../support/pass-report.ts'
import {rejection} from '../../../../support/reject.ts'
import {unusedPort} from '../../../../support/scripted-server.ts'
import {VirtualPauses} from '../../../../support/virtual-pauses.ts'
import {waitFor} from '../../../../support/wait-for.ts'
import {answer, startWebhookServer, type WebhookServer} from '../../../../support/webhook-server.ts'

const drifting = (pass: number, why = 'the daemon only observes'): PassReport => {
  const action = {...setOptions('memory'), blockers: [{code: 'withheld' as const, message: why}]}
  return passReport(pass, {
    plan: planOf(guestPlan(101, action)),
    results: [actionResult(101, action, 'blocked')],
  })
}
/** By the clock on the wall the alerts of these passes would be given up a day later. */
const dayOfThePasses: Clock = {...systemClock, now: () => PASS_MS + performance.now()}
const ended = (report: PassReport): DaemonEvent => ({type: 'pass_ended', atMs: report.endedMs, report})

describe('telling', () => {
  let dir: string
  let log: PassThrough
  let telling: Telling | undefined
  let hook: WebhookServer | undefined

  beforeEach(() => {
    dir = mkdtempSync(join(tmpdir(), 'felhom-telling-'))
    log = new PassThrough()
  })
  afterEach(async () => {
    await telling?.close()
    await hook?.close()
    telling = hook = undefined
    rmSync(dir, {recursive: true})
  })

  const settingsWith = async (change: Partial<Settings['daemon']>): Promise<Settings> => {
    writeFileSync(join(dir, 'felhom.yaml'), 'felhom: 1\nstate: .\n')
    const {settings} = await loadSettings({cwd: dir, env: {HOME: dir}, flags: {}})
    return {...settings, daemon: {...settings.daemon, ...change}}
  }
  const open = async (
    change: Partial<Settings['daemon']> = {},
    more: Partial<TellingOptions> = {},
  ): Promise<Telling> => {
    telling = await openTelling({
      settings: await settingsWith({listen: '127.0.0.1:0', ...change}),
      ...{version: '1.2.3', host: 'felhom-1', clock: dayOfThePasses, env: {}},
      log: {stream: log, format: 'json'},
      ...more,
    })
    return telling
  }
  const lines = (): string => String((log.read() as Buffer | null) ?? '')
  const get = (path: string, headers: Record<string, string> = {}): Promise<Response> =>
    fetch(`${telling?.address ?? ''}${path}`, {headers: {...headers, connection: 'close'}})
  const json = async (path: string): Promise<Record<string, unknown>> =>
    (await (await get(path)).json()) as Record<string, unknown>
  const tokenFile = (name: string): string => {
    writeFileSync(join(dir, name), `${CANARY}\n`, {mode: 0o600})
    return join(dir, name)
  }

  it('puts one pass into log, metrics, status and webhook', async () => {
    hook = await startWebhookServer()
    const {sink} = await open({webhookUrl: hook.url})
    sink(ended(drifting(1)))
    await waitFor(() => Promise.resolve(hook?.posts.length === 1))
    expect(lines()).to.contain('"alert":"drift_found"')
    expect(await (await get('/metrics')).text())
      .to.contain('felhom_drift_actions{guest="lxc/101",class="benign"} 1')
      .and.contain('felhom_alerts_total{kind="drift_found",state="began"} 1')
    const status = await json('/status')
    expect(status).to.deep.include({version: '1.2.3', host: 'felhom-1', mode: 'observe', intervalMs: 60_000})
    expect(status['alerts']).to.have.length(1)
    expect(status['lastPass']).to.deep.include({pass: 1, drifted: ['lxc/101'], durationMs: 1500})
    expect((await get('/healthz')).status).to.equal(200)
    expect((await get('/readyz')).status).to.equal(200)
  })

  it('is ready only after a pass that ended well', async () => {
    const {sink} = await open()
    expect((await get('/readyz')).status).to.equal(503)
    sink(ended(failedPass(1)))
    const readiness = await get('/readyz')
    expect(readiness.status).to.equal(503)
    expect(await readiness.json())
      .to.include({ok: false})
      .and.to.have.property('reason')
      .that.contains('no way')
    expect((await get('/healthz')).status).to.equal(200)
  })

  it('counts what connection and disk take', async () => {
    const {connectionObserver, syncObserver} = await open()
    connectionObserver({method: 'GET', route: '/nodes', status: 200, ms: 5})
    syncObserver(1)
    const text = await (await get('/metrics')).text()
    expect(text).to.contain('felhom_api_request_seconds_count{method="GET",route="/nodes"} 1')
    expect(text).to.contain('felhom_journal_sync_seconds_count 1')
  })

  it('tells nothing twice after a new start, and sends then what had not arrived', async () => {
    hook = await startWebhookServer(answer(500), answer(500))
    const first = await open({webhookUrl: hook.url})
    first.sink(ended(drifting(1)))
    await first.close()
    expect(lines()).to.contain('the webhook has not taken 1 alert')
    const before = hook.posts.length

    const second = await open({webhookUrl: hook.url})
    second.sink(ended(drifting(2)))
    await waitFor(() => Promise.resolve((hook?.posts.length ?? 0) > before))
    await second.close()
    expect(new Set(hook.posts.map(({body}) => body.id)).size).to.equal(1)
    expect(lines()).not.to.contain('drift_found')

    const third = await open({webhookUrl: hook.url})
    third.sink(ended(passReport(3)))
    await third.close()
    expect(hook.posts.at(-1)?.body.alert).to.include({kind: 'drift_found', state: 'over'})
  })

  it('writes what became of a job, and tells it once', async () => {
    const {sink} = await open({outcomes: join(dir, 'outcomes')})
    const job = {
      nonce: 'AAAAAAAAAAAAAAAAAAAAAA',
      op: 'snapshot.delete',
      outcome: 'succeeded',
      operation: 'r.1',
    } as const
    sink({type: 'job_ended', atMs: PASS_MS, job})
    sink(ended(passReport(1, {jobs: [job]})))
    sink(ended(passReport(2, {jobs: [job]})))
    expect(JSON.parse(readFileSync(join(dir, 'outcomes', `${job.nonce}.json`), 'utf8'))).to.include({
      outcome: 'succeeded',
    })
    expect(lines().match(/"alert":"job_ended"/g)).to.have.length(1)
  })

  it('throws nothing into the loop, whatever is broken, and says so', async () => {
    const blocked = join(dir, 'a-file')
    writeFileSync(blocked, '')
    const settings = await settingsWith({outcomes: join(blocked, 'x')})
    telling = await openTelling({
      settings: {...settings, state: join(blocked, 'y')},
      ...{version: '1', clock: systemClock, env: {}, log: {stream: log, format: 'json'}},
    })
    const {sink} = telling
    sink({type: 'job_ended', atMs: 0, job: {nonce: 'n', op: 'x', outcome: 'failed'}})
    sink(ended(drifting(1)))
    sink({type: 'pass_ended', atMs: 0} as unknown as DaemonEvent)
    const said = lines()
    expect(said)
      .to.contain('the outcome of job n: ENOTDIR')
      .and.contain('what was told cannot be kept: ENOTDIR')
    expect(said).to.contain('metrics: ')
  })

  it('shows no secret anywhere: not in the log, not in the status, not in the webhook', async () => {
    hook = await startWebhookServer()
    await open(
      {webhookUrl: `${hook.url}&t=${CANARY}`, webhookToken: tokenFile('webhook-token')},
      {secrets: [CANARY]},
    )
    const op = openOf(intentOf(1, {type: 'set-config', set: {description: CANARY}, delete: []}), 'started')
    const report = drifting(1, `refused with ${CANARY}`)
    telling?.sink(ended({...report, open: [op], problem: {code: 'unexpected', message: `no ${CANARY}`}}))
    telling?.sink({type: 'warning', atMs: 0, text: CANARY})
    await waitFor(() => Promise.resolve(hook?.posts.length === 2))
    const told = [lines(), JSON.stringify(await json('/status')), await (await get('/metrics')).text()]
    const posted = hook.posts.map(({body}) => JSON.stringify(body))
    const readiness = await (await get('/readyz')).text()
    const kept = readFileSync(join(dir, 'alerts.json'), 'utf8')
    for (const text of [...told, ...posted, readiness, kept]) expect(text).not.to.contain(CANARY)
    expect(hook.posts[0]?.headers.authorization).to.equal(`Bearer ${CANARY}`)
  })

  it('repeats no secret that it is told of later, to nobody', async () => {
    const {sink, keepSecret, scrub} = await open()
    keepSecret(CANARY)
    sink({type: 'warning', atMs: 0, text: `no ${CANARY}`})
    expect(lines()).to.contain('no ***')
    expect(scrub(`pass 1: ${CANARY}`)).to.equal('pass 1: ***')
    await telling?.reload(await settingsWith({mode: 'full'}))
    expect(scrub(CANARY)).to.equal('***')
  })

  it("blots out of the webhook's address what looks like a secret, and not a path as everybody has it", async () => {
    const key = 'T024BE7LH8XK29QPZ'
    const {sink} = await open({webhookUrl: `https://hooks.example/felhom/${key}?channel=alarms-of-home`})
    sink({type: 'warning', atMs: 0, text: `/var/lib/felhom/journal, ${key} and alarms-of-home`})
    expect(lines()).to.contain('/var/lib/felhom/journal, *** and ***')
  })

  it('refuses settings that it cannot use', async () => {
    const refused = async (change: Partial<Settings['daemon']>): Promise<string> => {
      const error = await rejection(open(change))
      expect(error.code).to.equal('settings_invalid')
      return error.message
    }
    expect(await refused({listen: '0.0.0.0:0'})).to.contain('there is no token')
    expect(await refused({listenToken: join(dir, 'none')})).to.contain('does not exist')
    writeFileSync(join(dir, 'short'), 'short', {mode: 0o600})
    expect(await refused({webhookToken: join(dir, 'short')})).to.contain('16 or more')
    writeFileSync(join(dir, 'open'), CANARY, {mode: 0o644})
    expect(await refused({listenToken: join(dir, 'open')})).to.contain('mode 0644')
  })

  it('listens nowhere when it is told not to', async () => {
    const {address} = await open({listen: '0.0.0.0:0'}, {listens: false})
    expect(address).to.equal(undefined)
  })

  it('takes new settings while it runs, or keeps the old ones where they cannot be used', async () => {
    hook = await startWebhookServer()
    const told = await open()
    const before = told.address
    expect((await rejection(told.reload(await settingsWith({listen: '0.0.0.0:0'})))).code).to.equal(
      'settings_invalid',
    )
    expect(told.address).to.equal(before)
    expect((await get('/healthz')).status).to.equal(200)

    const listenToken = tokenFile('listen-token')
    await told.reload(
      await settingsWith({listen: '127.0.0.1:0', listenToken, webhookUrl: hook.url, mode: 'full'}),
    )
    expect((await get('/status')).status).to.equal(401)
    const status = await get('/status', {authorization: `Bearer ${CANARY}`})
    expect(await status.json()).to.include({mode: 'full'})
    told.sink(ended(drifting(1)))
    await waitFor(() => Promise.resolve(hook?.posts.length === 1))

    await told.reload(await settingsWith({}))
    expect(told.address).to.equal(undefined)
  })

  it('takes another address of the same port, and goes back where it may not', async () => {
    const port = await unusedPort()
    const told = await open({listen: `127.0.0.1:${port}`})
    await told.reload(await settingsWith({listen: `127.0.0.2:${port}`, mode: 'full'}))
    expect(told.address).to.equal(`http://127.0.0.2:${port}`)
    expect(await json('/status')).to.include({mode: 'full'})
    await told.reload(await settingsWith({listen: `0.0.0.0:${port}`, listenToken: tokenFile('listen-token')}))
    expect(told.address).to.equal(`http://0.0.0.0:${port}`)
    await rejection(
      told.reload(await settingsWith({listen: `192.0.2.1:${port}`, listenToken: tokenFile('t')})),
    )
    expect(told.address).to.equal(`http://0.0.0.0:${port}`)
    expect((await fetch(`http://127.0.0.1:${port}/status`)).status).to.equal(401)
  })

  it('does not keep the daemon from its work while it cannot listen yet, and says so', async () => {
    const other = createServer().listen(0, '127.0.0.1')
    await once(other, 'listening')
    const {port} = other.address() as AddressInfo
    const clock = new VirtualPauses(PASS_MS)
    const told = await open({listen: `127.0.0.1:${port}`}, {clock})
    expect(told.address).to.equal(undefined)
    expect(lines()).to.contain(`cannot listen on 127.0.0.1:${port} (EADDRINUSE); it is tried again`)
    await new Promise((resolve) => other.close(resolve))
    await waitFor(() => Promise.resolve(told.address !== undefined))
    expect(lines()).to.contain(`listens on 127.0.0.1:${port} now`)
  })

  const broken = (code: ErrorCode): DaemonEvent =>
    ended(failedPass(1, {problem: {code, message: 'it was not free'}}))

  it('tells nobody that a pass broke off because the daemon was told to end', async () => {
    const {sink} = await open()
    sink(ended(drifting(1)))
    sink({type: 'daemon_stopping', atMs: PASS_MS, reason: 'SIGTERM', running: 0})
    sink(broken('interrupted'))
    expect(lines()).not.to.contain('pass_failing').and.not.to.contain('"state":"over"')
    sink(broken('unreachable'))
    expect(lines()).to.contain('pass_failing')
  })

  it('tells of a pass that broke off for no reason as of any other failure', async () => {
    const {sink} = await open()
    sink(broken('interrupted'))
    expect(lines()).to.contain('pass_failing')
  })

  it('tells of an operator who holds the lock only when he does so for long', async () => {
    let nowMs = 0
    const {sink} = await open({}, {steadyMs: () => nowMs})
    sink(broken('journal_locked'))
    nowMs += LONG_LOCKED_MS - 1
    sink(broken('journal_locked'))
    sink(ended(passReport(3)))
    nowMs += 1
    sink(broken('journal_locked'))
    expect(lines()).not.to.contain('pass_failing')
    nowMs += LONG_LOCKED_MS
    sink(broken('journal_locked'))
    expect(lines()).to.contain('pass_failing')
  })

  it('keeps nothing where there was nothing to tell', async () => {
    const {sink} = await open()
    sink(ended(passReport(1)))
    expect(existsSync(join(dir, 'alerts.json'))).to.equal(false)
  })
})
