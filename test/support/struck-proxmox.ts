// The sandbox's core behind a TLS server that does to each answer what a test says: hands it over whole, in part,
// twice, late or never. Whatever the client learns, the core has carried the request out and can be asked.
import type {TLSSocket} from 'node:tls'
import {ApiToken} from '../../src/lib/pve/api-token.ts'
import type {Connection, Limits} from '../../src/lib/pve/connection.ts'
import {Api} from '../../src/lib/sandbox/api.ts'
import {encodeAnswer} from '../../src/lib/sandbox/server/http-answer.ts'
import {FULL_TOKEN, InProcessSandbox} from './in-process-sandbox.ts'
import type {ScriptedRequest, ScriptedServer} from './scripted-server.ts'
import type {Bench} from './test-connection.ts'

export type Strike = (answer: Buffer, socket: TLSSocket) => void

export const handOver: Strike = (answer, socket) => socket.end(answer)

export class StruckProxmox {
  sandbox = new InProcessSandbox()
  strike: Strike = handOver
  /** The answer of the latest request, as it would have gone over the wire. */
  answer = Buffer.alloc(0)
  readonly #bench: Bench
  #server: ScriptedServer | undefined
  #seeded: ReadonlySet<string> | undefined

  constructor(bench: Bench) {
    this.#bench = bench
  }

  /** Back to the seed; requests are counted anew. */
  async reset(strike: Strike = handOver): Promise<void> {
    this.#server ??= await this.#bench.serve((request, socket) => void this.#respond(request, socket))
    this.#server.requests.length = 0
    this.sandbox = new InProcessSandbox()
    this.strike = strike
  }

  connect(limits: Partial<Limits> = {}): Promise<Connection> {
    return this.#bench.connect(this.#server?.url ?? '', {token: ApiToken.parse(FULL_TOKEN), limits})
  }

  requests(): string[] {
    return this.#server?.requests.map(({method, target}) => `${method} ${target}`) ?? []
  }

  /** Which tasks were started since the reset, whoever knows of them. */
  async newTasks(): Promise<string[]> {
    this.#seeded ??= new Set((await listTasks(new InProcessSandbox())).map(({upid}) => upid))
    const tasks = (await listTasks(this.sandbox)).filter(({upid}) => this.#seeded?.has(upid) === false)
    return tasks.map(({type, id}) => `${type} ${id}`)
  }

  async #respond({method, target, headers, body}: ScriptedRequest, socket: TLSSocket): Promise<void> {
    const {clock, cluster} = this.sandbox
    const request = {method, url: target, headers: Object.fromEntries(headers), ...(body !== '' && {body})}
    const answer = await clock.run(new Api(cluster).handle(request))
    const wire = encodeAnswer(answer, {protocol: 'HTTP/1.1', keepsAlive: false, acceptEncoding: ''})
    this.answer = Buffer.concat([wire.head, wire.body])
    this.strike(this.answer, socket)
  }
}

interface Task {
  readonly upid: string
  readonly type: string
  readonly id: string
}

async function listTasks(sandbox: InProcessSandbox): Promise<Task[]> {
  return (await sandbox.get('/nodes/pve/tasks?source=all&limit=500')).data as Task[]
}
