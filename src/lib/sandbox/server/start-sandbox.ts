// Starts an embedded Proxmox on loopback: HTTPS with a certificate authority of its own, the API over the
// cluster's core, and its own controls under /sandbox. It may touch the network of this machine and a
// temporary directory. It guarantees that close() leaves nothing behind.
import {mkdtemp, rm, writeFile} from 'node:fs/promises'
import {tmpdir} from 'node:os'
import path from 'node:path'
import type {IncomingMessage, ServerResponse} from 'node:http'
import {Api} from '../api.ts'
import {Cluster} from '../cluster.ts'
import {loadSeed} from '../seed.ts'
import {applyControl, ControlError} from './control.ts'
import {openConnections} from './connections.ts'
import {encodeAnswer, readBody, readRequest, writeAnswer} from './http.ts'
import {makeServerIdentity} from './tls.ts'

export interface SandboxOptions {
  /** 0: any free port. */
  port: number
  seed: unknown
  host?: string
  stateFile?: string
  /** After how long an idle connection is dropped; Proxmox: 5 s. */
  idleMs?: number
}

export interface Sandbox {
  url: string
  caFile: string
  caPem: string
  fingerprint: string
  tokens: Record<string, string>
  readonly cluster: Cluster
  close(): Promise<void>
}

const MAX_REQUESTS_PER_CONNECTION = 100

export async function startSandbox(options: SandboxOptions): Promise<Sandbox> {
  const identity = await makeServerIdentity()
  let cluster = new Cluster(loadSeed(options.seed))
  let api = new Api(cluster)
  const served = new WeakMap<object, number>()

  const answerSandbox = async (request: IncomingMessage, response: ServerResponse): Promise<void> => {
    const say = (status: number, body: unknown): void => {
      response.writeHead(status, {'Content-Type': 'application/json'}).end(JSON.stringify(body))
    }
    const text = (await readBody(request)).toString('utf8')
    try {
      if (request.url === '/sandbox/reset') {
        cluster = new Cluster(loadSeed(options.seed))
        api = new Api(cluster)
      } else applyControl(cluster, JSON.parse(text))
      say(200, {ok: true})
    } catch (error) {
      say(error instanceof ControlError ? 400 : 500, {error: String(error)})
    }
  }

  const answerApi = async (request: IncomingMessage, response: ServerResponse): Promise<void> => {
    const count = (served.get(request.socket) ?? 0) + 1
    served.set(request.socket, count)
    const read = await readRequest(request)
    const answer = await api.handle(read)
    const keepsAlive = count < MAX_REQUESTS_PER_CONNECTION && !/close/i.test(read.headers['connection'] ?? '')
    writeAnswer(response, encodeAnswer(answer, read, keepsAlive))
  }

  const host = options.host ?? '127.0.0.1'
  const connections = await openConnections(
    {host, port: options.port, idleMs: options.idleMs ?? 5000, identity},
    (request, response) => {
      const isControl = request.url?.startsWith('/sandbox/')
      void (isControl ? answerSandbox : answerApi)(request, response).catch(() => request.socket.destroy())
    },
  )
  const directory = await mkdtemp(path.join(tmpdir(), 'felhom-sandbox-'))
  const caFile = path.join(directory, 'ca.pem')
  await writeFile(caFile, identity.caPem, {mode: 0o600})
  const {tokens} = cluster.state.access
  return {
    url: `https://${host}:${String(connections.port)}`,
    caFile,
    caPem: identity.caPem,
    fingerprint: identity.fingerprint,
    tokens: Object.fromEntries(tokens.map((t) => [t.tokenid, `${t.tokenid}=${t.secret}`])),
    get cluster(): Cluster {
      return cluster
    },
    close: async (): Promise<void> => {
      await connections.close()
      await rm(directory, {recursive: true, force: true})
    },
  }
}
