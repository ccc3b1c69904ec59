// felhom in a real terminal: a tmux server of its own, with one pane that runs one command.
import {execFile} from 'node:child_process'
import {randomBytes} from 'node:crypto'
import {existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync} from 'node:fs'
import {tmpdir} from 'node:os'
import {join} from 'node:path'
import {setTimeout as sleep} from 'node:timers/promises'
import {promisify} from 'node:util'
import {BIN, bareEnvironment} from './felhom.ts'

const run = promisify(execFile)

/** The pane stays when its command has ended, so that it can be looked at. */
const CONFIG = 'set -g remain-on-exit on\nset -g history-limit 2000\n'

/** tmux itself now and then loses the exit code. The shell outlives Ctrl-C, its command does as it likes. */
const RUN_AND_KEEP_STATUS = `trap : INT; "$@"; echo $? > "$0.new"; mv "$0.new" "$0"`

export class Terminal {
  readonly #socket = `felhom-${randomBytes(6).toString('hex')}`
  readonly #dir = mkdtempSync(join(tmpdir(), 'felhom-tmux-'))

  readonly #status = join(this.#dir, 'status')

  static async open(args: string[], env: NodeJS.ProcessEnv, columns = 80): Promise<Terminal> {
    const terminal = new Terminal()
    const config = join(terminal.#dir, 'tmux.conf')
    writeFileSync(config, CONFIG)
    const size = ['-x', String(columns), '-y', '24']
    const command = ['/bin/sh', '-c', RUN_AND_KEEP_STATUS, terminal.#status, process.execPath, BIN, ...args]
    await terminal.#tmux(['-f', config, 'new-session', '-d', ...size, '-c', terminal.#dir, ...command], env)
    return terminal
  }

  async #tmux(args: string[], env: NodeJS.ProcessEnv = {}): Promise<string> {
    const options = {env: bareEnvironment({TMUX_TMPDIR: this.#dir, LANG: 'C.UTF-8', ...env})}
    return (await run('tmux', ['-L', this.#socket, ...args], options)).stdout
  }

  async press(key: string): Promise<void> {
    await this.#tmux(['send-keys', key])
  }

  /** All that was printed, with lines that the terminal had to break joined again. */
  async read(options: {colour?: boolean} = {}): Promise<string> {
    const text = await this.#tmux(['capture-pane', '-p', '-J', '-S', '-', ...(options.colour ? ['-e'] : [])])
    return text
      .split('\n')
      .map((line) => line.trimEnd())
      .filter((line) => !line.includes('Pane is dead'))
      .join('\n')
      .trimEnd()
  }

  readWhen(pattern: RegExp): Promise<string> {
    return until(`${String(pattern)} on the screen`, async () => {
      const text = await this.read()
      return pattern.test(text) ? text : undefined
    })
  }

  /** The exit code of the command, once it has ended and all that it printed is on the screen. */
  exitCode(): Promise<number> {
    return until('the end of the command', async () => {
      const isDead = (await this.#tmux(['display', '-p', '#{pane_dead}'])).trim() === '1'
      return isDead && existsSync(this.#status) ? Number(readFileSync(this.#status, 'utf8')) : undefined
    })
  }

  async close(): Promise<void> {
    await this.#tmux(['kill-server'])
    rmSync(this.#dir, {recursive: true, force: true})
  }
}

const PATIENCE_MS = 40_000

async function until<T>(what: string, look: () => Promise<T | undefined>): Promise<T> {
  const deadline = Date.now() + PATIENCE_MS
  while (Date.now() < deadline) {
    const seen = await look()
    if (seen !== undefined) return seen
    await sleep(50)
  }
  throw new Error(`waited in vain for ${what}`)
}
