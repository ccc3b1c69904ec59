// One HTTP exchange over a dispatcher: the whole answer in one piece, or a typed error, within one deadline
// that covers connecting, waiting and reading.
import type {Dispatcher} from 'undici'
import {FelhomError} from '../model/felhom-error.ts'
import {exchangeFailure} from './transport-errors.ts'

export type HttpMethod = 'GET' | 'POST' | 'PUT' | 'DELETE'

export interface HttpRequest {
  readonly method: HttpMethod
  /** Encoded, with its query. */
  readonly path: string
  /** Names and values in turn. */
  readonly headers: string[]
  readonly body: string | null
}

export interface HttpAnswer {
  readonly status: number
  readonly reason: string
  readonly body: string
}

/** Far above the list of the largest cluster; a stream without end is cut off here. */
const MAX_BODY_BYTES = 64 * 1024 * 1024

export function sendRequest(
  dispatcher: Dispatcher,
  request: HttpRequest,
  deadlineMs: number,
  /** Called when it is about to be written to an open connection. */
  onLeave?: () => void,
): Promise<HttpAnswer> {
  return new Promise((resolve, reject) => {
    const exchange = new Exchange(request, deadlineMs, onLeave, resolve, reject)
    // The one deadline replaces undici's own, which are coarse and leave the total unbounded.
    dispatcher.dispatch({...request, headersTimeout: 0, bodyTimeout: 0}, exchange)
  })
}

/** As Proxmox's own documentation names a call; the query is left out, for it may hold values. */
export function describeRequest(request: Pick<HttpRequest, 'method' | 'path'>): string {
  const path = request.path.split('?', 1)[0] ?? ''
  return `${request.method} ${path.replace(/^\/api2\/json/, '')}`
}

class Exchange implements Dispatcher.DispatchHandler {
  readonly #request: HttpRequest
  readonly #onLeave: (() => void) | undefined
  readonly #resolve: (answer: HttpAnswer) => void
  readonly #reject: (error: FelhomError) => void
  readonly #timer: NodeJS.Timeout
  #controller: Dispatcher.DispatchController | undefined
  #failure: FelhomError | undefined
  #status = 0
  #reason = ''
  #bytes = 0
  readonly #chunks: Buffer[] = []

  constructor(
    request: HttpRequest,
    deadlineMs: number,
    onLeave: (() => void) | undefined,
    resolve: (answer: HttpAnswer) => void,
    reject: (error: FelhomError) => void,
  ) {
    this.#request = request
    this.#onLeave = onLeave
    this.#resolve = resolve
    this.#reject = reject
    this.#timer = setTimeout(() => {
      this.#fail(new FelhomError('timeout', `${this.#what()}: no complete answer within ${deadlineMs} ms`))
    }, deadlineMs)
  }

  onRequestStart(controller: Dispatcher.DispatchController): void {
    this.#controller = controller
    // The deadline has passed while the connection was being made: write nothing.
    if (this.#failure) controller.abort(this.#failure)
    else this.#onLeave?.()
  }

  onResponseStart(
    _controller: Dispatcher.DispatchController,
    status: number,
    _headers: unknown,
    reason = '',
  ): void {
    this.#status = status
    this.#reason = reason
  }

  onResponseData(_controller: Dispatcher.DispatchController, chunk: Buffer): void {
    this.#bytes += chunk.length
    this.#chunks.push(chunk)
    if (this.#bytes > MAX_BODY_BYTES) {
      this.#fail(new FelhomError('bad_answer', `${this.#what()}: the answer is longer than 64 MiB`))
    }
  }

  onResponseEnd(): void {
    clearTimeout(this.#timer)
    if (this.#failure) return
    const [first] = this.#chunks
    const whole = this.#chunks.length === 1 && first ? first : Buffer.concat(this.#chunks)
    this.#resolve({status: this.#status, reason: this.#reason, body: whole.toString('utf8')})
  }

  onResponseError(_controller: Dispatcher.DispatchController | undefined, error: Error): void {
    if (!this.#failure) this.#fail(exchangeFailure(error, this.#what()))
  }

  #what(): string {
    return describeRequest(this.#request)
  }

  #fail(failure: FelhomError): void {
    if (this.#failure) return
    this.#failure = failure
    clearTimeout(this.#timer)
    this.#controller?.abort(failure)
    this.#reject(failure)
  }
}
