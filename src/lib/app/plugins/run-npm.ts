// npm as it comes with Node, in the data directory of felhom; none of the scripts of a package are run.
import {spawn} from 'node:child_process'

const QUIET = [
  '--ignore-scripts',
  '--no-audit',
  '--no-fund',
  '--no-update-notifier',
  '--omit=dev',
  '--loglevel=error',
]

export interface NpmPlace {
  readonly dataDir: string
  readonly signal?: AbortSignal
}

/** undefined: it went well; otherwise what went wrong, and what to do about it. `signal` ends npm, and is awaited. */
export function runNpm(
  {dataDir, signal}: NpmPlace,
  ...args: string[]
): Promise<{readonly message: string; readonly hint: string} | undefined> {
  return new Promise((done) => {
    const child = spawn('npm', [...args, ...QUIET, '--prefix', dataDir], {
      stdio: ['ignore', 'ignore', 'pipe'],
    })
    const end = (): void => void child.kill()
    signal?.addEventListener('abort', end, {once: true})
    let said = ''
    child.stderr.on('data', (bytes: Buffer) => {
      said = `${said}${bytes.toString()}`.slice(-4000)
    })
    child.once('error', (error) => {
      done({message: `npm cannot be started: ${error.message}`, hint: 'Install npm, which comes with Node.'})
    })
    child.once('close', (code) => {
      signal?.removeEventListener('abort', end)
      const message = `npm ${args[0] ?? ''} ended with ${String(code)}: ${said.trim()}`
      done(code === 0 ? undefined : {message, hint: 'See what npm says.'})
    })
  })
}
