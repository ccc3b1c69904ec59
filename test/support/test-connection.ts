// Connections for tests: short time-outs, a clock that does not wait, and a scripted server of their own.
import {ApiToken} from '../../src/lib/pve/api-token.ts'
import {Connection, type ConnectionOptions} from '../../src/lib/pve/connection.ts'
import type {RetryClock} from '../../src/lib/pve/retry.ts'
import {CANARY_TOKEN} from './canary.ts'
import {createAuthority, type Authority, type Identity} from './certificates.ts'
import {startScriptedServer, type Script, type ScriptedServer} from './scripted-server.ts'

/** Real time that jumps over pauses, and remembers them. */
export class SkippingClock implements RetryClock {
  readonly pausesMs: number[] = []
  #skippedMs = 0

  now(): number {
    return performance.now() + this.#skippedMs
  }

  sleep(ms: number): Promise<void> {
    this.pausesMs.push(ms)
    this.#skippedMs += ms
    return Promise.resolve()
  }

  random(): number {
    return 0.5
  }
}

/** One authority and one server certificate for a whole file of tests. */
export class Bench {
  readonly #closers: (() => Promise<void>)[] = []
  #made: Promise<{authority: Authority; identity: Identity}> | undefined

  async serve(script: Script): Promise<ScriptedServer> {
    const {identity} = await this.#make()
    const server = await startScriptedServer(identity, script)
    this.onClose(() => server.close())
    return server
  }

  async connect(
    urls: string | readonly string[],
    more: Partial<ConnectionOptions> = {},
  ): Promise<Connection> {
    const {authority} = await this.#make()
    const connection = new Connection({
      endpoints: [urls].flat(),
      token: ApiToken.parse(CANARY_TOKEN),
      trust: {ca: authority.pem},
      clock: new SkippingClock(),
      ...more,
    })
    this.onClose(() => connection.close())
    return connection
  }

  onClose(close: () => Promise<void>): void {
    this.#closers.push(close)
  }

  /** Connections first, then the servers they were to. */
  async close(): Promise<void> {
    for (const close of this.#closers.splice(0).reverse()) await close()
  }

  #make(): Promise<{authority: Authority; identity: Identity}> {
    this.#made ??= createAuthority().then(async (authority) => ({
      authority,
      identity: await authority.issue(),
    }))
    return this.#made
  }
}
