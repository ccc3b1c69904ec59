// Plugins as packages: packed by npm, installed by the built program into a data directory of their own.
import {execFile} from 'node:child_process'
import {mkdirSync, mkdtempSync, rmSync, writeFileSync} from 'node:fs'
import {tmpdir} from 'node:os'
import {dirname, join} from 'node:path'
import {fileURLToPath} from 'node:url'
import {promisify} from 'node:util'
import {expect} from 'chai'
import {bareEnvironment, runFelhom, type Run} from './felhom.ts'

const EXAMPLES = fileURLToPath(new URL('../../examples', import.meta.url))
const run = promisify(execFile)

export class PluginLab {
  readonly dir = mkdtempSync(join(tmpdir(), 'felhom-plugins-'))
  readonly dataDir = this.at('data')

  /** npm asks nobody, and keeps what it keeps in here. */
  get env(): NodeJS.ProcessEnv {
    return {
      FELHOM_DATA_DIR: this.dataDir,
      npm_config_cache: this.at('cache'),
      npm_config_offline: 'true',
      npm_config_userconfig: this.at('npmrc'),
    }
  }

  close(): void {
    rmSync(this.dir, {recursive: true, force: true})
  }

  at(...parts: string[]): string {
    return join(this.dir, ...parts)
  }

  write(name: string, text: string): void {
    mkdirSync(dirname(this.at(name)), {recursive: true})
    writeFileSync(this.at(name), text, {mode: 0o600})
  }

  /** The .tgz of an example, as `npm pack` makes it. */
  async pack(example: string): Promise<string> {
    const {stdout} = await run('npm', ['pack', '--silent', '--pack-destination', this.dir], {
      cwd: join(EXAMPLES, example),
      env: bareEnvironment(this.env),
    })
    return this.at(stdout.trim())
  }

  /** As if it had been installed, whatever is wrong with it. */
  place(name: string, files: Record<string, string>, oclif?: Record<string, unknown>): void {
    const hooks = {'felhom:register': './register.js'}
    const manifest = {name, version: '1.0.0', type: 'module', oclif: oclif ?? {hooks}}
    this.write(join('data', 'node_modules', name, 'package.json'), JSON.stringify(manifest))
    for (const [file, text] of Object.entries(files))
      this.write(join('data', 'node_modules', name, file), text)
  }

  list(...names: string[]): void {
    const plugins = names.map((name) => ({type: 'user', name}))
    this.write('data/package.json', JSON.stringify({private: true, oclif: {schema: 1, plugins}}))
  }

  felhom(
    args: string[],
    {cwd = this.dir, env = {}}: {cwd?: string; env?: NodeJS.ProcessEnv} = {},
  ): Promise<Run> {
    return runFelhom(args, {cwd, env: {...this.env, ...env}})
  }

  async install(spec: string): Promise<void> {
    const {code, stderr} = await this.felhom(['plugins', 'install', spec])
    expect(code, stderr).to.equal(0)
  }
}
