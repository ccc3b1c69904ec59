// felhom in a real terminal: a tmux server of its own, with one pane that runs one command.
import {execFile} from 'node:child_process'
import {randomBytes} from 'node:crypto'
import {mkdtempSync, rmSync, writeFileSync} from 'node:fs'
import {tmpdir} from 'node:os'
import {join} from 'node:path'
import {setTimeout as sleep} from 'node:timers/promises'
import {promisify} from 'node:util'
import {BIN, bareEnvironment} from './felhom.ts'

const run = promisify(execFile)

/** The pane stays when its command has ended, so that it can be looked at. */
const CONFIG = 'set -g remain-on-exit on\nset -g history-limit 2000\n'

export class Terminal {
  readonly #socket = `felhom-${randomBytes(6).toString('hex')}`
  readonly #dir = mkdtempSync(join(tmpdir(), 'felhom-tmux-'))

  static async open(args: string[], env: NodeJS.ProcessEnv, columns = 80): Promise<Terminal> {
    const terminal = new Terminal()
    const config = join(terminal.#dir, 'tmux.conf')
    writeFileSync(config, CONFIG)
    const size = ['-x', String(columns), '-y', '24']
    const command = [process.execPath, BIN, ...args]
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

  async readWhen(pattern: RegExp): Promise<string> {
    for (;;) {
      const text = await this.read()
      if (pattern.test(text)) return text
      await sleep(50)
    }
  }

  /** The exit code of the command, once it has ended. */
  async exitCode(): Promise<number> {
    for (;;) {
      const [dead, status] = (await this.#tmux(['display', '-p', '#{pane_dead} #{pane_dead_status}'])).split(
        ' ',
      )
      if (dead === '1') return Number(status)
      await sleep(50)
    }
  }

  async close(): Promise<void> {
    await this.#tmux(['kill-server'])
    rmSync(this.#dir, {recursive: true, force: true})
  }
}
