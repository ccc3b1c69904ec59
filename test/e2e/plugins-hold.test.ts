// Plugins that hold on to the process, or that come with something else, in the built program: it ends all the same, by
// their name where they failed, and with everything printed.
import {spawn} from 'node:child_process'
import {once} from 'node:events'
import {existsSync, readFileSync, rmSync, symlinkSync} from 'node:fs'
import {setTimeout as sleep} from 'node:timers/promises'
import {expect} from 'chai'
import {startFelhom, untilSo} from '../faults/started-process.ts'
import {BIN, bareEnvironment, type Run} from '../support/felhom.ts'
import {said} from '../support/gate-lab.ts'
import type {PluginLab} from '../support/plugin-lab.ts'
import {expectCode, furnished, NAME, setPluginStage} from '../support/plugin-stage.ts'

const REGISTER = `export default ({register}) => register({name: '${NAME}', apiVersion: 1})\n`
const HELLO = {'commands/hello.js': 'export default class { static run() { console.log("hello") } }'}
const BOTH = {commands: './commands', hooks: {'felhom:register': './register.js'}}

describe('a plugin that holds on, in the built program', function () {
  this.timeout(120_000)
  const furnish = (lab: PluginLab): void => {
    lab.write('felhom.yaml', 'felhom: 1\ndesired: guests.yaml\nstate: state\n')
    lab.write('guests.yaml', 'felhom: 1\nguests: {101: {kind: lxc, run: stopped}}\n')
  }
  const stage = setPluginStage(furnish)
  const {felhom} = stage

  it('ends with its result, whatever a plugin has left running', async () => {
    stage.lab.place(NAME, {'register.js': `setInterval(() => {}, 1000)\n${REGISTER}`})
    expect(await expectCode(0, felhom('plan'))).to.contain('1 to stop')
    expect((await felhom('plan', '--detailed-exitcode')).code).to.equal(2)
  })

  it('ends with its name when it never registers, and when a command of it hangs at its import', async () => {
    const timer = 'new Promise((r) => setTimeout(r, 3e6))'
    const labs = [furnished(furnish), furnished(furnish), furnished(furnish)] as const
    labs[0].place(NAME, {'register.js': `export default () => ${timer}`})
    for (const [own, text] of [[labs[1], 'new Promise(() => {})'] as const, [labs[2], timer] as const])
      own.place(
        NAME,
        {'commands/hello.js': `await ${text}\nexport default class {}`},
        {commands: './commands'},
      )
    const run = (own: PluginLab, ...args: string[]): Promise<Run> =>
      own.felhom(args, {env: stage.sandbox.env})
    // Each of them waits for ten seconds, and none keeps a core busy.
    const [silent, ...hanging] = await Promise.all([
      run(labs[0], 'plan'),
      ...labs.slice(1).map((own) => Promise.all([run(own, 'plan'), run(own, '--help')])),
    ])
    expect(silent.code).to.equal(65)
    expect(said(silent)).to.contain(`the plugin ${NAME} cannot be used: it did not register within 10 s`)
    for (const [plan, help] of hanging) {
      expect(plan.code).to.equal(65)
      expect(said(plan)).to.contain(`the plugin ${NAME} cannot be used: it did not load within 10 s`)
      expect(help.code).to.equal(0)
      expect(help.stdout).to.contain('COMMANDS')
      expect(help.stderr).to.contain(`Warning: the plugin ${NAME} cannot be used`)
    }
    for (const own of labs) own.close()
  })

  it('is no success when a command of it waits for what cannot come', async () => {
    const hello = 'export default class { static run() { return new Promise(() => {}) } }'
    stage.lab.place(NAME, {'commands/hello.js': hello, 'register.js': REGISTER}, BOTH)
    const told = 'the command waits for something that nothing is left to bring about'
    expect(await expectCode(1, felhom('hello'))).to.contain(told)
    const {code, stdout} = await felhom('hello', '--json')
    expect(code).to.equal(1)
    expect((JSON.parse(stdout) as {error: {message: string}}).error.message).to.contain(told)
  })

  it('ends a run in order when something fails that it started and nobody waits for', async () => {
    stage.lab.place(NAME, {
      'register.js': `export default ({register}) => register({name: '${NAME}', apiVersion: 1, observers: {
        late: ({type}) => { setTimeout(() => Promise.reject(new Error('late')), type === 'task_started' ? 50 : 5e3).unref() },
      }})\n`,
    })
    const text = await expectCode(65, felhom('apply', '--auto-approve'))
    expect(text).to.contain('nobody waits for, and that a plugin may have started: late')
    expect((await felhom('journal', 'inflight')).code).to.equal(0)
  })

  it('ends at once, by a code of its own, when something that it started throws', async () => {
    const register = REGISTER.replace(
      '1}',
      "1, observers: {late: () => setTimeout(() => { throw new Error('late') })}}",
    )
    stage.lab.place(NAME, {'register.js': register})
    expect(await expectCode(65, felhom('apply', '--auto-approve'))).to.contain('may have started: late')
    await expectCode(0, felhom('recover'))
  })

  it('is no success when it ends the process, but for a command of its own', async () => {
    const leave = 'process.exit(0)'
    stage.lab.write('felhom.yaml', 'felhom: 1\ndesired: {provider: one}\nstate: state\n')
    const provider = REGISTER.replace('1}', `1, providers: {one: () => ${leave}}}`)
    for (const text of [provider, `export default () => ${leave}\n`, `${leave}\n${REGISTER}`]) {
      stage.lab.place(NAME, {'register.js': text})
      const told = await expectCode(65, felhom('plan'))
      expect(told, text).to.contain('something ended the process before the command had come to its end')
    }
    const hello = `export default class { static run() { ${leave} } }`
    stage.lab.place(NAME, {'commands/hello.js': hello, 'register.js': REGISTER}, BOTH)
    await expectCode(0, felhom('hello'))
  })

  it('speaks for itself in a command of its own: no bug of felhom, and its own exit code', async () => {
    const oclif = (text: string, more: string): string => `Object.assign(new Error('${text}'), ${more})`
    const cases = [
      ["new Error('boom')", 65, `${NAME}: boom`],
      [oclif('not today', '{oclif: {exit: 4}}'), 4, 'not today'],
      [oclif('Nonexistent flag: --x', '{oclif: {exit: 2}, parse: {}}'), 64, 'Nonexistent flag: --x'],
    ] as const
    for (const [thrown, code, told] of cases) {
      const hello = `export default class { static run() { throw ${thrown} } }`
      stage.lab.place(NAME, {'commands/hello.js': hello, 'register.js': REGISTER}, BOTH)
      const text = await expectCode(code, felhom('hello'))
      expect(text).to.contain(told)
      expect(text).not.to.contain('bug in felhom')
    }
  })

  it('runs no command of it below version and help beside a plugin that is broken', async () => {
    const files = {
      'commands/version/x.js': HELLO['commands/hello.js'],
      'commands/help/x.js': HELLO['commands/hello.js'],
    }
    stage.lab.place(NAME, {...files, 'register.js': REGISTER.replace('1}', '2}')}, BOTH)
    for (const topic of ['version', 'help']) {
      const ran = await felhom(topic, 'x')
      expect([ran.code, ran.stdout]).to.deep.equal([65, ''])
    }
    await expectCode(0, felhom('version'))
    await expectCode(0, felhom('version', 'x', '--help'))
  })

  /** With Ctrl-C, once code of the plugin has marked that it began. */
  async function interrupt(args: readonly string[]): Promise<Run> {
    const run = startFelhom(args, {cwd: stage.lab.dir, env: {...stage.sandbox.env, ...stage.lab.env}})
    await untilSo('it began', run, () => existsSync(stage.lab.at('began')))
    run.child.kill('SIGINT')
    return run.ended
  }

  it('lets Ctrl-C end whoever waits for it to register, or for its rule, at once', async () => {
    stage.lab.list()
    stage.lab.write('guests.yaml', 'felhom: 1\nguests: {101: {kind: lxc, config: {memory: 777}}}\n')
    await expectCode(0, felhom('apply', '--auto-approve'))
    stage.lab.write('guests.yaml', 'felhom: 1\nguests: {101: {kind: lxc, config: {memory: 778}}}\n')
    stage.lab.list(NAME)
    const hang = `{ writeFileSync('began', ''); return new Promise(() => {}) }`
    for (const [text, commands] of [
      [`export default () => ${hang}`, ['apply', 'undo --dry-run']],
      [
        REGISTER.replace('1}', `1, rules: {one: () => ${hang}}}`),
        ['apply', 'undo', 'undo --dry-run', 'gate check'],
      ],
    ] as const) {
      stage.lab.place(NAME, {'register.js': `import {writeFileSync} from 'node:fs'\n${text}`})
      for (const command of commands) {
        const startedMs = Date.now()
        const {code, stdout, stderr} = await interrupt(command.split(' '))
        expect([code, stdout], command + stderr).to.deep.equal([130, ''])
        expect(stderr).to.contain('interrupted before anything was sent')
        expect(Date.now() - startedMs, command).to.be.below(4_000)
        rmSync(stage.lab.at('began'))
      }
    }
  })

  it('lets Ctrl-C end whoever waits for its provider, and tells it so', async () => {
    const provide = `(options, {signal}) => new Promise(() => {
      writeFileSync('began', '')
      signal.addEventListener('abort', () => writeFileSync('ended', signal.reason.message))
    })`
    const register = REGISTER.replace('1}', `1, providers: {one: ${provide}}}`)
    stage.lab.place(NAME, {'register.js': `import {writeFileSync} from 'node:fs'\n${register}`})
    stage.lab.write('felhom.yaml', 'felhom: 1\ndesired: {provider: one}\nstate: state\n')
    for (const args of [
      ['apply', '--auto-approve'],
      ['gate', 'check'],
    ]) {
      expect((await interrupt(args)).code).to.equal(130)
      expect(readFileSync(stage.lab.at('ended'), 'utf8')).to.equal('interrupted before anything was sent')
      for (const file of ['began', 'ended']) rmSync(stage.lab.at(file))
    }
  })

  it('prints all that there is to print into a pipe that is read slowly', async () => {
    const text = `'x'.repeat(79).concat('\\n').repeat(40_000)`
    stage.lab.place(NAME, {
      'register.js': `setInterval(() => {}, 1000)
export default ({register}) => register({name: '${NAME}', apiVersion: 1, formats: {long: () => ${text}}})\n`,
    })
    const child = spawn(process.execPath, [BIN, 'plan', '--output', 'long'], {
      cwd: stage.lab.dir,
      env: bareEnvironment({...stage.sandbox.env, ...stage.lab.env}),
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
    stage.lab.place(NAME, {'register.js': `setInterval(() => {}, 1000)\n${REGISTER}`})
    const child = spawn(process.execPath, [BIN, 'plan'], {
      cwd: stage.lab.dir,
      env: bareEnvironment({...stage.sandbox.env, ...stage.lab.env}),
      stdio: ['ignore', 'pipe', 'pipe'],
    })
    child.stdout.destroy()
    child.stderr.destroy()
    expect((await once(child, 'exit'))[0]).to.equal(0)
  })

  it('runs none of its commands beside a plugin that is broken, be it itself', async () => {
    stage.lab.place(NAME, {...HELLO, 'register.js': REGISTER}, BOTH)
    expect(await expectCode(0, felhom('hello'))).to.contain('hello')
    stage.lab.list(NAME, 'felhom-plugin-gone')
    const gone = await felhom('hello')
    expect([gone.code, gone.stdout]).to.deep.equal([65, ''])
    expect(said(gone)).to.contain('the plugin felhom-plugin-gone cannot be used')
    stage.lab.list(NAME)
    stage.lab.place(NAME, {...HELLO, 'register.js': REGISTER.replace('1}', '2}')}, BOTH)
    const old = await felhom('hello')
    expect([old.code, old.stdout]).to.deep.equal([65, ''])
    expect(said(old)).to.contain('it is written for API version 2')
    await expectCode(0, felhom('version'))
  })

  it('is counted on where nobody can tell whether it is there: nothing is sent', async () => {
    rmSync(stage.lab.dataDir, {recursive: true, force: true})
    symlinkSync('data', stage.lab.dataDir)
    for (const args of [['plan'], ['apply', '--auto-approve'], ['daemon', '--once', '--mode', 'full']])
      expect(await expectCode(65, felhom(...args))).to.contain('package.json cannot be read (ELOOP')
    const requests = Object.keys(await stage.sandbox.requests())
    expect(requests.filter((key) => !key.startsWith('GET '))).to.deep.equal([])
    await expectCode(0, felhom('--help'))
    rmSync(stage.lab.dataDir)
    symlinkSync('away', stage.lab.dataDir)
    expect(await expectCode(65, felhom('plan'))).to.match(/a link on\s+the\s+way\s+to/)
    await expectCode(0, felhom('version'))
    rmSync(stage.lab.dataDir)
    stage.lab.write('data', 'below a file there is nothing')
    await expectCode(0, felhom('plan'))
  })

  it('runs nothing of a plugin within a plugin, and sends nothing', async () => {
    const child = 'felhom-plugin-child'
    stage.lab.place(NAME, HELLO, {commands: './commands', plugins: [child]})
    const manifest = {name: NAME, version: '1.0.0', type: 'module', dependencies: {[child]: '1.0.0'}}
    const oclif = {commands: './commands', plugins: [child]}
    stage.lab.write(`data/node_modules/${NAME}/package.json`, JSON.stringify({...manifest, oclif}))
    const hooks = {init: './init.js', 'felhom:register': './register.js'}
    stage.lab.place(child, {'init.js': 'console.error("child ran")', 'register.js': REGISTER}, {hooks})
    for (const args of [['apply', '--auto-approve'], ['--help']])
      expect(said(await felhom(...args)))
        .to.contain(`the plugin ${NAME} cannot be used: it brings plugins of its own`)
        .and.not.contain('child ran')
    const sent = Object.keys(await stage.sandbox.requests()).filter((key) => !key.startsWith('GET '))
    expect(sent).to.deep.equal([])
  })
})
