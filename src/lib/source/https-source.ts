// An address as a source: any static server or CDN. It asks whether something has changed before it takes it, and
// leaves a server alone that fails.
import {createHash} from 'node:crypto'
import type {IncomingHttpHeaders} from 'node:http'
import {BackOff, readRetryAfter} from './back-off.ts'
import {isPlainName, MAX_BUNDLE_BYTES, partOf} from './bundle-limits.ts'
import {decodeBundle} from './decode-bundle.ts'
import {describeFault, exchange, type Answer} from './https-exchange.ts'
import {markHidden} from './mark-hidden.ts'
import {isEtag, type SourceMemory, type Validators} from './source-memory.ts'
import {away, unusable, type Bundle, type Fetched, type Seen, type Source} from './source.ts'

export interface HttpsOptions {
  readonly url: string
  /** Read for each request, so that they may be renewed. */
  readonly readCa?: () => FileReading
  readonly readToken?: () => FileReading
  readonly clock: {now(): number}
  readonly random?: () => number
  readonly limits?: Partial<HttpsLimits>
}

export type FileReading = {readonly text: string} | {readonly problem: string}

export interface HttpsLimits {
  readonly maxBytes: number
  /** For all of it, redirects and the last byte included. */
  readonly totalMs: number
}

const LIMITS: HttpsLimits = {maxBytes: MAX_BUNDLE_BYTES, totalMs: 120_000}
const CERTIFICATE = /^-----BEGIN (?:TRUSTED |X509 )?CERTIFICATE-----/m
const TOKEN = /^[\u0021-\u007e]+$/
/** Within this a server may change a file twice and date it once. */
const DATE_IS_SURE_MS = 60_000

/** What the server gave at last, and how to ask whether it still holds. */
interface Last {
  readonly revision: string
  readonly validators: Validators
  /** Only while it is not what was accepted: it may be asked for again. */
  readonly bundle: Bundle | undefined
}

export class HttpsSource implements Source {
  readonly kind = 'https'
  readonly place: string
  readonly mark: string | undefined
  readonly #url: URL
  readonly #options: HttpsOptions
  readonly #limits: HttpsLimits
  readonly #backOff = new BackOff()
  #last: Last | undefined

  constructor(options: HttpsOptions) {
    this.#options = options
    this.#url = new URL(options.url)
    this.#limits = {...LIMITS, ...options.limits}
    // Addresses carry passwords and signatures, so the query is not shown; another query is another source.
    const {origin, pathname, search} = this.#url
    this.place = `${origin}${pathname}${search === '' ? '' : '?…'}`
    this.mark = markHidden(search)
  }

  async fetch(seen: Seen | undefined, signal: AbortSignal): Promise<Fetched> {
    signal.throwIfAborted()
    const {clock, random = Math.random} = this.#options
    const failed = this.#backOff.answer(clock.now())
    if (failed) return failed
    const {fetched, retryAfterMs = 0} = await this.#ask(seen, signal)
    if ('problem' in fetched) this.#backOff.fail(fetched, clock.now(), retryAfterMs, random)
    else this.#backOff.succeed()
    return fetched
  }

  remember(): SourceMemory | undefined {
    const {failure} = this.#backOff
    const last = this.#last && pickLast(this.#last)
    return failure || last ? {...(last && {last}), ...(failure && {failure})} : undefined
  }

  recall({last, failure}: SourceMemory): void {
    this.#backOff.failure = failure
    this.#last = last && {...last, bundle: undefined}
  }

  async #ask(
    seen: Seen | undefined,
    signal: AbortSignal,
  ): Promise<{fetched: Fetched; retryAfterMs?: number}> {
    const [ca, authorization] = [this.#readAuthority(), this.#authorize()]
    if (ca && 'problem' in ca) return {fetched: away(ca.problem)}
    if (authorization && 'problem' in authorization) return {fetched: away(authorization.problem)}
    if (this.#last?.revision === seen?.revision && this.#last) this.#last = {...this.#last, bundle: undefined}
    const isKnown =
      this.#last !== undefined && (this.#last.bundle !== undefined || seen?.revision === this.#last.revision)
    const validators = isKnown ? (this.#last?.validators ?? {}) : {}
    const deadline = new Deadline(this.#limits.totalMs, signal)
    try {
      const answer = await exchange({
        url: this.#url,
        headers: {Accept: 'application/yaml, application/json, */*', 'User-Agent': 'felhom', ...validators},
        authorization: authorization?.text,
        ca: ca?.text,
        maxBytes: this.#limits.maxBytes,
        signal: deadline.signal,
      })
      return this.#judge(answer, seen, Object.keys(validators).length > 0)
    } catch (error) {
      signal.throwIfAborted()
      const problem = deadline.isOver
        ? `the answer was not in within ${this.#limits.totalMs / 1000} s`
        : describeFault(error)
      return {fetched: away(problem)}
    } finally {
      deadline.end()
    }
  }

  #judge(
    answer: Answer,
    seen: Seen | undefined,
    wasConditional: boolean,
  ): {fetched: Fetched; retryAfterMs?: number} {
    if ('unusable' in answer) return {fetched: unusable(answer.unusable)}
    if ('body' in answer) return {fetched: this.#take(answer.body, answer.headers, seen)}
    const {status, headers} = answer
    if (status === 304 && wasConditional && this.#last) {
      const {bundle} = this.#last
      return {fetched: bundle ? this.#compare(bundle, seen) : {kind: 'unchanged'}}
    }
    if (status === 304) return {fetched: unusable('it says that nothing has changed, which was not asked')}
    const retryAfterMs = readRetryAfter(headers['retry-after'], this.#options.clock.now())
    return {fetched: away(`it answered with status ${status}`), retryAfterMs}
  }

  #take(body: Uint8Array, headers: IncomingHttpHeaders, seen: Seen | undefined): Fetched {
    const revision = `sha256:${createHash('sha256').update(body).digest('hex')}`
    const content = decodeBundle(body, this.#fileName())
    if ('problem' in content) return unusable(content.problem)
    const bundle = {revision, ...content}
    this.#last = {revision, validators: validatorsOf(headers), bundle}
    return this.#compare(bundle, seen)
  }

  #compare(bundle: Bundle, seen: Seen | undefined): Fetched {
    if (bundle.revision === seen?.revision) return {kind: 'unchanged'}
    const older = seen && findOlder(bundle, seen)
    return {kind: 'bundle', bundle, ...(older !== undefined && {older})}
  }

  #fileName(): string {
    const name = this.#url.pathname.split('/').at(-1) ?? ''
    return isPlainName(name) && partOf(name) === 'text' ? name : 'desired.yaml'
  }

  /** Node takes an empty text for none, and would trust every public authority in its place. */
  #readAuthority(): FileReading | undefined {
    const ca = this.#options.readCa?.()
    if (!ca || 'problem' in ca || CERTIFICATE.test(ca.text)) return ca
    return {problem: 'the file with its certificate authority holds no certificate'}
  }

  #authorize(): FileReading | undefined {
    const token = this.#options.readToken?.()
    if (token && 'problem' in token) return token
    if (token) {
      const text = token.text.trim()
      return TOKEN.test(text)
        ? {text: `Bearer ${text}`}
        : {problem: 'the token file does not hold one line of visible characters'}
    }
    const {username, password} = this.#url
    if (username === '' && password === '') return undefined
    const pair = `${decodePercent(username)}:${decodePercent(password)}`
    return {text: `Basic ${Buffer.from(pair).toString('base64')}`}
  }
}

/** Where there is nothing to ask by, there is nothing to remember. */
const pickLast = ({revision, validators}: Last): SourceMemory['last'] =>
  Object.keys(validators).length === 0 ? undefined : {revision, validators}

function decodePercent(text: string): string {
  try {
    return decodeURIComponent(text)
  } catch {
    return text
  }
}

function findOlder({serial}: Bundle, seen: Seen): string | undefined {
  if (seen.serial === undefined) return undefined
  if (serial === undefined) return `it has no serial any more, and ${seen.serial} was seen`
  return serial < seen.serial ? `its serial is ${serial}, and ${seen.serial} was seen` : undefined
}

function validatorsOf({etag, date, 'last-modified': modified}: IncomingHttpHeaders): Record<string, string> {
  if (etag !== undefined && isEtag(etag)) return {'If-None-Match': etag}
  const [modifiedMs, dateMs] = [Date.parse(modified ?? ''), Date.parse(date ?? '')]
  const isSure = dateMs - modifiedMs >= DATE_IS_SURE_MS
  return modified !== undefined && isSure ? {'If-Modified-Since': new Date(modifiedMs).toUTCString()} : {}
}

/** A time limit that ends with what it limits, and leaves nothing behind on a signal that lives for months. */
class Deadline {
  readonly #controller = new AbortController()
  readonly #outer: AbortSignal
  readonly #timer: NodeJS.Timeout
  isOver = false

  constructor(ms: number, outer: AbortSignal) {
    this.#outer = outer
    outer.addEventListener('abort', this.#stop)
    this.#timer = setTimeout(() => {
      this.isOver = true
      this.#stop()
    }, ms)
  }

  readonly #stop = (): void => this.#controller.abort()

  get signal(): AbortSignal {
    return this.#controller.signal
  }

  end(): void {
    clearTimeout(this.#timer)
    this.#outer.removeEventListener('abort', this.#stop)
  }
}
