// Plugins that fail, in the built program: it ends with their name, nothing is sent, and they can be removed.
import {cpSync, existsSync, rmSync} from 'node:fs'
import {expect} from 'chai'
import {inScratch} from '../support/felhom.ts'
import {said} from '../support/gate-lab.ts'
import {expectCode, NAME, setPluginStage} from '../support/plugin-stage.ts'
import {Terminal} from '../support/terminal.ts'

const bringing = (what: string): Record<string, string> => ({
  'register.js': `export default ({register}) => register({name: '${NAME}', apiVersion: 1, ${what}})\n`,
})

describe('a plugin in the built program', function () {
  this.timeout(120_000)
  const stage = setPluginStage((lab) => {
    lab.write('felhom.yaml', `felhom: 1\ndesired: guests.yaml\nstate: state\nplugins: {allow: [${NAME}]}\n`)
    lab.write('guests.yaml', 'felhom: 1\nguests: {101: {kind: lxc, run: stopped}}\n')
  })
  const {felhom} = stage

  const writes = async (): Promise<string[]> =>
    Object.keys(await stage.sandbox.requests()).filter((key) => !key.startsWith('GET '))

  it('stops every command when it registers, and can be removed', async () => {
    const failing = {'register.js': 'export default () => { throw new Error("no luck") }'}
    const commands = [['plan'], ['apply', '--auto-approve'], ['daemon', '--once']]
    for (const [files, runs] of [
      [failing, commands],
      [{'register.js': 'export default {'}, [['plan']]],
    ] as const) {
      stage.lab.place(NAME, files)
      for (const args of runs)
        expect(await expectCode(65, felhom(...args))).to.contain(`the plugin ${NAME} cannot be used`)
    }
    expect(await writes()).to.deep.equal([])
    await expectCode(0, felhom('plugins', 'remove', NAME))
    expect(await expectCode(0, felhom('plan'))).not.to.contain(NAME)
  })

  it('is not missed by the daemon when it cannot provide: the last good state is used after a restart', async () => {
    const provide = `providers: {odd: () => [{name: 'a.yaml', content: 'felhom: 1\\nguests: {101: {kind: lxc, config: {memory: 777}}}\\n'}]}`
    stage.lab.write(
      'felhom.yaml',
      `felhom: 1\ndesired: {provider: odd}\nstate: state\nplugins: {allow: [${NAME}]}\n`,
    )
    stage.lab.place(NAME, bringing(provide))
    await expectCode(0, felhom('daemon', '--once'))
    stage.lab.place(NAME, bringing('providers: {odd: () => { throw new Error("no luck") }}'))
    await felhom('daemon', '--once', '--mode', 'benign')
    expect(await writes()).to.deep.equal(['PUT /nodes/{node}/lxc/{vmid}/config'])
    expect(await expectCode(0, felhom('source', 'show'))).to.match(/away: the last good state is used/)
  })

  it('brings a command, which is run', async () => {
    const hello = 'export default class { static run() { console.log("hello") } }'
    stage.lab.place(NAME, {'commands/hello.js': hello}, {commands: './commands'})
    expect(await expectCode(0, felhom('hello'))).to.contain('hello')
    stage.lab.place(NAME, {'commands/plan.js': hello}, {commands: './commands'})
    expect(await expectCode(65, felhom('validate'))).to.contain(
      'its command "plan" has the name of one of felhom',
    )
  })

  it('is named in the log of the daemon when it cannot tell of an alert', async () => {
    stage.lab.place(NAME, bringing('notifiers: {odd: () => { throw new Error("no luck") }}'))
    stage.lab.write(
      'guests.yaml',
      'felhom: 1\nguests: {101: {kind: lxc, config: {protection: true}, ensure: absent}}\n',
    )
    const {stderr} = await felhom('daemon', '--once', '--mode', 'full')
    expect(stderr).to.contain(`the notifier odd of the plugin ${NAME} failed: no luck`)
  })

  it('is removed though its files are gone, or its commands end the process', async () => {
    stage.lab.place(NAME, {'commands/hello.js': 'process.exit(9)'}, {commands: './commands'})
    await expectCode(65, felhom('plan'))
    await expectCode(0, felhom('plugins', 'remove', NAME))
    stage.lab.list(NAME)
    rmSync(stage.lab.at('data/node_modules'), {recursive: true, force: true})
    expect(await expectCode(65, felhom('plan'))).to.contain(NAME)
    await expectCode(0, felhom('plugins', 'remove', NAME))
  })

  it('refuses what its rule cannot weigh: exit code 3, and nothing is sent', async () => {
    stage.lab.place(NAME, bringing('rules: {odd: () => { throw new Error("no luck") }}'))
    const expected = `the rule odd of the plugin ${NAME} failed: no luck`
    expect(await expectCode(0, felhom('plan'))).to.contain(expected)
    expect(await expectCode(3, felhom('apply', '--auto-approve'))).to.contain(expected)
    await expectCode(3, felhom('daemon', '--once', '--mode', 'full'))
    expect(await writes()).to.deep.equal([])
  })

  it('ends a run that its observer was to see', async () => {
    stage.lab.place(NAME, bringing('observers: {odd: () => { throw new Error("no luck") }}'))
    const told = await expectCode(65, felhom('apply', '--auto-approve'))
    expect(told).to.contain(`the observer odd of the plugin ${NAME} failed: no luck`)
  })

  it('is told for a form that it cannot make', async () => {
    stage.lab.place(
      NAME,
      bringing('formats: {odd: () => 5, good: (plan) => `guests: ${plan.resource_changes.length}`}'),
    )
    expect(await expectCode(65, felhom('plan', '--output', 'odd'))).to.contain('it made no text')
    expect((await felhom('plan', '--output', 'good')).stdout).to.equal('guests: 1\n')
  })

  it('cannot make a terminal obey what its form holds, and is left as it is in a pipe', async () => {
    stage.lab.place(NAME, bringing(String.raw`formats: {raw: () => 'a\tb\nx\u001b[2J\u202ey'}`))
    expect((await felhom('plan', '--output', 'raw')).stdout).to.equal('a\tb\nx\u001b[2J\u202ey\n')
    const saved = await felhom('plan', '--out', 'plan.json')
    expect(saved.code, said(saved)).to.equal(0)
    const config = ['--config', stage.lab.at('felhom.yaml'), '--output', 'raw']
    for (const args of [
      ['plan', ...config],
      ['show', stage.lab.at('plan.json'), ...config],
    ]) {
      const terminal = await Terminal.open(args, {...stage.sandbox.env, ...stage.lab.env})
      try {
        expect(await terminal.exitCode()).to.equal(0)
        expect(await terminal.read())
          .to.match(/^a +b$/m)
          .and.contain(String.raw`x\x1b[2J\u{202e}y`)
      } finally {
        await terminal.close()
      }
    }
  })

  it('is not installed if it is no plugin, or wants more than the one hook', async () => {
    await inScratch(async (dir) => {
      for (const [oclif, expected] of [
        [{}, 'is no plugin for felhom'],
        [{hooks: {'felhom:register': './register.js', init: './register.js'}}, 'hooks into "init"'],
        [{hooks: {'felhom:register': './register.js'}, plugins: ['felhom-plugin-y']}, 'plugins of its own'],
      ] as const) {
        stage.lab.place(NAME, bringing(''), oclif)
        cpSync(stage.lab.at('data/node_modules', NAME), dir, {recursive: true})
        rmSync(stage.lab.at('data'), {recursive: true})
        expect(await expectCode(64, felhom('plugins', 'install', dir))).to.contain(expected)
        expect(existsSync(stage.lab.at('data/node_modules', NAME))).to.equal(false)
        expect(await expectCode(0, felhom('plugins', 'list'))).to.contain('No plugin is installed')
      }
    })
  })

  it('runs no code in a daemon that may not load it: no hook of any kind, and no command', async () => {
    const code = `import {writeFileSync} from 'node:fs'\nwriteFileSync(${JSON.stringify(stage.lab.at('ran'))}, '')\nexport default () => {}\n`
    const hooks = {
      'felhom:register': './code.js',
      init: './code.js',
      prerun: './code.js',
      finally: './code.js',
    }
    stage.lab.place(NAME, {'code.js': code, 'commands/hello.js': code}, {hooks, commands: './commands'})
    stage.lab.write('felhom.yaml', 'felhom: 1\ndesired: guests.yaml\nstate: state\n')
    await felhom('daemon', '--once')
    await felhom('daemon', '--help')
    await felhom('plugins', 'list')
    expect(existsSync(stage.lab.at('ran'))).to.equal(false)
    await felhom('plan')
    expect(existsSync(stage.lab.at('ran')), 'it would have').to.equal(true)
  })
})
