// The real client against the sandbox over real HTTPS on loopback. The sandbox's clock runs a hundred times
// as fast, so that what Proxmox does in seconds takes a test some milliseconds.
import {readFileSync} from 'node:fs'
import {Client} from 'undici'
import {ApiToken} from '../../src/lib/pve/api-token.ts'
import {Connection, type ConnectionOptions} from '../../src/lib/pve/connection.ts'
import type {Clock} from '../../src/lib/sandbox/clock.ts'
import {startSandbox, type Sandbox} from '../../src/lib/sandbox/server/start-sandbox.ts'
import {SkippingClock} from './test-connection.ts'

const seedFile = new URL('../fixtures/pve/scenarios/seed.json', import.meta.url)

/** One standalone node, five containers and machines, tokens full, ro, ops, nobody, expired and privsep. */
export const recordedSeed = (): unknown => JSON.parse(readFileSync(seedFile, 'utf8'))

const SPEED = 100

function fastClock(): Clock {
  const startMs = Date.now()
  return {
    now: () => startMs + (Date.now() - startMs) * SPEED,
    sleep: (ms, signal) =>
      new Promise((resolve, reject) => {
        const timer = setTimeout(resolve, ms / SPEED)
        signal?.addEventListener('abort', () => {
          clearTimeout(timer)
          reject(signal.reason as Error)
        })
      }),
  }
}

export interface SandboxStats {
  readonly total: number
  readonly requests: Readonly<Record<string, number>>
  readonly connections: number
}

export class TestSandbox {
  readonly sandbox: Sandbox
  readonly #admin: Client
  readonly #connections: Connection[] = []

  private constructor(sandbox: Sandbox) {
    this.sandbox = sandbox
    this.#admin = new Client(sandbox.url, {connect: {ca: sandbox.caPem}})
  }

  static async start(seed: unknown = recordedSeed()): Promise<TestSandbox> {
    return new TestSandbox(await startSandbox({port: 0, seed, clock: fastClock()}))
  }

  connect(token = 'full', more: Partial<ConnectionOptions> = {}): Connection {
    const connection = new Connection({
      endpoints: [this.sandbox.url],
      token: ApiToken.parse(this.sandbox.tokens[token] ?? token),
      trust: {ca: this.sandbox.caPem},
      clock: new SkippingClock(),
      ...more,
      limits: {readTimeoutMs: 5_000, ...more.limits},
    })
    this.#connections.push(connection)
    return connection
  }

  async control(control: object): Promise<void> {
    const {status, text} = await this.#call('POST', '/sandbox/control', JSON.stringify(control))
    if (status !== 200) throw new Error(`the sandbox refused ${JSON.stringify(control)}: ${text}`)
  }

  async stats(): Promise<SandboxStats> {
    return JSON.parse((await this.#call('GET', '/sandbox/stats')).text) as SandboxStats
  }

  /** Back to the seed, faults and counts included; connections of the last test are closed. */
  async reset(): Promise<void> {
    await Promise.all(this.#connections.splice(0).map((connection) => connection.close()))
    await this.#call('POST', '/sandbox/reset')
  }

  async close(): Promise<void> {
    await Promise.all(this.#connections.splice(0).map((connection) => connection.close()))
    await this.#admin.close()
    await this.sandbox.close()
  }

  async #call(method: 'GET' | 'POST', path: string, body = ''): Promise<{status: number; text: string}> {
    const answer = await this.#admin.request({method, path, reset: true, ...(method === 'POST' && {body})})
    return {status: answer.statusCode, text: await answer.body.text()}
  }
}
