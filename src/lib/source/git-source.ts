// A branch of a git repository as a source. The program git fetches it, with the credentials that git itself has been
// given; what is used is read from the commit, and whether that comes before what was seen is told by its history.
import {resolve} from 'node:path'
import {BackOff} from './back-off.ts'
import {isPlainName} from './bundle-limits.ts'
import {dropCache, hasCache, isShallow, lockCache, sizeOfRemains, sweepCache} from './git-cache.ts'
import {compareCommits} from './compare-commits.ts'
import {readCommit} from './read-commit.ts'
import {describeTimeout, explainGit, hasEnded, runGit, type GitLimits, type GitPlace} from './run-git.ts'
import type {SourceMemory} from './source-memory.ts'
import {tidyCopy} from './tidy-copy.ts'
import {away, unusable, type Fetched, type Seen, type Source} from './source.ts'

export interface GitOptions {
  readonly address: string
  readonly branch?: string
  /** Below the top of the repository: a folder or a file. */
  readonly path?: string
  readonly depth?: number
  readonly cwd: string
  /** For the copy. */
  readonly cacheDir: string
  readonly env: NodeJS.ProcessEnv
  readonly clock: {now(): number}
  readonly random?: () => number
  readonly limits?: Partial<GitLimits>
  /** Told whenever a command of git has ended. */
  readonly progress?: () => void
}

const LIMITS: GitLimits = {
  timeoutMs: 120_000,
  maxFileBytes: 256 << 20,
  maxCopyBytes: 1 << 30,
  maxOutputBytes: 32 << 20,
}
const HEAD = 'refs/felhom/head'
/** What git allows in the name of a branch, and nothing that means something else in a refspec. */
const BRANCH =
  /^(?!-|@$)(?!.*(?:\.\.|@\{|\/\/|\/\.|\.lock(?:\/|$)))(?![./])[^\u0000-\u0020\u007f~^:?*[\\]{1,200}(?<![./])$/u

export class GitSource implements Source {
  readonly kind = 'git'
  readonly place: string
  readonly #options: GitOptions
  readonly #path: string
  readonly #limits: GitLimits
  readonly #backOff = new BackOff()

  constructor(options: GitOptions) {
    const {address, branch, path = ''} = options
    this.#options = options
    this.#path = path.replace(/^(?:\.\/)+|^\.$/, '').replace(/\/+$/, '')
    this.#limits = {...LIMITS, ...options.limits}
    const which = [
      branch === undefined ? '' : `branch ${branch}`,
      this.#path === '' ? '' : `path ${this.#path}`,
    ]
    this.place = [address.replace(/\/\/[^/@]*@/, '//'), ...which].filter((text) => text !== '').join(', ')
  }

  async fetch(seen: Seen | undefined, signal: AbortSignal): Promise<Fetched> {
    signal.throwIfAborted()
    const {branch, address, cacheDir} = this.#options
    if (branch !== undefined && !BRANCH.test(branch)) return unusable(`'${branch}' is no name of a branch`)
    if (address.startsWith('-')) return unusable('its address begins with a dash')
    if (this.#path !== '' && !isPlainName(this.#path))
      return unusable('its path leads nowhere in a repository')
    const {clock, random = Math.random} = this.#options
    const failed = this.#backOff.answer(clock.now())
    if (failed) return failed
    try {
      const lock = await lockCache(resolve(cacheDir))
      if (!lock)
        return away(`another process holds ${resolve(cacheDir)}.lock, so that the copy cannot be used`)
      try {
        const fetched = await this.#fetchLocked(seen, lock.fd, signal)
        if ('problem' in fetched) this.#backOff.fail(fetched, clock.now(), 0, random)
        else this.#backOff.succeed()
        return fetched
      } finally {
        lock.release()
      }
    } catch (error) {
      signal.throwIfAborted()
      return away(`the copy of the repository cannot be kept: ${(error as Error).message}`)
    }
  }

  remember(): SourceMemory | undefined {
    const {failure} = this.#backOff
    return failure && {failure}
  }

  recall({failure}: SourceMemory): void {
    this.#backOff.failure = failure
  }

  async #fetchLocked(seen: Seen | undefined, lockFd: number, signal: AbortSignal): Promise<Fetched> {
    const {cacheDir, cwd, env, progress = () => undefined} = this.#options
    const endsAtMs = performance.now() + this.#limits.timeoutMs
    const limits = this.#limits
    const place = {gitDir: resolve(cacheDir), cwd, env, lockFd, signal, limits, endsAtMs, progress}
    sweepCache(place.gitDir)
    // Before and not after: what cannot be used takes as much room as what can.
    await tidyCopy(seen?.revision, place)
    const wasThere = hasCache(place.gitDir)
    const first = await this.#attempt(seen, place)
    if (!('isLocal' in first)) return first
    // Damage of the copy is no fault of the source.
    dropCache(place.gitDir)
    const second = wasThere ? await this.#attempt(seen, place) : first
    return 'isLocal' in second ? away(second.problem) : second
  }

  async #attempt(
    seen: Seen | undefined,
    place: GitPlace,
  ): Promise<Fetched | {problem: string; isLocal: true}> {
    const failed = await this.#bring(place)
    if (failed) return failed
    const commit = await this.#findCommit(place)
    if (commit === undefined) return {problem: 'the copy of the repository is damaged', isLocal: true}
    if (commit === seen?.revision) return {kind: 'unchanged'}
    const content = await readCommit(commit, this.#path, place)
    if ('problem' in content) {
      const {problem, isLocal} = content
      if (hasEnded(place)) return away(describeTimeout(place.limits))
      return isLocal ? {problem, isLocal} : unusable(problem)
    }
    const deepen = (): Promise<unknown> => this.#run(['--deepen=1000'], place)
    const bring = (oid: string): Promise<void> => this.#bringCommit(oid, place)
    const compared = seen ? await compareCommits(commit, seen.revision, {place, deepen, bring}) : {}
    if ('older' in compared || 'problem' in compared) {
      // What could not be told for want of time says nothing about the revision.
      if (hasEnded(place)) return away(describeTimeout(place.limits))
      if ('problem' in compared) return {problem: compared.problem, isLocal: true}
    }
    return {kind: 'bundle', bundle: {revision: commit, ...content}, ...compared}
  }

  async #bring(place: GitPlace): Promise<Fetched | {problem: string; isLocal: true} | undefined> {
    if (!hasCache(place.gitDir)) {
      const made = await runGit(['init', '--quiet', '--bare', '--template=', place.gitDir], place)
      if ('problem' in made) return away(made.problem)
      if (made.code !== 0) return away(explainGit(made.stderr))
    }
    const {depth} = this.#options
    const how = depth === undefined ? (isShallow(place.gitDir) ? ['--unshallow'] : []) : [`--depth=${depth}`]
    const run = await this.#run(how, place)
    if ('problem' in run) return run.isTooMuch ? unusable(run.problem) : away(run.problem)
    return run.code === 0 ? undefined : this.#explain(run.stderr)
  }

  #explain(stderr: string): Fetched | {problem: string; isLocal: true} {
    const {branch} = this.#options
    const own = stderr.replaceAll(/^remote:.*$/gm, '')
    const problem = explainGit(stderr)
    if (/couldn't find remote ref|Remote branch .* not found/i.test(own))
      return unusable(branch === undefined ? 'it has no HEAD' : `it has no branch ${branch}`)
    if (sizeOfRemains(resolve(this.#options.cacheDir)) >= this.#limits.maxFileBytes)
      return unusable(
        `it is larger than ${this.#limits.maxFileBytes} bytes; with depth: 1 less of its history is fetched`,
      )
    const isLocal =
      /not a git repository|corrupt|bad object|is empty|unable to (?:read|open)|packfile|shallow/i
    return isLocal.test(own) && !/does not appear to be/.test(own) ? {problem, isLocal: true} : away(problem)
  }

  #run(how: readonly string[], place: GitPlace, what?: string): ReturnType<typeof runGit> {
    const {branch, address} = this.#options
    const refspec = what ?? `+${branch === undefined ? 'HEAD' : `refs/heads/${branch}`}:${HEAD}`
    const quiet = ['--quiet', '--no-tags', '--no-recurse-submodules', '--no-auto-maintenance']
    return runGit(
      ['fetch', ...quiet, '--no-write-fetch-head', '--update-shallow', ...how, '--', address, refspec],
      place,
    )
  }

  /** By its name alone; many servers give what their branches lead to, some give all that they have. */
  async #bringCommit(oid: string, place: GitPlace): Promise<void> {
    await this.#run([], place, `+${oid}:refs/felhom/seen`)
  }

  async #findCommit(place: GitPlace): Promise<string | undefined> {
    const run = await runGit(['rev-parse', '--verify', '--quiet', `${HEAD}^{commit}`], place)
    const [commit] =
      'stdout' in run ? (/^[0-9a-f]{40,64}(?=\n$)/.exec(run.stdout.toString('latin1')) ?? []) : []
    return commit
  }
}
