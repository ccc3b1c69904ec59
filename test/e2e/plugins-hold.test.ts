// Plugins that hold on to the process, or that come with something else, in the built program: it ends all the same, by
// their name where they failed, and with everything printed.
import {spawn} from 'node:child_process'
import {once} from 'node:events'
import {setTimeout as sleep} from 'node:timers/promises'
import {expect} from 'chai'
import {BIN, bareEnvironment, type Run} from '../support/felhom.ts'
import {said} from '../support/gate-lab.ts'
import {PluginLab} from '../support/plugin-lab.ts'
import {startSandboxProcess, type SandboxProcess} from '../support/sandbox-process.ts'

const NAME = 'felhom-plugin-x'
const REGISTER = `export default ({register}) => register({name: '${NAME}', apiVersion: 1})\n`
const HELLO = {'commands/hello.js': 'export default class { static run() { console.log("hello") } }'}
const BOTH = {commands: './commands', hooks: {'felhom:register': './register.js'}}

describe('a plugin that holds on, in the built program', function () {
  this.timeout(120_000)
  let sandbox: SandboxProcess
  let lab: PluginLab

  before(async () => {
    sandbox = await startSandboxProcess()
  })
  after(() => sandbox.stop())
  beforeEach(async () => {
    await sandbox.reset()
    lab = new PluginLab()
    lab.list(NAME)
    lab.write('felhom.yaml', 'felhom: 1\ndesired: guests.yaml\nstate: state\n')
    lab.write('guests.yaml', 'felhom: 1\nguests: {101: {kind: lxc, run: stopped}}\n')
  })
  afterEach(() => {
    lab.close()
  })

  const felhom = (...args: string[]): Promise<Run> => lab.felhom(args, {env: sandbox.env})

  async function expectCode(code: number, run: Promise<Run>): Promise<string> {
    const ended = await run
    expect(ended.code, said(ended)).to.equal(code)
    return said(ended)
  }

  it('ends with its result, whatever a plugin has left running', async () => {
    lab.place(NAME, {'register.js': `setInterval(() => {}, 1000)\n${REGISTER}`})
    expect(await expectCode(0, felhom('plan'))).to.contain('1 to stop')
    expect((await felhom('plan', '--detailed-exitcode')).code).to.equal(2)
  })

  it('ends with its name when it never registers, and keeps a timer', async () => {
    lab.place(NAME, {'register.js': 'export default () => new Promise((r) => setTimeout(r, 3e6))'})
    expect(await expectCode(65, felhom('plan'))).to.contain(
      `the plugin ${NAME} cannot be used: it did not register within 10 s`,
    )
  })

  for (const [title, text] of [
    ['and has nothing to wait for', 'await new Promise(() => {})'],
    ['with a timer', 'await new Promise((r) => setTimeout(r, 3e6))'],
  ] as const)
    it(`ends with its name when a command of it hangs at its import ${title}`, async () => {
      lab.place(NAME, {'commands/hello.js': `${text}\nexport default class {}`}, {commands: './commands'})
      const [plan, help] = await Promise.all([felhom('plan'), felhom('--help')])
      expect(plan.code).to.equal(65)
      expect(said(plan)).to.contain(`the plugin ${NAME} cannot be used: it did not load within 10 s`)
      expect(help.code).to.equal(0)
      expect(help.stdout).to.contain('COMMANDS')
      expect(help.stderr).to.contain(`Warning: the plugin ${NAME} cannot be used`)
    })

  it('is no success when a command of it waits for what cannot come', async () => {
    const hello = 'export default class { static run() { return new Promise(() => {}) } }'
    lab.place(NAME, {'commands/hello.js': hello, 'register.js': REGISTER}, BOTH)
    const told = 'the command waits for something that nothing is left to bring about'
    expect(await expectCode(1, felhom('hello'))).to.contain(told)
    const {code, stdout} = await felhom('hello', '--json')
    expect(code).to.equal(1)
    expect((JSON.parse(stdout) as {error: {message: string}}).error.message).to.contain(told)
  })

  it('prints all that there is to print into a pipe that is read slowly', async () => {
    const text = `'x'.repeat(79).concat('\\n').repeat(40_000)`
    lab.place(NAME, {
      'register.js': `setInterval(() => {}, 1000)
export default ({register}) => register({name: '${NAME}', apiVersion: 1, formats: {long: () => ${text}}})\n`,
    })
    const child = spawn(process.execPath, [BIN, 'plan', '--output', 'long'], {
      cwd: lab.dir,
      env: bareEnvironment({...sandbox.env, ...lab.env}),
      stdio: ['ignore', 'pipe', 'inherit'],
    })
    const exited = once(child, 'exit') as Promise<[number]>
    let bytes = 0
    for await (const chunk of child.stdout as AsyncIterable<Buffer>) {
      bytes += chunk.byteLength
      await sleep(5)
    }
    // And the line break that ends it.
    expect([(await exited)[0], bytes]).to.deep.equal([0, 80 * 40_000 + 1])
  })

  it('ends well if nobody reads what it prints', async () => {
    lab.place(NAME, {'register.js': `setInterval(() => {}, 1000)\n${REGISTER}`})
    const child = spawn(process.execPath, [BIN, 'plan'], {
      cwd: lab.dir,
      env: bareEnvironment({...sandbox.env, ...lab.env}),
      stdio: ['ignore', 'pipe', 'pipe'],
    })
    child.stdout.destroy()
    child.stderr.destroy()
    expect((await once(child, 'exit'))[0]).to.equal(0)
  })

  it('runs none of its commands beside a plugin that is broken, be it itself', async () => {
    lab.place(NAME, {...HELLO, 'register.js': REGISTER}, BOTH)
    expect(await expectCode(0, felhom('hello'))).to.contain('hello')
    lab.list(NAME, 'felhom-plugin-gone')
    const gone = await felhom('hello')
    expect([gone.code, gone.stdout]).to.deep.equal([65, ''])
    expect(said(gone)).to.contain('the plugin felhom-plugin-gone cannot be used')
    lab.list(NAME)
    lab.place(NAME, {...HELLO, 'register.js': REGISTER.replace('1}', '2}')}, BOTH)
    const old = await felhom('hello')
    expect([old.code, old.stdout]).to.deep.equal([65, ''])
    expect(said(old)).to.contain('it is written for API version 2')
    await expectCode(0, felhom('version'))
  })

  it('runs nothing of a plugin within a plugin, and sends nothing', async () => {
    const child = 'felhom-plugin-child'
    lab.place(NAME, HELLO, {commands: './commands', plugins: [child]})
    const manifest = {name: NAME, version: '1.0.0', type: 'module', dependencies: {[child]: '1.0.0'}}
    const oclif = {commands: './commands', plugins: [child]}
    lab.write(`data/node_modules/${NAME}/package.json`, JSON.stringify({...manifest, oclif}))
    const hooks = {init: './init.js', 'felhom:register': './register.js'}
    lab.place(child, {'init.js': 'console.error("child ran")', 'register.js': REGISTER}, {hooks})
    for (const args of [['apply', '--auto-approve'], ['--help']])
      expect(said(await felhom(...args)))
        .to.contain(`the plugin ${NAME} cannot be used: it brings plugins of its own`)
        .and.not.contain('child ran')
    const sent = Object.keys(await sandbox.requests()).filter((key) => !key.startsWith('GET '))
    expect(sent).to.deep.equal([])
  })
})
