// Real packages in a data directory, loaded by a real oclif: what is wrong with one of them stops felhom, by name.
import {existsSync, rmSync, writeFileSync} from 'node:fs'
import {Config, Plugin} from '@oclif/core'
import {expect} from 'chai'
import {addPlugins, type AddOptions} from '../../../src/lib/cli/add-plugins.ts'
import {loadPlugins, type LoadOptions} from '../../../src/lib/cli/load-plugins.ts'
import {startPlugins} from '../../../src/lib/cli/start-plugins.ts'
import type {Extensions} from '../../../src/lib/plugin/extensions.ts'
import {PluginLab} from '../../support/plugin-lab.ts'
import {rejection} from '../../support/reject.ts'

const registering = (text: string): {'register.js': string} => ({
  'register.js': `export default ({register}) => register(${text})\n`,
})
const plugin = (name: string, more = ''): {'register.js': string} =>
  registering(`{name: '${name}', apiVersion: 1, ${more}}`)

describe('loading plugins', () => {
  let lab: PluginLab
  const {FELHOM_DATA_DIR: before} = process.env
  const emitWarning = process.emitWarning.bind(process)

  beforeEach(() => {
    lab = new PluginLab()
    // oclif warns of what it leaves out; here it stops felhom.
    process.emitWarning = () => undefined
    process.env['FELHOM_DATA_DIR'] = lab.dataDir
    lab.write('root/package.json', JSON.stringify({name: 'felhom', version: '0.2.0', oclif: {bin: 'felhom'}}))
  })
  afterEach(() => {
    process.emitWarning = emitWarning
    if (before === undefined) delete process.env['FELHOM_DATA_DIR']
    else process.env['FELHOM_DATA_DIR'] = before
    lab.close()
  })

  const load = async (options: LoadOptions = {}): Promise<Extensions> =>
    loadPlugins(await Config.load(lab.at('root')), options)

  const bare = (): Promise<Config> => Config.load({root: lab.at('root'), userPlugins: false})

  const failure = async (options: LoadOptions = {}): Promise<string> => {
    const error = await rejection(load(options))
    expect(error).to.have.property('code', 'plugin_failed')
    expect(error.doubt).to.equal('Nothing was done without it.')
    return error.message
  }

  it('takes what they bring, whatever the order they are listed in', async () => {
    lab.place('felhom-plugin-a', plugin('felhom-plugin-a', 'rules: {late: () => undefined}'))
    lab.place('felhom-plugin-b', plugin('felhom-plugin-b', 'rules: {early: () => undefined}'))
    for (const names of [
      ['felhom-plugin-a', 'felhom-plugin-b'],
      ['felhom-plugin-b', 'felhom-plugin-a'],
    ]) {
      lab.list(...names)
      const {plugins, rules} = await load()
      expect(plugins).to.deep.equal(['felhom-plugin-a', 'felhom-plugin-b'])
      expect(rules.map(({name}) => name)).to.deep.equal(['early', 'late'])
    }
  })

  it('asks nobody where nothing is installed', async () => {
    expect((await load()).plugins).to.deep.equal([])
  })

  describe('stops, with its name, at one that', () => {
    const cases: [string, Record<string, string>, RegExp][] = [
      [
        'throws',
        {'register.js': 'export default () => { throw new Error("no luck") }'},
        /to register: no luck/,
      ],
      ['throws no error', {'register.js': 'export default () => { throw "odd" }'}, /failed to register: odd/],
      [
        'throws what cannot be shown',
        {'register.js': 'export default () => { throw Object.create(null) }'},
        /failed to register: it threw something that cannot be shown/,
      ],
      [
        'rejects',
        {'register.js': 'export default async () => { throw new Error("late") }'},
        /to register: late/,
      ],
      ['throws when it is imported', {'register.js': 'throw new Error("at once")'}, /to register: at once/],
      [
        'hangs',
        {'register.js': 'export default () => new Promise(() => {})'},
        /did not register within 0\.2 s/,
      ],
      [
        'hangs when it is imported',
        {'register.js': 'await new Promise(() => {})'},
        /did not register within/,
      ],
      ['cannot be parsed', {'register.js': 'export default {'}, /failed to register/],
      ['lacks the file of its hook', {}, /failed to register/],
      ['has no function there', {'register.js': 'export const answer = 42'}, /has registered nothing/],
      ['registers nothing', {'register.js': 'export default () => {}'}, /has registered nothing/],
      ['registers nothing that is anything', registering('null'), /what it registered is no plain object/],
      [
        'is written for another version',
        registering(`{name: 'felhom-plugin-x', apiVersion: 2}`),
        /API version 2/,
      ],
      ['says no version', registering(`{name: 'felhom-plugin-x'}`), /API version undefined/],
      ['takes the name of another', plugin('felhom-plugin-y'), /under the name "felhom-plugin-y"/],
      [
        'brings what nobody knows',
        plugin('felhom-plugin-x', 'gates: {}'),
        /"gates", which felhom does not know/,
      ],
      ['brings no function', plugin('felhom-plugin-x', 'rules: {r: 1}'), /r of its rules is no function/],
      [
        'registers twice',
        {
          'register.js': `export default ({register}) => {
            register({name: 'felhom-plugin-x', apiVersion: 1})
            register({name: 'felhom-plugin-x', apiVersion: 1})
          }`,
        },
        /registered twice/,
      ],
    ]
    for (const [title, files, expected] of cases)
      it(title, async () => {
        lab.place('felhom-plugin-x', files)
        lab.list('felhom-plugin-x')
        expect(await failure({timeoutMs: 200}))
          .to.match(expected)
          .and.contain('the plugin felhom-plugin-x')
      })

    it('registers more when its hook has ended, which would be passed over', async () => {
      const more = `{name: 'felhom-plugin-x', apiVersion: 1, rules: {late: () => 'destructive'}}`
      lab.place('felhom-plugin-x', {
        'register.js': `export default ({register}) => {
          register({name: 'felhom-plugin-x', apiVersion: 1})
          globalThis.registerLate = () => register(${more})
        }`,
      })
      lab.list('felhom-plugin-x')
      await load()
      const {registerLate} = globalThis as unknown as {registerLate: () => void}
      expect(registerLate).to.throw(/the plugin felhom-plugin-x .*registered after its hook had ended/)
    })

    it('is listed, and away', async () => {
      lab.place('felhom-plugin-x', plugin('felhom-plugin-x'))
      lab.list('felhom-plugin-x')
      rmSync(lab.at('data/node_modules'), {recursive: true})
      expect(await failure()).to.match(/felhom-plugin-x .*could not be loaded/)
    })

    it('is another package than the one that is listed', async () => {
      lab.place('felhom-plugin-x', plugin('felhom-plugin-y'))
      lab.write('data/node_modules/felhom-plugin-x/package.json', '{"name": "felhom-plugin-y", "oclif": {}}')
      lab.list('felhom-plugin-x')
      expect(await failure()).to.match(/felhom-plugin-x .*could not be loaded/)
    })

    it('brings plugins of its own, or is one of those', async () => {
      lab.place('felhom-plugin-child', plugin('felhom-plugin-child', 'rules: {r: () => "destructive"}'))
      lab.place('felhom-plugin-x', {}, {plugins: ['felhom-plugin-child']})
      const manifest = {name: 'felhom-plugin-x', version: '1.0.0', oclif: {plugins: ['felhom-plugin-child']}}
      lab.write(
        'data/node_modules/felhom-plugin-x/package.json',
        JSON.stringify({...manifest, dependencies: {'felhom-plugin-child': '1.0.0'}}),
      )
      lab.list('felhom-plugin-x')
      expect(await failure()).to.match(/felhom-plugin-x .*it brings plugins of its own/)
      lab.list('felhom-plugin-x', 'felhom-plugin-child')
      expect(await failure()).to.match(/felhom-plugin-x .*it brings plugins of its own/)
    })

    it('is loaded, and neither listed nor allowed', async () => {
      lab.place('felhom-plugin-x', plugin('felhom-plugin-x'))
      lab.place('felhom-plugin-y', plugin('felhom-plugin-y'))
      lab.list('felhom-plugin-y')
      const config = await Config.load(lab.at('root'))
      const stranger = new Plugin({name: 'felhom-plugin-x', root: lab.at('data/package.json'), type: 'user'})
      await stranger.load()
      config.plugins.set(stranger.name, stranger)
      expect((await rejection(loadPlugins(config))).message).to.match(
        /felhom-plugin-x .*it is loaded, though/,
      )
      expect(await failure({allow: []})).to.match(/felhom-plugin-y .*it is loaded, though/)
    })

    it('hooks into oclif itself, where what it throws would be swallowed', async () => {
      const hooks = {'felhom:register': './register.js', prerun: './register.js'}
      lab.place('felhom-plugin-x', plugin('felhom-plugin-x'), {hooks})
      lab.list('felhom-plugin-x')
      expect(await failure()).to.match(/felhom-plugin-x .*hooks into "prerun"/)
    })

    it('brings a command that cannot be loaded', async () => {
      lab.place('felhom-plugin-x', {'commands/hello.js': 'throw new Error("no")'}, {commands: './commands'})
      lab.list('felhom-plugin-x')
      expect(await failure()).to.match(/felhom-plugin-x .*command "hello" cannot be loaded/)
    })

    it('brings a command that another has, as its name or an alias', async () => {
      const command = (aliases = ''): Record<string, string> => ({
        'commands/hello.js': `export default class Hello { static aliases = [${aliases}]; static run() {} }`,
      })
      lab.place('felhom-plugin-x', command(), {commands: './commands'})
      lab.place('felhom-plugin-y', command(), {commands: './commands'})
      lab.list('felhom-plugin-x', 'felhom-plugin-y')
      expect(await failure()).to.match(/felhom-plugin-x .*"hello" has the name of one of felhom-plugin-y/)
      rmSync(lab.at('data/node_modules/felhom-plugin-y'), {recursive: true})
      const other = {'commands/greet.js': command(`'hello'`)['commands/hello.js'] ?? ''}
      lab.place('felhom-plugin-y', other, {commands: './commands'})
      expect(await failure()).to.match(/"hello" has the name of one of felhom-plugin-y/)
    })

    it('brings an extension that another has', async () => {
      for (const name of ['felhom-plugin-x', 'felhom-plugin-y'])
        lab.place(name, plugin(name, 'providers: {csv: () => []}'))
      lab.list('felhom-plugin-y', 'felhom-plugin-x')
      expect(await failure()).to.match(
        /felhom-plugin-y .*its provider csv has the name of one of felhom-plugin-x/,
      )
    })
  })

  it('takes one that is listed twice for one', async () => {
    lab.place('felhom-plugin-x', plugin('felhom-plugin-x'))
    lab.list('felhom-plugin-x', 'felhom-plugin-x')
    expect((await load()).plugins).to.deep.equal(['felhom-plugin-x'])
  })

  it('loads commands alone, without a hook', async () => {
    const hello = {'commands/hello.js': 'export default class { static run() {} }'}
    lab.place('felhom-plugin-x', hello, {commands: './commands'})
    lab.list('felhom-plugin-x')
    expect((await load()).plugins).to.deep.equal([])
  })

  for (const text of [
    '{',
    'null',
    '[]',
    '{}',
    '{"oclif": {}}',
    '{"oclif": {"plugins": [{}]}}',
    '{"oclif": {"plugins": [null]}}',
  ])
    it(`relies on no list that reads ${text}`, async () => {
      lab.write('data/package.json', text)
      expect(await failure()).to.match(/package\.json is not what felhom plugins install wrote/)
    })

  it('refuses an allow-list that names what is not installed', async () => {
    expect(await failure({allow: ['felhom-plugin-x']})).to.match(/felhom-plugin-x .*plugins\.allow names it/)
  })

  describe('into oclif', () => {
    const add = async (options: AddOptions = {}): Promise<Config> => {
      const config = await bare()
      await addPlugins(config, ['felhom-plugin-x'], {timeoutMs: 200, ...options})
      return config
    }
    const command = (text: string): Record<string, string> => ({'commands/hello.js': text})
    const hello = command('export default class { static run() {} }')
    const hanging = command('await new Promise(() => {})\nexport default class { static run() {} }')

    it('adds each by its name, with its commands', async () => {
      lab.place('felhom-plugin-x', hello, {commands: './commands'})
      const {plugins} = await Config.load(await add())
      expect([...plugins.keys()]).to.deep.equal(['felhom', 'felhom-plugin-x'])
      expect((await Config.load(await add())).commandIDs).to.deep.equal(['hello'])
    })

    for (const [title, files, oclif, expected] of [
      [
        'a command that hangs when it is imported',
        hanging,
        {commands: './commands'},
        /did not load within 0\.2 s/,
      ],
      ['a hook of oclif', {}, {hooks: {init: './init.js'}}, /hooks into "init"/],
      ['plugins of its own', {}, {plugins: ['felhom-plugin-y']}, /brings plugins of its own/],
      [
        'an odd place of its commands',
        {},
        {commands: {strategy: 'explicit'}},
        /could not be loaded: .*target/,
      ],
    ] as const)
      it(`refuses by name one with ${title}`, async () => {
        lab.place('felhom-plugin-x', files, oclif)
        const error = await rejection(add())
        expect(error.code).to.equal('plugin_failed')
        expect(error.message).to.match(expected).and.contain('the plugin felhom-plugin-x')
      })

    it('refuses by name one that is away, or another', async () => {
      expect((await rejection(add())).message).to.match(/felhom-plugin-x .*its files are missing/)
      lab.place('felhom-plugin-x', {})
      lab.write('data/node_modules/felhom-plugin-x/package.json', '{"name": "felhom-plugin-y", "oclif": {}}')
      expect((await rejection(add())).message).to.match(/felhom-plugin-x .*its files are of felhom-plugin-y/)
    })

    it('leaves a broken one out where it is told to, and says so', async () => {
      const told: string[] = []
      const {plugins} = await add({leaveOut: ({message}) => told.push(message)})
      expect([...plugins.keys()]).to.deep.equal(['felhom'])
      expect(told).to.have.lengthOf(1)
    })

    it('asks before a command of one is run, and waits for that command no longer than for another', async () => {
      lab.place('felhom-plugin-x', hanging, {commands: './commands'})
      const cached = {version: '1.0.0', commands: {hello: {id: 'hello', args: {}, flags: {}, aliases: []}}}
      lab.write('data/node_modules/felhom-plugin-x/oclif.manifest.json', JSON.stringify(cached))
      let asked = 0
      const {plugins} = await add({
        ask: (config) => {
          asked++
          return Promise.resolve(config)
        },
      })
      const [one] = plugins.get('felhom-plugin-x')?.commands ?? []
      expect(asked).to.equal(0)
      const error = await rejection(Promise.resolve(one?.load()))
      expect(error.message).to.match(/felhom-plugin-x .*did not load its command hello within 0\.2 s/)
      expect(asked).to.equal(1)
      const refusing = await add({ask: () => Promise.reject(new Error('no luck'))})
      const [two] = refusing.plugins.get('felhom-plugin-x')?.commands ?? []
      expect(await Promise.resolve(two?.load()).catch((thrown: unknown) => String(thrown))).to.equal(
        'Error: no luck',
      )
    })
  })

  describe('that are not allowed', () => {
    const marked = (): string => lab.at('ran')
    const trap = (): string =>
      `import {writeFileSync} from 'node:fs'\nwriteFileSync(${JSON.stringify(marked())}, '')\n`

    /** Code wherever oclif would run some. */
    const placeTrap = (): void => {
      const code = `${trap()}export default () => {}`
      const hooks = {
        'felhom:register': './register.js',
        init: './init.js',
        prerun: './init.js',
        finally: './init.js',
      }
      const files = {'register.js': code, 'init.js': code, 'commands/hello.js': code, 'index.js': code}
      lab.place('felhom-plugin-trap', files, {hooks, commands: './commands'})
      lab.place('felhom-plugin-a', plugin('felhom-plugin-a', 'rules: {a: () => undefined}'))
      lab.list('felhom-plugin-trap', 'felhom-plugin-a')
      lab.write('felhom.yaml', 'felhom: 1\nplugins: {allow: [felhom-plugin-a]}\n')
    }

    const start = async (...args: string[]): Promise<Config> => {
      const config = await bare()
      await startPlugins(config, args)
      await config.runHook('init', {argv: [], id: 'x'})
      return config
    }

    it('run no code of theirs in the daemon, though the one that is allowed does', async () => {
      placeTrap()
      for (const flags of [['--config', lab.at('felhom.yaml')], [`--config=${lab.at('felhom.yaml')}`]]) {
        const config = await start('daemon', ...flags)
        expect([...config.plugins.keys()]).to.deep.equal(['felhom', 'felhom-plugin-a'])
        const {plugins} = await loadPlugins(config, {allow: ['felhom-plugin-a']})
        expect(plugins).to.deep.equal(['felhom-plugin-a'])
      }
      expect(existsSync(marked())).to.equal(false)
    })

    it('are left out with all others by settings that are wrong, and by `plugins`', async () => {
      placeTrap()
      expect([...(await start('plugins', 'remove')).plugins.keys()]).to.deep.equal(['felhom'])
      writeFileSync(lab.at('felhom.yaml'), 'felhom: 1\nplugins: {allow: 5, x: 1}\n')
      const config = await start('daemon', '--config', lab.at('felhom.yaml'))
      expect([...config.plugins.keys()]).to.deep.equal(['felhom'])
      expect(existsSync(marked())).to.equal(false)
    })

    it('run no code in `daemon install`, which needs none, nor do those that are', async () => {
      placeTrap()
      for (const args of [
        ['daemon', 'install'],
        ['daemon:install'],
        ['plugins:remove', 'felhom-plugin-trap'],
      ]) {
        const config = await start(...args, '--config', lab.at('felhom.yaml'))
        expect([...config.plugins.keys()]).to.deep.equal(['felhom'])
      }
      expect(existsSync(marked())).to.equal(false)
    })

    it('would run it, were they', async () => {
      placeTrap()
      writeFileSync(lab.at('felhom.yaml'), 'felhom: 1\nplugins: {allow: [felhom-plugin-trap]}\n')
      await rejection(start('daemon', '--config', lab.at('felhom.yaml')))
      expect(existsSync(marked())).to.equal(true)
    })
  })
})
