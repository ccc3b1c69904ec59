// A plugin that is installed over itself: packed anew, upgraded, and upgraded to something that cannot be used.
import {execFileSync, spawn} from 'node:child_process'
import {once} from 'node:events'
import {chmodSync, existsSync, readdirSync, readFileSync, rmSync} from 'node:fs'
import {setTimeout as sleep} from 'node:timers/promises'
import {expect} from 'chai'
import {BIN, bareEnvironment, type Run} from '../support/felhom.ts'
import {said} from '../support/gate-lab.ts'
import {PluginLab} from '../support/plugin-lab.ts'

const NAME = 'felhom-plugin-x'

describe('a plugin that is installed again', function () {
  this.timeout(120_000)
  let lab: PluginLab

  beforeEach(() => {
    lab = new PluginLab()
  })
  afterEach(() => {
    lab.close()
  })

  const write = (version: string, text: string, hooks: Record<string, string> = {}): void => {
    const oclif = {hooks: {'felhom:register': './register.js', ...hooks}}
    const manifest = {name: NAME, version, type: 'module', files: ['register.js'], oclif}
    lab.write('src/package.json', JSON.stringify(manifest))
    const register = `export default ({register}) => register({name: '${NAME}', apiVersion: 1})`
    lab.write('src/register.js', `// ${text}\n${register}\n`)
  }
  const pack = (): void => {
    const args = ['pack', '--silent', '--pack-destination', lab.dir]
    execFileSync('npm', args, {cwd: lab.at('src'), env: bareEnvironment(lab.env)})
  }
  const install = (spec: string): Promise<Run> => lab.felhom(['plugins', 'install', spec])
  const installed = (): string =>
    readFileSync(lab.at('data/node_modules', NAME, 'register.js'), 'utf8').slice(3, 6)
  const manifest = (): string => readFileSync(lab.at('data/package.json'), 'utf8')

  async function expectCode(code: number, run: Promise<Run>): Promise<string> {
    const ended = await run
    expect(ended.code, said(ended)).to.equal(code)
    return said(ended)
  }

  it('is taken from the same file, or the same directory, with what it holds now', async () => {
    const spec = `./${NAME}-1.0.0.tgz`
    for (const text of ['one', 'two']) {
      write('1.0.0', text)
      pack()
      expect(await expectCode(0, install(spec))).to.contain(`Installed ${NAME} 1.0.0`)
      expect(installed()).to.equal(text)
    }
    for (const text of ['abc', 'def']) {
      write('1.0.1', text)
      expect(await expectCode(0, install('./src'))).to.contain(`Installed ${NAME} 1.0.1`)
      expect(installed()).to.equal(text)
    }
  })

  it('stays as it was when an upgrade cannot be used, and can be upgraded then', async () => {
    write('1.0.0', 'one')
    pack()
    await expectCode(0, install(`./${NAME}-1.0.0.tgz`))
    const before = manifest()
    write('1.1.0', 'two', {init: './register.js'})
    pack()
    for (const [spec, reason] of [
      [`./${NAME}-1.1.0.tgz`, `${NAME} cannot be used: it hooks into "init"`],
      [`./${NAME}-9.9.9.tgz`, 'npm install ended with'],
    ] as const) {
      expect(await expectCode(64, install(spec)))
        .to.contain(reason)
        .and.contain('The plugins are as they were.')
      expect([installed(), manifest()]).to.deep.equal(['one', before])
    }
    expect(await expectCode(0, lab.felhom(['plugins', 'list']))).to.contain(`${NAME} 1.0.0`)
    lab.write('felhom.yaml', 'felhom: 1\n')
    await expectCode(0, lab.felhom(['config', 'show']))
    write('1.2.0', 'new')
    await expectCode(0, install('./src'))
    expect(installed()).to.equal('new')
    expect(readdirSync(lab.at('data')).filter((name) => name.startsWith('.before'))).to.deep.equal([])
  })

  it('is not installed under the name of another, under which it would not be loaded', async () => {
    write('1.0.0', 'one')
    const told = await expectCode(64, install(`felhom-plugin-y@file:${lab.at('src')}`))
    expect(told).to.contain(`felhom-plugin-y cannot be used: its files are of ${NAME}`)
    expect((await lab.felhom(['plugins', 'list'])).stdout).to.contain('No plugin is installed.')
  })

  it('stays as it was when its upgrade is broken off', async () => {
    write('1.0.0', 'one')
    await expectCode(0, install('./src'))
    const before = manifest()
    write('1.1.0', 'two')
    const npm = execFileSync('sh', ['-c', 'command -v npm'], {encoding: 'utf8'}).trim()
    const script = `#!/bin/sh\n[ "$1" = uninstall ] && exec ${npm} "$@"\ntouch ${lab.at('began')}\nexec sleep 60\n`
    lab.write('bin/npm', script)
    chmodSync(lab.at('bin/npm'), 0o755)
    const child = spawn(process.execPath, [BIN, 'plugins', 'install', './src'], {
      cwd: lab.dir,
      env: bareEnvironment({...lab.env, PATH: `${lab.at('bin')}:${process.env['PATH'] ?? ''}`}),
      stdio: 'ignore',
    })
    const exited = once(child, 'exit')
    while (!existsSync(lab.at('began'))) await sleep(20)
    child.kill('SIGINT')
    expect((await exited)[0]).to.equal(130)
    expect([installed(), manifest()]).to.deep.equal(['one', before])
    expect(readdirSync(lab.at('data')).filter((name) => name.startsWith('.before'))).to.deep.equal([])
    await expectCode(0, install('./src'))
    expect(installed()).to.equal('two')
  })

  it('is there beside another, though its file is gone', async () => {
    write('1.0.0', 'one')
    pack()
    await expectCode(0, install(`./${NAME}-1.0.0.tgz`))
    rmSync(lab.at(`${NAME}-1.0.0.tgz`))
    const other = {name: 'felhom-plugin-y', version: '2.0.0', oclif: {commands: './commands'}}
    lab.write('other/package.json', JSON.stringify(other))
    expect(await expectCode(0, install('./other'))).to.contain('Installed felhom-plugin-y 2.0.0')
    expect(installed()).to.equal('one')
  })
})
