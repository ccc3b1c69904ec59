// The way between a felhom process and Proxmox. It speaks to the sandbox's API, and gives the process what the real
// connection would: answers, or the client's own errors with the client's own judgement of what they mean. A request
// that has left goes on without its process.
import {DispatchError} from '../../src/lib/model/dispatch-error.ts'
import {FelhomError} from '../../src/lib/model/felhom-error.ts'
import type {Envelope, Mutation, ReadConnection, WriteConnection} from '../../src/lib/pve/connection.ts'
import {DEFAULT_LIMITS} from '../../src/lib/pve/connection.ts'
import {dispatchOutcome, proxmoxError, ProxmoxError} from '../../src/lib/pve/errors.ts'
import {formEncode, pathWithQuery} from '../../src/lib/pve/paths.ts'
import {retryRead, type RetryClock} from '../../src/lib/pve/retry.ts'
import type {ApiRequest} from '../../src/lib/sandbox/api-request.ts'
import type {ProcessLife} from './process-life.ts'

/** What becomes of one exchange. `status` stands in place of the real answer. */
export type Exchange =
  | {readonly kind: 'fine'; readonly answerMs?: number}
  | {readonly kind: 'refused'}
  | {
      readonly kind: 'reset' | 'timeout' | 'cut' | 'status'
      readonly status?: number
      /** Whether Proxmox ever gets it, and how long after the process has given up. */
      readonly effect: 'none' | 'before' | 'late'
      readonly lateMs?: number
    }

export interface Answer {
  readonly status: number
  readonly reason: string
  readonly text: string
}

/** Told of a mutation: that it left, and what came of it at Proxmox, whatever the sender learns. */
export interface RequestWatch {
  sent(): void
  handled(answer: Answer | undefined): void
  dropped(): void
}

export interface NetworkHost {
  /** Undefined: Proxmox went away meanwhile. */
  handle(request: ApiRequest): Promise<Answer | undefined>
  sleep(ms: number): Promise<void>
  now(): number
  random(): number
  latencyMs(): number
  /** 0: it comes back at once. */
  readLatencyMs(): number
  drawRead(): Exchange
  drawWrite(): Exchange
}

const AUTHORIZATION = 'PVEAPIToken=root@pam!felhom=11111111-2222-3333-4444-555555555555'

export class SimNetwork {
  readonly #host: NetworkHost

  constructor(host: NetworkHost) {
    this.#host = host
  }

  reads(life: ProcessLife): ReadConnection {
    const host = this.#host
    const clock: RetryClock = {
      now: () => host.now(),
      sleep: (ms) => life.step('retry', () => host.sleep(ms)),
      random: () => host.random(),
    }
    return {
      get: (path, query, stop) =>
        retryRead(DEFAULT_LIMITS, clock, 0, () => {
          stop?.throwIfAborted()
          const url = pathWithQuery(path, query)
          return life.step(`GET ${shortPath(url)}`, () => this.#read(url))
        }),
    }
  }

  writes(life: ProcessLife, watch: RequestWatch): WriteConnection {
    return {
      mutate: (mutation) =>
        life.step(`${mutation.method} ${shortPath(mutation.path)}`, () => this.#write(mutation, watch)),
    }
  }

  async #read(url: string): Promise<Envelope> {
    const host = this.#host
    const drawn = host.drawRead()
    const latencyMs = host.readLatencyMs()
    if (latencyMs > 0) await host.sleep(latencyMs)
    if (drawn.kind === 'refused') throw new FelhomError('unreachable', 'refused')
    if (drawn.kind !== 'fine') return this.#spoilt(drawn, await this.#handleIf(drawn, getRequest(url)))
    const answer = await host.handle(getRequest(url))
    if (drawn.answerMs !== undefined) await host.sleep(drawn.answerMs)
    return openAnswer(answer)
  }

  async #write(mutation: Mutation, watch: RequestWatch): Promise<Envelope> {
    const host = this.#host
    const drawn = host.drawWrite()
    let sent = false
    try {
      if (drawn.kind === 'refused') throw new FelhomError('unreachable', 'refused')
      sent = true
      watch.sent()
      await host.sleep(host.latencyMs())
      const request = writeRequest(mutation)
      if (drawn.kind !== 'fine') return await this.#spoilt(drawn, await this.#handleIf(drawn, request, watch))
      const answer = await host.handle(request)
      watch.handled(answer)
      if (drawn.answerMs !== undefined) await host.sleep(drawn.answerMs)
      return openAnswer(answer)
    } catch (error) {
      throw failedMutation(error, mutation.synchronous, sent)
    }
  }

  async #handleIf(
    drawn: Exclude<Exchange, {kind: 'fine' | 'refused'}>,
    request: ApiRequest,
    watch?: RequestWatch,
  ): Promise<Answer | undefined> {
    const carryOut = async (): Promise<Answer | undefined> => {
      const answer = await this.#host.handle(request)
      watch?.handled(answer)
      return answer
    }
    if (drawn.effect === 'before') return carryOut()
    if (drawn.effect === 'late') void this.#host.sleep(drawn.lateMs ?? 1000).then(carryOut)
    else watch?.dropped()
    return undefined
  }

  async #spoilt(
    drawn: Exclude<Exchange, {kind: 'fine' | 'refused'}>,
    answer: Answer | undefined,
  ): Promise<Envelope> {
    const status = drawn.status ?? 596
    if (drawn.kind === 'reset') throw new FelhomError('connection_lost', 'reset')
    if (drawn.kind === 'status') return openAnswer({status, reason: 'simulated', text: ''})
    if (drawn.kind === 'cut') {
      if (answer === undefined) throw new FelhomError('connection_lost', 'cut')
      throw new FelhomError('bad_answer', 'cut')
    }
    await this.#host.sleep(DEFAULT_LIMITS.writeTimeoutMs)
    throw new FelhomError('timeout', 'no answer')
  }
}

const shortPath = (url: string): string => (url.split('?', 1)[0] ?? '').replace('/api2/json', '')

const getRequest = (url: string): ApiRequest => ({
  method: 'GET',
  url,
  headers: {authorization: AUTHORIZATION},
})

function writeRequest({method, path, params = {}}: Mutation): ApiRequest {
  const headers = {authorization: AUTHORIZATION}
  if (method === 'DELETE') return {method, url: pathWithQuery(path, params), headers}
  const body = formEncode(params)
  const type = 'application/x-www-form-urlencoded'
  return {
    method,
    url: path,
    headers: {...headers, 'content-type': type, 'content-length': String(body.length)},
    body,
  }
}

function openAnswer(answer: Answer | undefined): Envelope {
  if (!answer) throw new FelhomError('connection_lost', 'Proxmox went away')
  const {status, reason, text} = answer
  if (status < 200 || status > 299) throw proxmoxError({status, reason, body: text}, 'request', (t) => t)
  return JSON.parse(text) as Envelope
}

/** As the real connection judges it. */
function failedMutation(error: unknown, synchronous: boolean, sent: boolean): unknown {
  if (!(error instanceof FelhomError)) return error
  const refusal = error instanceof ProxmoxError ? {refusal: error} : {}
  const executed = dispatchOutcome({sent, synchronous, ...refusal})
  return new DispatchError(error.code, error.message, executed, {cause: error})
}
