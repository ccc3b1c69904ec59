// A real git repository of one's own making, for tests of sources.
import {execFileSync} from 'node:child_process'
import {mkdirSync, mkdtempSync, rmSync, writeFileSync} from 'node:fs'
import {tmpdir} from 'node:os'
import {dirname, join} from 'node:path'
import {GitSource, type GitOptions} from '../../src/lib/source/git-source.ts'

export class GitLab {
  readonly root = mkdtempSync(join(tmpdir(), 'felhom-git-'))
  readonly repository = join(this.root, 'repository')
  readonly cacheDir = join(this.root, 'cache/git')
  /** Of a machine without settings of its own for git. */
  readonly env = {PATH: process.env['PATH'], HOME: this.root, GIT_CONFIG_NOSYSTEM: '1'}

  constructor() {
    mkdirSync(this.repository)
    this.git('init', '--quiet', '--initial-branch=main')
  }

  git(...args: readonly string[]): string {
    const who = [
      '-c',
      'user.name=felhom',
      '-c',
      'user.email=felhom@example.org',
      '-c',
      'commit.gpgSign=false',
    ]
    return execFileSync('git', [...who, ...args], {
      cwd: this.repository,
      env: this.env,
      encoding: 'utf8',
      stdio: ['ignore', 'pipe', 'pipe'],
    }).trim()
  }

  write(name: string, text: string | Uint8Array): void {
    const path = join(this.repository, name)
    mkdirSync(dirname(path), {recursive: true})
    writeFileSync(path, text)
  }

  /** Everything that is there, as one commit. */
  commit(files: Readonly<Record<string, string | Uint8Array>> = {}): string {
    for (const [name, text] of Object.entries(files)) this.write(name, text)
    this.git('add', '--all')
    this.git('commit', '--quiet', '--allow-empty', '--message', 'change')
    return this.git('rev-parse', 'HEAD')
  }

  source(options: Partial<GitOptions> = {}): GitSource {
    const {env, cacheDir, root: cwd} = this
    const clock = {now: () => Date.now()}
    return new GitSource({address: `file://${this.repository}`, cwd, cacheDir, env, clock, ...options})
  }

  remove(): void {
    rmSync(this.root, {recursive: true, force: true})
  }
}
