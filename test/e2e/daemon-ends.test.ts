// How `felhom daemon` ends: told to by a signal in the midst of a pass, and where it cannot begin.
import {existsSync, readFileSync, rmSync} from 'node:fs'
import {join} from 'node:path'
import {expect} from 'chai'
import {startFelhom, untilSo, type StartedProcess} from '../faults/started-process.ts'
import {ApplyLab} from '../support/apply-lab.ts'

describe('felhom daemon, at its end', function () {
  this.timeout(120_000)
  let lab: ApplyLab
  const started: StartedProcess[] = []
  before(async () => {
    lab = await ApplyLab.start()
  })
  after(() => lab.stop())
  beforeEach(() => lab.renew())
  afterEach(() => {
    for (const {child} of started.splice(0)) child.kill('SIGKILL')
  })

  const start = (args: readonly string[], env: NodeJS.ProcessEnv = {}): StartedProcess => {
    const run = startFelhom(['daemon', ...args], {cwd: lab.dir, env: {...lab.sandbox.env, ...env}})
    started.push(run)
    return run
  }

  /** A repository that is reached by ssh, which never answers. */
  const startWithSlowSource = async (...args: readonly string[]): Promise<StartedProcess> => {
    lab.write('felhom.yaml', 'felhom: 1\ndesired: {git: "ssh://felhom.example/guests.git"}\n')
    const ssh = lab.write('ssh', `#!/bin/sh\ntouch ${join(lab.dir, 'asked')}\nexec sleep 1000\n`, 0o700)
    const run = start(args, {GIT_SSH_COMMAND: ssh})
    await untilSo('the source is asked', run, () => existsSync(join(lab.dir, 'asked')))
    return run
  }

  it('exits with the code of its signal where one pass was asked for, and alarms nobody', async () => {
    for (const [signal, expected] of [
      ['SIGTERM', 143],
      ['SIGINT', 130],
    ] as const) {
      await lab.renew()
      const run = await startWithSlowSource('--once')
      run.child.kill(signal)
      const {code, stderr} = await run.ended
      expect(code, stderr).to.equal(expected)
      expect(stderr)
        .to.contain('was interrupted')
        .and.not.to.match(/"level":"(?:warn|error)"|"alert"/)
      expect(existsSync(join(lab.dir, '.felhom/alerts.json'))).to.equal(false)
    }
  })

  it('alarms nobody when it is told to end in the midst of a pass, and exits with 0', async () => {
    const run = await startWithSlowSource()
    run.child.kill('SIGTERM')
    const {code, stderr} = await run.ended
    expect(code, stderr).to.equal(0)
    expect(stderr).not.to.match(/"level":"(?:warn|error)"|"alert"/)
    expect(existsSync(join(lab.dir, '.felhom/alerts.json'))).to.equal(false)
  })

  it('ends where its settings cannot be used, though an alert waits for a webhook that is away', async () => {
    lab.wish('{101: {kind: lxc, config: {memory: 777}}}')
    const hook = 'webhook: {url: "http://127.0.0.1:9/"}'
    lab.write('felhom.yaml', `felhom: 1\ndesired: guests.yaml\ndaemon: {${hook}}\n`)
    const away = {FELHOM_ENDPOINT: 'https://127.0.0.1:9'}
    await start(['--once'], away).ended
    expect(readFileSync(join(lab.dir, '.felhom/alerts.json'), 'utf8')).to.contain('pass_failing')
    const {code, stderr} = await start(['--listen', '0.0.0.0:9610'], away).ended
    expect(code, stderr).to.equal(65)
    expect(readFileSync(join(lab.dir, '.felhom/alerts.json'), 'utf8')).to.contain('pass_failing')
  })

  it('does not begin without a token, an endpoint or its CA, and its exit code says so', async () => {
    const without = async (env: NodeJS.ProcessEnv): Promise<number | null> =>
      (await start([], env).ended).code
    expect(await without({FELHOM_TOKEN: ''})).to.equal(64)
    expect(await without({FELHOM_TOKEN: 'nonsense'})).to.equal(64)
    expect(await without({FELHOM_TLS__CA: join(lab.dir, 'none.pem')})).to.equal(65)
    expect(await without({FELHOM_ENDPOINT: undefined})).to.equal(65)
  })

  it('goes on when its token vanishes, and never repeats it', async () => {
    const token = lab.write('token', lab.sandbox.tokens.full)
    const secret = lab.sandbox.tokens.full.split('=')[1] ?? ''
    lab.write('felhom.yaml', `felhom: 1\ntoken: {file: token}\ndesired: ${secret}.yaml\n`)
    const run = start(['--interval', '1s'])
    let said = ''
    run.child.stderr?.on('data', (chunk: Buffer) => (said += chunk.toString()))
    await untilSo('it has looked', run, () => said.includes('source'))
    rmSync(token)
    await untilSo('it misses the token', run, () => said.includes('token_missing'))
    run.child.kill('SIGTERM')
    const {code, stderr} = await run.ended
    expect(code, stderr).to.equal(0)
    expect(stderr).to.contain('***.yaml').and.not.to.contain(secret)
  })
})
