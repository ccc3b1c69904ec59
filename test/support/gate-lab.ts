// A project of its own on the sandbox, with signers: keys by ssh-keygen, a trust store that gate trust init made.
import {mkdtempSync, readdirSync, rmSync, writeFileSync} from 'node:fs'
import {tmpdir} from 'node:os'
import {join} from 'node:path'
import {expect} from 'chai'
import {runFelhom, type Run} from './felhom.ts'
import {runSshKeygen} from './gate-keys.ts'
import {startSandboxProcess, type SandboxProcess} from './sandbox-process.ts'

export class GateLab {
  readonly sandbox: SandboxProcess
  dir = ''

  private constructor(sandbox: SandboxProcess) {
    this.sandbox = sandbox
  }

  static async start(): Promise<GateLab> {
    return new GateLab(await startSandboxProcess())
  }

  /** For the next test: the seed again, an empty project, and people who may sign. */
  async renew(thresholds: readonly string[] = []): Promise<void> {
    this.#leave()
    this.dir = mkdtempSync(join(tmpdir(), 'felhom-e2e-gate-'))
    await this.sandbox.reset()
    for (const name of ['alice', 'bob', 'safe', 'mallory'])
      runSshKeygen(['-q', '-t', 'ed25519', '-N', '', '-C', name, '-f', this.at(name)])
    const keys = ['--operational', 'alice.pub', '--operational', 'bob.pub', '--recovery', 'safe.pub']
    const more = thresholds.flatMap((threshold) => ['--threshold', threshold])
    const {stdout, stderr} = await this.felhom('gate', 'trust', 'init', ...keys, ...more)
    const [genesis] = /sha256:[0-9a-f]{64}/.exec(stdout) ?? []
    expect(genesis, stderr).to.be.a('string')
    this.write(
      'felhom.yaml',
      `felhom: 1\ndesired: guests.yaml\napprovals: approvals\ntrust: {dir: trust, genesis: ${genesis ?? ''}}\n`,
    )
  }

  async stop(): Promise<void> {
    this.#leave()
    await this.sandbox.stop()
  }

  #leave(): void {
    if (this.dir !== '') rmSync(this.dir, {recursive: true, force: true})
  }

  at(...parts: string[]): string {
    return join(this.dir, ...parts)
  }

  write(name: string, text: string): void {
    writeFileSync(this.at(name), text, {mode: 0o600})
  }

  /** The desired state of the project; `guests` in flow style. */
  wish(guests: string): void {
    this.write('guests.yaml', `felhom: 1\nguests: ${guests}\n`)
  }

  felhom(...args: string[]): Promise<Run> {
    return runFelhom(args, {cwd: this.dir, env: this.sandbox.env})
  }

  apply(...args: string[]): Promise<Run> {
    return this.felhom('apply', '--auto-approve', ...args)
  }

  /** The result of a command with --json; of several lines the last. */
  async json(...args: string[]): Promise<Record<string, unknown>> {
    const {stdout, stderr} = await this.felhom(...args, '--json')
    const text = args[0] === 'apply' ? (stdout.trim().split('\n').at(-1) ?? '') : stdout
    expect(text, stderr).to.contain('"result"')
    return (JSON.parse(text) as {result: Record<string, unknown>}).result
  }

  /** The ID of the only action that waits. */
  async pendingId(): Promise<string> {
    const {pending} = (await this.json('gate', 'pending')) as {pending: {id: string}[]}
    expect(pending).to.have.length(1)
    return pending[0]?.id ?? ''
  }

  sign(approval: string, key: string, ...args: string[]): Promise<Run> {
    return this.felhom('gate', 'sign', approval, '--key', key, ...args)
  }

  approvals(): string[] {
    return readdirSync(this.at('approvals')).map((name) => this.at('approvals', name))
  }

  async vmids(): Promise<number[]> {
    const guests = (await this.sandbox.call('GET', '/cluster/resources')) as {vmid?: number}[]
    return guests.flatMap(({vmid}) => vmid ?? [])
  }

  /** Deletions of guests that were asked for since the last reset. */
  async destructions(): Promise<number> {
    const requests = await this.sandbox.requests()
    return Object.entries(requests)
      .filter(([key]) => /^DELETE \/nodes\/\S+\/(lxc|qemu)\/[^/]+$/.test(key))
      .reduce((sum, [, count]) => sum + count, 0)
  }
}

/** What was said, wherever lines were broken. */
export const said = ({stdout, stderr}: Run): string => `${stdout}\n${stderr}`.replaceAll(/\s+/g, ' ')
