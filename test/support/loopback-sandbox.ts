// A sandbox behind HTTPS on loopback, started from the recorded seed in this process.
import {readFileSync} from 'node:fs'
import {request as httpsRequest} from 'node:https'
import type {Clock} from '../../src/lib/sandbox/clock.ts'
import {startSandbox, type Sandbox, type SandboxOptions} from '../../src/lib/sandbox/server/start-sandbox.ts'

const seedText = readFileSync(new URL('../fixtures/pve/scenarios/seed.json', import.meta.url), 'utf8')

export const recordedSeed = (): unknown => JSON.parse(seedText)

/** Time goes on as it does, but nobody waits: for tests of what comes after a delay, not of the delay. */
export const impatientClock: Clock = {
  now: () => Date.now(),
  sleep: () => new Promise((resolve) => setImmediate(resolve)),
}

export interface HttpAnswer {
  status: number
  reason: string
  headers: Record<string, string | string[] | undefined>
  text: string
  json: unknown
}

export class LoopbackSandbox {
  readonly sandbox: Sandbox

  private constructor(sandbox: Sandbox) {
    this.sandbox = sandbox
  }

  static async start(options: Partial<SandboxOptions> = {}): Promise<LoopbackSandbox> {
    return new LoopbackSandbox(await startSandbox({port: 0, seed: recordedSeed(), ...options}))
  }

  /** One request on a connection of its own; a body is sent as a form unless it is JSON text. */
  send(
    method: string,
    path: string,
    body?: string,
    headers: Record<string, string> = {},
  ): Promise<HttpAnswer> {
    const {url, caPem, tokens} = this.sandbox
    const type = body?.startsWith('{') ? 'application/json' : 'application/x-www-form-urlencoded'
    const all = {
      Authorization: `PVEAPIToken=${tokens['full'] ?? ''}`,
      ...(body !== undefined && {'Content-Type': type, 'Content-Length': String(Buffer.byteLength(body))}),
      ...headers,
    }
    return new Promise((resolve, reject) => {
      const request = httpsRequest(
        `${url}${path}`,
        {method, ca: caPem, agent: false, headers: all},
        (response) => {
          const chunks: Buffer[] = []
          response.on('data', (chunk: Buffer) => chunks.push(chunk)).on('error', reject)
          response.on('end', () => {
            const text = Buffer.concat(chunks).toString('utf8')
            const {statusCode = 0, statusMessage = '', headers: received} = response
            const isJson =
              received['content-type']?.startsWith('application/json') && !received['content-encoding']
            const json: unknown = isJson ? JSON.parse(text) : undefined
            resolve({status: statusCode, reason: statusMessage, headers: received, text, json})
          })
        },
      )
      request.on('error', reject).end(body)
    })
  }

  api(method: string, path: string, body?: string): Promise<HttpAnswer> {
    return this.send(method, `/api2/json${path}`, body)
  }

  control(control: unknown): Promise<HttpAnswer> {
    return this.send('POST', '/sandbox/control', JSON.stringify(control))
  }

  reset(): Promise<HttpAnswer> {
    return this.send('POST', '/sandbox/reset', '')
  }

  close(): Promise<void> {
    return this.sandbox.close()
  }
}
