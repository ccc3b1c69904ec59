// Plugins that hold on to the process, or that come with something else, in the built program: it ends all the same, by
// their name where they failed, and with everything printed.
import {expect} from 'chai'
import type {Run} from '../support/felhom.ts'
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

  for (const [title, text] of [['and has nothing to wait for', 'await new Promise(() => {})']] as const)
    it(`ends with its name when a command of it hangs at its import ${title}`, async () => {
      lab.place(NAME, {'commands/hello.js': `${text}\nexport default class {}`}, {commands: './commands'})
      const [plan, help] = await Promise.all([felhom('plan'), felhom('--help')])
      expect(plan.code).to.equal(65)
      expect(said(plan)).to.contain(`the plugin ${NAME} cannot be used: it did not load within 10 s`)
      expect(help.code).to.equal(0)
      expect(help.stdout).to.contain('COMMANDS')
      expect(help.stderr).to.contain(`Warning: the plugin ${NAME} cannot be used`)
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
