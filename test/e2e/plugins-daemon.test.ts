// plugins.allow under a daemon that runs, in the built program.
import {expect} from 'chai'
import {startFelhom, untilSo, type StartedProcess} from '../faults/started-process.ts'
import {PluginLab} from '../support/plugin-lab.ts'
import {startSandboxProcess, type SandboxProcess} from '../support/sandbox-process.ts'

const NAME = 'felhom-plugin-x'

describe('plugins.allow of a daemon, in the built program', function () {
  this.timeout(120_000)
  let sandbox: SandboxProcess
  let lab: PluginLab
  let daemon: StartedProcess | undefined

  before(async () => {
    sandbox = await startSandboxProcess()
  })
  after(() => sandbox.stop())
  beforeEach(async () => {
    await sandbox.reset()
    lab = new PluginLab()
    lab.place(NAME, {
      'register.js': `export default ({register}) =>
  register({name: '${NAME}', apiVersion: 1, rules: {never: () => 'destructive'}})\n`,
    })
    lab.list(NAME)
    lab.write('guests.yaml', 'felhom: 1\nguests: {101: {kind: lxc, run: stopped}}\n')
  })
  afterEach(() => {
    daemon?.child.kill('SIGKILL')
    lab.close()
  })

  const settings = (mode: string, allow: string): void => {
    const plugins = allow === '' ? '' : `plugins: {allow: [${allow}]}\n`
    const daemon = `daemon: {mode: ${mode}, interval: 1s, jitter: 0}\n`
    lab.write('felhom.yaml', `felhom: 1\ndesired: guests.yaml\nstate: state\n${daemon}${plugins}`)
  }

  /** It is sent HUP while it makes its passes, and ended when it has made one with what came of it; its log. */
  async function reloadOnce(change: () => void): Promise<Record<string, unknown>[]> {
    daemon = startFelhom(['daemon', '--log-format', 'json', '--log-level', 'debug'], {
      cwd: lab.dir,
      env: {...lab.env, ...sandbox.env},
    })
    let log = ''
    daemon.child.stderr?.on('data', (chunk: Buffer) => (log += chunk.toString()))
    const passes = (text = log): number => text.split('"event":"pass_started"').length - 1
    await untilSo('it makes passes', daemon, () => passes() > 0)
    change()
    daemon.child.kill('SIGHUP')
    const since = (): string => log.split('"event":"settings_')[1] ?? ''
    await untilSo('it has made a pass since', daemon, () => passes(since()) === 2)
    daemon.child.kill('SIGTERM')
    const {code, stderr} = await daemon.ended
    expect(code, stderr).to.equal(0)
    return stderr
      .trim()
      .split('\n')
      .map((line) => JSON.parse(line) as Record<string, unknown>)
  }

  const writes = async (): Promise<string[]> =>
    Object.keys(await sandbox.requests()).filter((key) => !key.startsWith('GET '))

  const messages = (log: Record<string, unknown>[], event: string): unknown[] =>
    log.filter((line) => line['event'] === event).map(({msg}) => msg)

  it('names at its start what is left out, and takes no longer list by SIGHUP', async () => {
    settings('observe', '')
    const log = await reloadOnce(() => {
      settings('full', NAME)
    })
    expect(messages(log, 'warning')).to.deep.equal([
      `installed, but not loaded, because plugins.allow does not name it: ${NAME}`,
    ])
    expect(messages(log, 'settings_reloaded')).to.deep.equal([])
    expect(messages(log, 'settings_refused')[0]).to.contain(
      `the old ones stay in force: plugins.allow has changed (+${NAME}), and plugins are loaded only when the daemon starts: restart it`,
    )
    expect(await writes(), 'the old mode').to.deep.equal([])
  })

  it('takes no shorter list by SIGHUP either: the rule is still asked', async () => {
    settings('full', NAME)
    const log = await reloadOnce(() => {
      settings('full', '')
    })
    expect(messages(log, 'warning')).to.deep.equal([])
    expect(messages(log, 'settings_refused')[0]).to.contain(`(-${NAME})`)
    expect(await writes()).to.deep.equal([])
  })

  it('takes the same list with other settings', async () => {
    settings('observe', NAME)
    const log = await reloadOnce(() => {
      settings('benign', NAME)
    })
    expect(messages(log, 'settings_refused')).to.deep.equal([])
    expect(messages(log, 'settings_reloaded')).to.have.lengthOf(1)
  })
})
