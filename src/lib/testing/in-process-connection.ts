// The client's two halves of a connection on a sandbox without HTTP: what comes back, errors and their
// classification included, is what the real connection gives over HTTPS. Faults strike where a test says so.
import {DispatchError} from '../model/dispatch-error.ts'
import {FelhomError} from '../model/felhom-error.ts'
import {
  DEFAULT_LIMITS,
  type Envelope,
  type Mutation,
  type ReadConnection,
  type WriteConnection,
} from '../pve/connection.ts'
import {dispatchOutcome, proxmoxError, ProxmoxError} from '../pve/errors.ts'
import {formEncode, pathWithQuery, type ApiPath, type Params} from '../pve/paths.ts'
import {retryRead, type RetryPolicy} from '../pve/retry.ts'
import {Api} from '../sandbox/api.ts'
import type {Clock} from '../sandbox/clock.ts'
import type {Cluster} from '../sandbox/cluster.ts'
import {FULL_TOKEN} from './full-token.ts'

export interface InProcessRequest {
  readonly method: string
  /** Below /api2/json, without its query: `/nodes/pve/lxc/101/config`. */
  readonly path: string
  /** Query or form, encoded. */
  readonly params: string
  readonly atMs: number
}

/**
 * `before`: the sandbox never sees the request. `after`: it has carried it out, and the answer is lost.
 * `refused`: no connection, so that surely nothing was sent. `stall` rejects as a time-out after `ms`.
 * `late`: lost to the client at once, while the sandbox sees it `ms` later. `slow`: answered `ms` later, and well.
 */
export type InProcessFault =
  | {readonly kind: 'reset' | 'cut'; readonly when: 'before' | 'after'}
  | {
      readonly kind: 'status'
      readonly when: 'before' | 'after'
      readonly status: number
      readonly text?: string
    }
  | {readonly kind: 'stall'; readonly when: 'before' | 'after'; readonly ms: number}
  | {readonly kind: 'late'; readonly ms: number}
  | {readonly kind: 'slow'; readonly ms: number}
  | {readonly kind: 'refused'}

export interface InProcessConnectionOptions {
  /** `user@realm!name=secret`. */
  readonly token?: string
  /** There and back, each half before and after the sandbox sees the request. */
  readonly latencyMs?: number
  /** Asked for each request, repeated reads included. It may throw, to end a simulated process. */
  fault?(request: InProcessRequest): InProcessFault | undefined
  readonly retry?: Partial<RetryPolicy>
  /** In [0, 1), for the pauses between tries. */
  random?(): number
}

export class InProcessConnection implements ReadConnection, WriteConnection {
  /** Every request, in the order in which they left. */
  readonly requests: InProcessRequest[] = []
  readonly #api: Api
  readonly #clock: Clock
  readonly #options: InProcessConnectionOptions

  constructor(cluster: Cluster, options: InProcessConnectionOptions = {}) {
    this.#api = new Api(cluster)
    this.#clock = cluster.clock
    this.#options = options
  }

  get(path: ApiPath, query?: Params): Promise<Envelope> {
    const clock = {
      now: () => this.#clock.now(),
      sleep: (ms: number) => this.#clock.sleep(ms),
      random: () => this.#options.random?.() ?? 0.5,
    }
    const policy = {...DEFAULT_LIMITS, ...this.#options.retry}
    return retryRead(policy, clock, 0, () => this.#exchange('GET', pathWithQuery(path, query)))
  }

  async mutate({method, path, params = {}, synchronous}: Mutation): Promise<Envelope> {
    const isDelete = method === 'DELETE'
    try {
      return await this.#exchange(
        method,
        isDelete ? pathWithQuery(path, params) : path,
        isDelete ? undefined : formEncode(params),
      )
    } catch (error) {
      if (!(error instanceof FelhomError)) throw error
      const refusal = error instanceof ProxmoxError ? {refusal: error} : {}
      const executed = dispatchOutcome({sent: error.code !== 'unreachable', synchronous, ...refusal})
      throw new DispatchError(error.code, error.message, executed, {
        cause: error,
        ...(error.hint !== undefined && {hint: error.hint}),
      })
    }
  }

  async #exchange(method: string, url: string, body?: string): Promise<Envelope> {
    const [path = '', query = ''] = url.split('?')
    const request: InProcessRequest = {
      method,
      path: decodeURIComponent(path).replace(/^\/api2\/json/, ''),
      params: body ?? query,
      atMs: this.#clock.now(),
    }
    this.requests.push(request)
    const what = `${method} ${request.path}`
    const fault = this.#options.fault?.(request)
    await this.#pause()
    if (fault?.kind === 'late') {
      void this.#clock.sleep(fault.ms).then(() => this.#handle(method, url, body))
      throw lost(what)
    }
    if (fault?.kind === 'refused') throw new FelhomError('unreachable', `${what}: connect ECONNREFUSED`)
    if (fault && 'when' in fault && fault.when === 'before') return this.#strike(fault, what)
    const answer = await this.#handle(method, url, body)
    await this.#pause()
    if (fault?.kind === 'slow') await this.#clock.sleep(fault.ms)
    else if (fault) return this.#strike(fault, what)
    if (answer.status < 200 || answer.status > 299) {
      throw proxmoxError({...answer, body: answer.text}, what, (text) => text)
    }
    return JSON.parse(answer.text) as Envelope
  }

  async #pause(): Promise<void> {
    const {latencyMs = 0} = this.#options
    if (latencyMs > 0) await this.#clock.sleep(latencyMs / 2)
  }

  #handle(method: string, url: string, body: string | undefined): ReturnType<Api['handle']> {
    const headers = {
      authorization: `PVEAPIToken=${this.#options.token ?? FULL_TOKEN}`,
      ...(body !== undefined && {
        'content-type': 'application/x-www-form-urlencoded',
        'content-length': String(Buffer.byteLength(body)),
      }),
    }
    return this.#api.handle({method, url, headers, ...(body !== undefined && {body})})
  }

  async #strike(fault: Extract<InProcessFault, {when: 'before' | 'after'}>, what: string): Promise<never> {
    switch (fault.kind) {
      case 'reset':
        throw lost(what)
      case 'cut':
        throw new FelhomError('bad_answer', `${what}: the answer of 7 characters is not JSON`)
      case 'stall':
        await this.#clock.sleep(fault.ms)
        throw new FelhomError('timeout', `${what}: no complete answer within ${fault.ms} ms`)
      case 'status':
        throw proxmoxError({status: fault.status, reason: fault.text ?? '', body: ''}, what, (text) => text)
    }
  }
}

const lost = (what: string): FelhomError => new FelhomError('connection_lost', `${what}: read ECONNRESET`)
