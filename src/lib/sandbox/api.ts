// The whole API of the sandbox without HTTP: it knows how Proxmox turns a request into an answer, from the
// format in the path over authentication to the handler. It touches the cluster alone, and time only through
// the cluster's clock. Every request gets exactly one answer; an error never escapes as an exception.
import type {Route} from './call.ts'
import type {Cluster} from './cluster.ts'
import {PveError} from './pve-error.ts'
import {Router} from './router.ts'
import {allRoutes} from './routes.ts'
import {NotLoggedIn, authenticate, type Authentication} from './access/authenticate.ts'
import {formatAnswer, isFormat, plainAnswer, type ApiAnswer, type Outcome} from './answer.ts'
import {startPage} from './answer-pages.ts'
import type {ApiRequest} from './api-request.ts'
import {dispatch, internalError} from './dispatch.ts'
import {readParams, refuseBody} from './request-body.ts'
import {readTarget, splitApiPath} from './request-target.ts'
import {keepStatistics} from './stats/guest-stats.ts'

export type {ApiAnswer} from './answer.ts'
export type {ApiRequest} from './api-request.ts'

const KNOWN_METHODS = new Set(['GET', 'POST', 'PUT', 'DELETE'])
const UNAUTHORIZED_DELAY_MS = 3000

let defaultRouter: Router | undefined

export class Api {
  readonly #cluster: Cluster
  readonly #router: Router

  constructor(cluster: Cluster, routes?: Route[]) {
    this.#cluster = cluster
    cluster.tasks.beforeStart = () => void keepStatistics(cluster)
    this.#router = routes ? new Router(routes) : (defaultRouter ??= new Router(allRoutes))
  }

  async handle(request: ApiRequest): Promise<ApiAnswer> {
    try {
      return await this.#handle(request)
    } catch (error) {
      return plainAnswer(500, internalError(error))
    }
  }

  async #handle(request: ApiRequest): Promise<ApiAnswer> {
    const refusal = refuseHead(request)
    if (refusal) return refusal
    const {path} = readTarget(request.url)
    if (!path.startsWith('/api2')) return refuseBody(request) ?? page(request.method, path)
    const target = splitApiPath(path)
    if (!target) return plainAnswer(501, 'no such uri')
    return this.#handleFormat(request, target.format, target.path)
  }

  async #handleFormat(request: ApiRequest, format: string, path: string): Promise<ApiAnswer> {
    const startedMs = this.#cluster.clock.now()
    let authentication: Authentication
    try {
      authentication = this.#authenticate(request, path)
    } catch (error) {
      if (!(error instanceof PveError)) throw error
      await this.#cluster.clock.sleep(UNAUTHORIZED_DELAY_MS)
      const asksToLogIn = error instanceof NotLoggedIn && format === 'html'
      return asksToLogIn ? loginRedirect() : plainAnswer(error.status, error.message, '')
    }
    const refusal = refuseBody(request)
    if (refusal) return refusal
    if (!isFormat(format)) return plainAnswer(501, `no formatter for uri ${path}, ${format}`)
    const {outcome, route, isProtected} = await this.#respond(request, path, authentication)
    if ('status' in outcome && outcome.status === 401) {
      const waitedMs = this.#cluster.clock.now() - startedMs
      await this.#cluster.clock.sleep(Math.max(0, UNAUTHORIZED_DELAY_MS - waitedMs))
    }
    return {...formatAnswer(format, outcome, isProtected), ...(route && {route: route.path})}
  }

  #authenticate({method, headers}: ApiRequest, path: string): Authentication {
    return authenticate(this.#cluster, method, path, {
      authorization: headers['authorization'],
      cookie: headers['cookie'],
      csrfToken: headers['csrfpreventiontoken'],
    })
  }

  async #respond(
    request: ApiRequest,
    path: string,
    authentication: Authentication,
  ): Promise<{outcome: Outcome; route?: Route; isProtected: boolean}> {
    try {
      const params = readParams(request)
      const match = this.#router.find(request.method, path)
      if (match) {
        const outcome = await dispatch({cluster: this.#cluster, match, path, params, authentication})
        return {outcome, route: match.route, isProtected: match.schema?.protected === 1}
      }
      const message = `Method '${request.method} ${path}' not implemented`
      return {outcome: {status: 501, message, isException: false}, isProtected: false}
    } catch (error) {
      if (!(error instanceof PveError)) throw error
      return {outcome: {plain: plainAnswer(error.status, error.message)}, isProtected: false}
    }
  }
}

/** What is refused by its head alone, before anything else is looked at. */
export function refuseHead({method, headers}: Pick<ApiRequest, 'method' | 'headers'>): ApiAnswer | undefined {
  if (!KNOWN_METHODS.has(method)) return plainAnswer(501, `method '${method}' not available`, '')
  const encoding = headers['transfer-encoding']
  if (!encoding) return undefined
  const isChunked = encoding.toLowerCase() === 'chunked'
  const message = isChunked
    ? 'chunked transfer encoding not supported'
    : `Unknown transfer encoding '${encoding}'`
  return plainAnswer(501, message)
}

/** Outside of the API there is the user interface, of which the sandbox has the first page only. */
function page(method: string, path: string): ApiAnswer {
  if (method !== 'GET' || path !== '/') return plainAnswer(500, `no such file '${path}'\n`)
  return {...plainAnswer(200, 'OK', startPage()), contentType: 'text/html; charset=utf-8'}
}

const loginRedirect = (): ApiAnswer => ({
  ...plainAnswer(301, 'Moved', ''),
  headers: {Location: '/api2/html/access/ticket'},
})
