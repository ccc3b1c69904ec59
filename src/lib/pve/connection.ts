// Knows how to carry a call to Proxmox over HTTPS with an API token, and touches nothing but that network.
// Reads are shared over few connections, repeated with care and fail over to other endpoints.
// Each mutation has a connection of its own, leaves at most once, and its error says whether it can have run.
import {Client, Pool, type Dispatcher} from 'undici'
import PQueue from 'p-queue'
import {DispatchError} from '../model/dispatch-error.ts'
import {FelhomError, isFelhomError} from '../model/felhom-error.ts'
import type {ApiToken} from './api-token.ts'
import {Endpoints} from './endpoint.ts'
import {dispatchOutcome, proxmoxError, ProxmoxError} from './errors.ts'
import {formEncode, pathWithQuery, type ApiPath, type Params} from './paths.ts'
import {routeOf, type ObservedRequest, type RequestObserver} from './request-route.ts'
import {retryRead, systemRetryClock, type RetryClock, type RetryPolicy} from './retry.ts'
import {
  describeRequest,
  sendRequest,
  type HttpAnswer,
  type HttpMethod,
  type HttpRequest,
} from './send-request.ts'
import {singleUse} from './single-use-connector.ts'
import {createConnector, type Connector, type TlsTrust} from './tls-trust.ts'

export interface ConnectionOptions {
  /** `https://host:8006`; further ones are for reads when one fails. */
  readonly endpoints: readonly string[]
  readonly token: ApiToken
  readonly trust: TlsTrust
  readonly limits?: Partial<Limits>
  readonly clock?: RetryClock
  /** Ends everything: what waits is not sent, what is under way is cut off. */
  readonly signal?: AbortSignal
  /** Is told of each exchange, a repeated one included. */
  readonly observe?: RequestObserver
  /** Called whenever a request is about to be written to an open connection. */
  readonly onLeave?: () => void
}

export interface Limits extends RetryPolicy {
  readonly reads: number
  readonly writesPerNode: number
  readonly connectTimeoutMs: number
  readonly readTimeoutMs: number
  readonly writeTimeoutMs: number
}

/** Proxmox gives its own daemons 30 s before it answers 596: wait a little longer than that. */
export const DEFAULT_LIMITS: Limits = {
  reads: 8,
  writesPerNode: 4,
  connectTimeoutMs: 10_000,
  readTimeoutMs: 40_000,
  writeTimeoutMs: 60_000,
  tries: 4,
  baseDelayMs: 200,
  maxDelayMs: 5_000,
  totalMs: 90_000,
}

/** The JSON object of a successful answer: what was asked for under `data`, sometimes a `total`. */
export interface Envelope {
  readonly data: unknown
  readonly total?: unknown
}

export interface Mutation {
  readonly method: Exclude<HttpMethod, 'GET'>
  readonly path: ApiPath
  /** Whose share of concurrent writes it takes. */
  readonly node: string
  /** Goes into the body, of a DELETE into the query. */
  readonly params?: Params
  /** Whether the call does its work before it answers, and starts no task. */
  readonly synchronous: boolean
  /** Values that no error may repeat. */
  readonly secrets?: readonly string[]
}

export interface ReadConnection {
  /** `stop` keeps what still waits for its turn from being sent; it then fails with the signal's reason. */
  get(path: ApiPath, query?: Params, stop?: AbortSignal): Promise<Envelope>
}

export interface WriteConnection {
  mutate(mutation: Mutation): Promise<Envelope>
}

/** pveproxy drops idle connections after 5 s without a word. */
const KEEP_ALIVE_MS = 3_000

export class Connection implements ReadConnection, WriteConnection {
  readonly #endpoints: Endpoints
  readonly #token: ApiToken
  readonly #limits: Limits
  readonly #clock: RetryClock
  readonly #connector: Connector
  readonly #readHeaders: string[]
  readonly #writeHeaders: string[]
  readonly #reads: PQueue
  readonly #writes = new Map<string, PQueue>()
  readonly #pools = new Map<string, Pool>()
  readonly #clients = new Set<Client>()
  readonly #signal: AbortSignal | undefined
  readonly #observe: RequestObserver | undefined
  readonly #onLeave: (() => void) | undefined
  readonly #onAbort = (): void => void this.close()
  #closed = false

  constructor(options: ConnectionOptions) {
    this.#endpoints = new Endpoints(options.endpoints)
    this.#token = options.token
    this.#limits = {...DEFAULT_LIMITS, ...options.limits}
    this.#clock = options.clock ?? systemRetryClock
    this.#connector = createConnector(options.trust, this.#limits.connectTimeoutMs)
    this.#readHeaders = ['authorization', options.token.authorization(), 'accept', 'application/json']
    this.#writeHeaders = [...this.#readHeaders, 'content-type', 'application/x-www-form-urlencoded']
    this.#reads = new PQueue({concurrency: this.#limits.reads})
    this.#observe = options.observe
    this.#onLeave = options.onLeave
    this.#signal = options.signal
    this.#signal?.addEventListener('abort', this.#onAbort)
    if (this.#signal?.aborted) this.#closed = true
  }

  get(path: ApiPath, query?: Params, stop?: AbortSignal): Promise<Envelope> {
    const request: HttpRequest = {
      method: 'GET',
      path: pathWithQuery(path, query),
      headers: this.#readHeaders,
      body: null,
    }
    const freeTries = this.#endpoints.origins.length - 1
    return this.#reads.add(() =>
      retryRead(this.#limits, this.#clock, freeTries, (remainingMs) => {
        stop?.throwIfAborted()
        return this.#read(request, remainingMs)
      }),
    )
  }

  mutate(mutation: Mutation): Promise<Envelope> {
    let queue = this.#writes.get(mutation.node)
    if (!queue) {
      queue = new PQueue({concurrency: this.#limits.writesPerNode})
      this.#writes.set(mutation.node, queue)
    }
    return queue.add(() => this.#write(mutation))
  }

  /** Closes every connection; what is still under way fails as interrupted. */
  async close(): Promise<void> {
    this.#closed = true
    this.#signal?.removeEventListener('abort', this.#onAbort)
    const dispatchers = [...this.#pools.values(), ...this.#clients]
    this.#pools.clear()
    await Promise.all(dispatchers.map((dispatcher) => dispatcher.destroy()))
  }

  async #read(request: HttpRequest, remainingMs: number): Promise<Envelope> {
    this.#assertOpen()
    const origin = this.#endpoints.current
    const deadlineMs = Math.max(1, Math.min(this.#limits.readTimeoutMs, remainingMs))
    try {
      return await this.#exchange(this.#pool(origin), request, deadlineMs)
    } catch (error) {
      // A server that cannot prove who it is, is a reason to stop and look, not to ask the next one.
      if (isFelhomError(error, 'unreachable', 'connection_lost', 'timeout'))
        this.#endpoints.moveOnFrom(origin)
      throw error
    }
  }

  async #write(mutation: Mutation): Promise<Envelope> {
    const request = this.#writeRequest(mutation)
    const connector = singleUse(this.#connector)
    const client = new Client(this.#endpoints.current, {connect: connector.connect, pipelining: 1})
    this.#clients.add(client)
    try {
      this.#assertOpen()
      return await this.#exchange(client, request, this.#limits.writeTimeoutMs, mutation.secrets)
    } catch (error) {
      throw failedMutation(error, mutation.synchronous, connector.handedOver())
    } finally {
      this.#clients.delete(client)
      // Not awaited: the answer is in, and a connection that closes slowly is no reason to wait.
      void client.destroy()
    }
  }

  async #exchange(
    dispatcher: Dispatcher,
    request: HttpRequest,
    deadlineMs: number,
    secrets?: readonly string[],
  ): Promise<Envelope> {
    const startMs = this.#observe && performance.now()
    let status: number | undefined
    try {
      const answer = await sendRequest(dispatcher, request, deadlineMs, this.#onLeave)
      status = answer.status
      const opened = this.#open(answer, request, secrets)
      if (startMs !== undefined) this.#note(request, startMs, {status})
      return opened
    } catch (error) {
      const errorCode = error instanceof FelhomError ? error.code : 'unexpected'
      if (startMs !== undefined)
        this.#note(request, startMs, {errorCode, ...(status !== undefined && {status})})
      throw error
    }
  }

  #note(
    {method, path}: HttpRequest,
    startMs: number,
    ended: Pick<ObservedRequest, 'status' | 'errorCode'>,
  ): void {
    this.#observe?.({method, route: routeOf(path), ms: performance.now() - startMs, ...ended})
  }

  #writeRequest({method, path, params = {}}: Mutation): HttpRequest {
    if (method === 'DELETE') {
      return {method, path: pathWithQuery(path, params), headers: this.#readHeaders, body: null}
    }
    return {method, path, headers: this.#writeHeaders, body: formEncode(params)}
  }

  #pool(origin: string): Pool {
    let pool = this.#pools.get(origin)
    if (!pool) {
      pool = new Pool(origin, {
        connect: this.#connector,
        connections: this.#limits.reads,
        pipelining: 1,
        keepAliveTimeout: KEEP_ALIVE_MS,
        keepAliveMaxTimeout: KEEP_ALIVE_MS,
      })
      this.#pools.set(origin, pool)
    }
    return pool
  }

  #open(answer: HttpAnswer, request: HttpRequest, secrets: readonly string[] = []): Envelope {
    if (answer.status < 200 || answer.status > 299) {
      const scrub = (text: string): string => scrubAll(this.#token.scrub(text), secrets)
      throw proxmoxError(answer, describeRequest(request), scrub)
    }
    return openEnvelope(answer.body, request)
  }

  #assertOpen(): void {
    if (this.#closed) {
      throw new FelhomError('interrupted', 'the connection to Proxmox was closed', {
        doubt: 'The request was not sent.',
      })
    }
  }
}

function openEnvelope(body: string, request: HttpRequest): Envelope {
  let value: unknown
  try {
    value = JSON.parse(body)
  } catch (cause) {
    // The parser quotes the text in its message, and the text may be anything: it is not handed on.
    const where = cause instanceof SyntaxError ? 'is not JSON' : 'cannot be read'
    const answer = `the answer of ${body.length} characters`
    throw new FelhomError('bad_answer', `${describeRequest(request)}: ${answer} ${where}`)
  }
  if (typeof value !== 'object' || value === null || !('data' in value)) {
    throw new FelhomError('bad_answer', `${describeRequest(request)}: the answer holds no data`)
  }
  return value
}

function failedMutation(error: unknown, synchronous: boolean, sent: boolean): unknown {
  if (!(error instanceof FelhomError)) return error
  const refusal = error instanceof ProxmoxError ? {refusal: error} : {}
  const executed = dispatchOutcome({sent, synchronous, ...refusal})
  const hint = error.hint === undefined ? {} : {hint: error.hint}
  return new DispatchError(error.code, error.message, executed, {cause: error, ...hint})
}

function scrubAll(text: string, secrets: readonly string[]): string {
  return secrets.reduce((rest, secret) => (secret === '' ? rest : rest.replaceAll(secret, '***')), text)
}
