// A sandbox with the example homelab, and for each test a project directory of its own with a state directory.
import {mkdtempSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync} from 'node:fs'
import {tmpdir} from 'node:os'
import {join} from 'node:path'
import {runFelhom, type Run} from './felhom.ts'
import {startSandboxProcess, type SandboxProcess} from './sandbox-process.ts'

export class ApplyLab {
  readonly sandbox: SandboxProcess
  dir = ''

  private constructor(sandbox: SandboxProcess) {
    this.sandbox = sandbox
  }

  /** With arguments of `felhom sandbox`. */
  static async start(...args: string[]): Promise<ApplyLab> {
    return new ApplyLab(await startSandboxProcess(...args))
  }

  /** For the next test: the seed again, and an empty project. */
  async renew(): Promise<void> {
    this.#leave()
    this.dir = mkdtempSync(join(tmpdir(), 'felhom-e2e-'))
    await this.sandbox.control({faults: 'clear'})
    await this.sandbox.reset()
  }

  async stop(): Promise<void> {
    this.#leave()
    await this.sandbox.stop()
  }

  #leave(): void {
    if (this.dir !== '') rmSync(this.dir, {recursive: true, force: true})
  }

  write(name: string, text: string, mode = 0o600): string {
    const file = join(this.dir, name)
    writeFileSync(file, text, {mode})
    return file
  }

  /** The desired state of the project; `guests` in flow style. */
  wish(guests: string): void {
    this.write('guests.yaml', `felhom: 1\nguests: ${guests}\n`)
  }

  felhom(args: string[], env: NodeJS.ProcessEnv = {}): Promise<Run> {
    return runFelhom(args, {cwd: this.dir, env: {...this.sandbox.env, ...env}})
  }

  /** Of the files, without a question. */
  apply(...args: string[]): Promise<Run> {
    return this.felhom(['apply', '-d', 'guests.yaml', '--auto-approve', ...args])
  }

  plan(...args: string[]): Promise<Run> {
    return this.felhom(['plan', '-d', 'guests.yaml', ...args])
  }

  async config(kind: 'lxc' | 'qemu', vmid: number, node = 'pve1'): Promise<Record<string, unknown>> {
    return (await this.sandbox.call('GET', `/nodes/${node}/${kind}/${vmid}/config`)) as Record<
      string,
      unknown
    >
  }

  async status(kind: 'lxc' | 'qemu', vmid: number, node = 'pve1'): Promise<string> {
    const path = `/nodes/${node}/${kind}/${vmid}/status/current`
    return ((await this.sandbox.call('GET', path)) as {status: string}).status
  }

  /** Requests that change something, since the last reset. */
  async mutations(): Promise<string[]> {
    return Object.keys(await this.sandbox.requests()).filter((key) => !key.startsWith('GET '))
  }

  /** All that the state directory holds, as one text. */
  stateText(): string {
    return readdirSync(join(this.dir, '.felhom'), {recursive: true, encoding: 'utf8'})
      .map((name) => join(this.dir, '.felhom', name))
      .filter((file) => statSync(file).isFile())
      .map((file) => readFileSync(file, 'latin1'))
      .join('\n')
  }
}
