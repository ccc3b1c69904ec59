// Plugins whose code fails where nobody waits for it, in the built program: it ends in order, and says the same by its
// exit code, on stderr and in its one envelope.
import {existsSync} from 'node:fs'
import {setTimeout as sleep} from 'node:timers/promises'
import {expect} from 'chai'
import {startFelhom, untilSo, type StartedProcess} from '../faults/started-process.ts'
import type {Run} from '../support/felhom.ts'
import {said} from '../support/gate-lab.ts'
import {NAME, setPluginStage} from '../support/plugin-stage.ts'

const LATE = 'something failed that nobody waits for'

describe('a plugin that fails late, in the built program', function () {
  this.timeout(120_000)
  const stage = setPluginStage((lab) => {
    lab.write('felhom.yaml', `felhom: 1\ndesired: guests.yaml\nstate: state\nplugins: {allow: [${NAME}]}\n`)
    lab.write('guests.yaml', 'felhom: 1\nguests: {150: {kind: lxc, run: running}}\n')
  })
  const {felhom} = stage
  beforeEach(() => stage.sandbox.control({startDelaySeconds: 3}))

  const start = (...args: string[]): StartedProcess =>
    startFelhom(args, {cwd: stage.lab.dir, env: {...stage.sandbox.env, ...stage.lab.env}})

  const bring = (what: string): void => {
    const imports = `import {writeFileSync} from 'node:fs'\nimport {setTimeout as sleep} from 'node:timers/promises'\n`
    const text = `${imports}export default ({register}) => register({name: '${NAME}', apiVersion: 1, ${what}})\n`
    stage.lab.place(NAME, {'register.js': text})
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
        await untilSo(mark, run, () => existsSync(stage.lab.at(mark)))
        await sleep(100)
        run.child.kill('SIGINT')
        const ended = await run.ended
        expect(ended.code, said(ended)).to.equal(65)
        expect(said(ended)).to.contain(LATE)
        expect((await felhom('journal', 'inflight')).code).to.equal(0)
      })

  interface Answer {
    readonly ok: boolean
    readonly error: {readonly code: string; readonly message: string}
    readonly result: {readonly exitCode: number} | null
  }

  /** The one envelope is the last of what is printed. */
  function readAnswer({code, stdout, stderr}: Run): Answer {
    expect(code, stderr).to.equal(65)
    expect(stderr).to.contain(LATE)
    // An apply prints a line for each event, the others all of theirs at once.
    const texts = stdout.startsWith('{\n') ? [stdout] : stdout.trimEnd().split('\n')
    const answers = texts.map((text) => JSON.parse(text) as Answer).filter((one) => 'ok' in one)
    expect(answers).to.have.lengthOf(1)
    return answers[0] as Answer
  }

  it('says so in the one envelope of an apply, which tells what was done', async () => {
    failLate(100)
    const {ok, error, result} = readAnswer(await felhom('apply', '--auto-approve', '--json'))
    expect([ok, error.code, result?.exitCode]).to.deep.equal([false, 'plugin_failed', 65])
  })

  it('says so in the one envelope of who ends at once, or is waiting for a plugin', async () => {
    stage.lab.write('felhom.yaml', `felhom: 1\ndesired: {provider: one}\nstate: state\n`)
    bring(`providers: {one: async () => { Promise.reject(new Error('late')); await sleep(2e3); return [] }}`)
    for (const args of [['plan'], ['validate'], ['apply', '--auto-approve'], ['gate', 'check']]) {
      const run = await felhom(...args, '--json')
      const {ok, error, result} = readAnswer(run)
      expect([ok, error.code, result], args.join(' ')).to.deep.equal([false, 'plugin_failed', null])
      const text = await felhom(...args)
      expect(text.code).to.equal(65)
      expect(text.stderr)
        .to.contain(LATE)
        .and.not.to.match(/interrupted/)
    }
  })

  it('answers once where it throws', async () => {
    bring(`observers: {late: () => { setTimeout(() => { throw new Error('late') }) }}`)
    expect(readAnswer(await felhom('apply', '--auto-approve', '--json')).error.code).to.equal('plugin_failed')
  })

  it('ends the process under no code of its own, and not in silence', async () => {
    stage.lab.write('felhom.yaml', `felhom: 1\ndesired: {provider: one}\nstate: state\n`)
    for (const code of [0, 2, 3, 130]) {
      bring(`providers: {one: () => process.exit(${code})}`)
      const run = await felhom('plan')
      expect([run.code, run.stdout]).to.deep.equal([65, ''])
      expect(run.stderr).to.contain('something ended the process before the command had come to its end')
      const {error} = JSON.parse((await felhom('plan', '--json')).stdout) as Answer
      expect(error.code).to.equal('plugin_failed')
    }
  })

  it('is not blamed for a disk that is full, with or without it', async () => {
    bring('')
    for (const names of [[NAME], []]) {
      stage.lab.list(...names)
      for (const command of ['plan', 'plan --json', 'apply --auto-approve']) {
        const run = startFelhom(command.split(' '), {
          cwd: stage.lab.dir,
          env: {...stage.sandbox.env, ...stage.lab.env},
          behind: ['/bin/sh', '-c', 'exec "$@" > /dev/full', 'sh'],
        })
        const {code, stderr} = await run.ended
        expect(code, command).to.equal(1)
        expect(stderr).to.match(/the\s+output\s+could\s+not\s+be\s+written: ENOSPC/)
        expect(stderr.length).to.be.below(1_000)
      }
    }
  })
})
