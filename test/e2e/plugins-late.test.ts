// Plugins whose code fails where nobody waits for it, in the built program: it ends in order, and says the same by its
// exit code, on stderr and in its one envelope.
import {existsSync} from 'node:fs'
import {setTimeout as sleep} from 'node:timers/promises'
import {expect} from 'chai'
import {startFelhom, untilSo, type StartedProcess} from '../faults/started-process.ts'
import type {Run} from '../support/felhom.ts'
import {said} from '../support/gate-lab.ts'
import {PluginLab} from '../support/plugin-lab.ts'
import {startSandboxProcess, type SandboxProcess} from '../support/sandbox-process.ts'

const NAME = 'felhom-plugin-x'
const LATE = 'something failed that nobody waits for'

describe('a plugin that fails late, in the built program', function () {
  this.timeout(120_000)
  let sandbox: SandboxProcess
  let lab: PluginLab

  before(async () => {
    sandbox = await startSandboxProcess()
  })
  after(() => sandbox.stop())
  beforeEach(async () => {
    await sandbox.reset()
    await sandbox.control({startDelaySeconds: 3})
    lab = new PluginLab()
    lab.list(NAME)
    lab.write('felhom.yaml', `felhom: 1\ndesired: guests.yaml\nstate: state\nplugins: {allow: [${NAME}]}\n`)
    lab.write('guests.yaml', 'felhom: 1\nguests: {150: {kind: lxc, run: running}}\n')
  })
  afterEach(() => {
    lab.close()
  })

  const felhom = (...args: string[]): Promise<Run> => lab.felhom(args, {env: sandbox.env})
  const start = (...args: string[]): StartedProcess =>
    startFelhom(args, {cwd: lab.dir, env: {...sandbox.env, ...lab.env}})

  const bring = (what: string): void => {
    const imports = `import {writeFileSync} from 'node:fs'\nimport {setTimeout as sleep} from 'node:timers/promises'\n`
    const text = `${imports}export default ({register}) => register({name: '${NAME}', apiVersion: 1, ${what}})\n`
    lab.place(NAME, {'register.js': text})
  }

  /** Fails `ms` after the first task has begun: it marks both. */
  const failLate = (ms: number): void => {
    bring(`observers: {late: ({type}) => {
      if (type !== 'task_started') return
      writeFileSync('began', '')
      void sleep(${ms}).then(() => { writeFileSync('failed', ''); throw new Error('late') })
    }}`)
  }

  for (const command of ['apply --auto-approve', 'daemon --once --mode full'])
    for (const [order, ms, mark] of [
      ['after', 400, 'began'],
      ['before', 0, 'failed'],
    ] as const)
      it(`leaves no task of ${command} to itself where it fails ${order} a signal`, async () => {
        failLate(ms)
        const run = start(...command.split(' '))
        await untilSo(mark, run, () => existsSync(lab.at(mark)))
        await sleep(100)
        run.child.kill('SIGINT')
        const ended = await run.ended
        expect(ended.code, said(ended)).to.equal(65)
        expect(said(ended)).to.contain(LATE)
        expect((await felhom('journal', 'inflight')).code).to.equal(0)
      })
})
