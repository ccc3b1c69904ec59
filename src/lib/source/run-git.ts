// The program git, kept on a short lead: no shell that reads anything of it, no terminal, no hooks, no other protocols than the plain ones, so
// much time, memory, disk and output and no more. It runs in a session of its own, so that all it starts ends with it.
import {spawn, type ChildProcess} from 'node:child_process'

export interface GitPlace {
  /** The bare repository. */
  readonly gitDir: string
  /** What a relative address is relative to. */
  readonly cwd: string
  readonly env: NodeJS.ProcessEnv
  /** An open file whose lock lasts as long as git runs, even if we do not. */
  readonly lockFd: number
  readonly signal: AbortSignal
  readonly limits: GitLimits
  /** Told whenever a command has ended: each may take its time, and there may be many. */
  readonly progress: () => void
  /** By `performance.now()`: for all commands of one fetch together. */
  readonly endsAtMs: number
}

export interface GitLimits {
  /** For one fetch, however many commands it takes. */
  readonly timeoutMs: number
  /** Of one file on disk, such as a pack. */
  readonly maxFileBytes: number
  /** Of the copy, before more is fetched into it. */
  readonly maxCopyBytes: number
  /** Of what it prints. */
  readonly maxOutputBytes: number
}

export type GitRun =
  | {readonly code: number; readonly stdout: Buffer; readonly stderr: string}
  | {readonly problem: string; readonly isTooMuch: boolean}

const MAX_MEMORY_BYTES = 4 * 1024 ** 3
const MAX_STDERR_BYTES = 64 * 1024
/** What it has started may hold its output open for longer than it lives itself. */
const AFTER_EXIT_MS = 500

const CONFIG = [
  'core.hooksPath=/dev/null',
  'core.symlinks=false',
  'core.fsmonitor=false',
  'core.bigFileThreshold=16m',
  'pack.threads=1',
  'gc.auto=0',
  'maintenance.auto=false',
  // One file for all that a fetch brings, so that the limit of a file's size is a limit of all of it.
  'fetch.unpackLimit=1',
  'transfer.unpackLimit=1',
  'submodule.recurse=false',
  'fetch.recurseSubmodules=false',
  'protocol.allow=never',
  'protocol.ext.allow=never',
  ...['file', 'git', 'http', 'https', 'ssh'].map((name) => `protocol.${name}.allow=always`),
].flatMap((setting) => ['-c', setting])

/** How the operator has told git to find keys and certificates; all else of GIT_* would change what is done. */
const KEPT_VARIABLES = /^GIT_(SSH|SSH_COMMAND|SSH_VARIANT|ASKPASS|SSL_\w+|HTTP_PROXY_\w+|PROXY_\w+)$/

/** Throws when the signal is aborted. */
export async function runGit(args: readonly string[], place: GitPlace, input = ''): Promise<GitRun> {
  place.signal.throwIfAborted()
  const {endsAtMs, limits} = place
  const {maxFileBytes} = limits
  if (hasEnded(place)) return {problem: describeTimeout(limits), isTooMuch: false}
  const command = [
    // If we are killed, somebody must still end it.
    ...[
      'timeout',
      '--foreground',
      '-s',
      'KILL',
      String(Math.ceil((endsAtMs - performance.now()) / 1000) + 5),
    ],
    // What git starts may outlive it, such as a helper that keeps passwords; it must not keep the lock as well.
    ...['/bin/sh', '-c', 'exec "$@" 3>&-', 'sh'],
    ...['prlimit', `--fsize=${maxFileBytes}`, `--as=${MAX_MEMORY_BYTES}`, '--core=0'],
    ...['git', ...CONFIG, `--git-dir=${place.gitDir}`, ...args],
  ]
  const run = await new Run(command, place, input).ended
  place.progress()
  place.signal.throwIfAborted()
  return run
}

export const hasEnded = ({endsAtMs}: GitPlace): boolean => performance.now() >= endsAtMs

export const describeTimeout = ({timeoutMs}: GitLimits): string =>
  `git did not end within ${timeoutMs / 1000} s`

class Run {
  readonly ended: Promise<GitRun>
  readonly #child: ChildProcess
  readonly #limits: GitLimits
  readonly #stdout: Buffer[] = []
  #stdoutBytes = 0
  #stderr = ''
  #stopped: Extract<GitRun, {problem: string}> | undefined

  constructor([program = '', ...args]: readonly string[], place: GitPlace, input: string) {
    const {cwd, env, lockFd, signal, limits, endsAtMs} = place
    this.#limits = limits
    this.#child = spawn(program, args, {
      cwd,
      env: cleanEnvironment(env),
      detached: true,
      stdio: ['pipe', 'pipe', 'pipe', lockFd],
    })
    const onAbort = (): void => this.#stop('it was told to end', false)
    const timer = setTimeout(
      () => this.#stop(describeTimeout(limits), false),
      Math.max(0, endsAtMs - performance.now()),
    )
    signal.addEventListener('abort', onAbort)
    this.#listen(input)
    this.ended = this.#end().finally(() => {
      clearTimeout(timer)
      signal.removeEventListener('abort', onAbort)
    })
  }

  #listen(input: string): void {
    const {stdin, stdout, stderr} = this.#child
    stdin?.on('error', () => undefined)
    stdin?.end(input)
    stdout?.on('data', (chunk: Buffer) => {
      this.#stdoutBytes += chunk.length
      if (this.#stdoutBytes > this.#limits.maxOutputBytes) this.#stop('it holds too much to read', true)
      else this.#stdout.push(chunk)
    })
    stderr?.on('data', (chunk: Buffer) => {
      this.#stderr = (this.#stderr + chunk.toString('utf8')).slice(-MAX_STDERR_BYTES)
    })
  }

  #end(): Promise<GitRun> {
    return new Promise((resolve) => {
      const child = this.#child
      const settle = (code: number | null): void => {
        resolve(
          this.#stopped ?? {code: code ?? 128, stdout: Buffer.concat(this.#stdout), stderr: this.#stderr},
        )
      }
      child.once('error', (error) =>
        resolve({problem: `git cannot be run: ${error.message}`, isTooMuch: false}),
      )
      child.once('close', settle)
      child.once('exit', (code) => {
        setTimeout(() => {
          child.stdout?.destroy()
          child.stderr?.destroy()
          settle(code)
        }, AFTER_EXIT_MS).unref()
      })
    })
  }

  #stop(problem: string, isTooMuch: boolean): void {
    this.#stopped ??= {problem, isTooMuch}
    const {pid} = this.#child
    if (pid === undefined || this.#child.exitCode !== null) return
    try {
      process.kill(-pid, 'SIGKILL')
    } catch {
      // It has just ended by itself.
    }
  }
}

function cleanEnvironment(env: NodeJS.ProcessEnv): NodeJS.ProcessEnv {
  const kept = Object.entries(env).filter(
    ([name]) => !/^(GIT|FELHOM|LC|LD)_|^LANG/.test(name) || KEPT_VARIABLES.test(name),
  )
  return {...Object.fromEntries(kept), LC_ALL: 'C', GIT_TERMINAL_PROMPT: '0', GIT_OPTIONAL_LOCKS: '0'}
}

/** The one line of what git says that tells why, without passwords and without what a terminal would obey. */
export function explainGit(stderr: string): string {
  const lines = stderr
    .split(/[\r\n]+/)
    .map((line) => line.trim())
    .filter((line) => line !== '')
  const own = lines.filter((line) => !line.startsWith('remote:'))
  const fatal =
    own.find((line) => /^(fatal|error):/.test(line)) ?? own.at(-1) ?? lines.at(-1) ?? 'git said nothing'
  return fatal
    .replace(/^(fatal|error): /, '')
    .replaceAll(/\/\/[^/@\s]*@/g, '//***@')
    .replaceAll(/[^\u0020-\u007e\u00a1-\ud7ff]/g, '?')
    .slice(0, 300)
}
