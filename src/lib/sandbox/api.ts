// The whole API of the sandbox without HTTP: it knows how Proxmox turns a request into an answer, from the
// format in the path over authentication, routing, proxying, permissions and validation to the handler. It
// touches the cluster alone, and time only through the cluster's clock. Every request gets exactly one
// answer; an error never escapes as an exception.
import type {Call, Method, Params, Principal, Route} from './call.ts'
import type {Cluster} from './cluster.ts'
import {PveError, paramError, permissionDenied} from './pve-error.ts'
import {Router, type Match} from './router.ts'
import {allRoutes} from './routes.ts'
import {authenticate, type Authentication} from './access/authenticate.ts'
import {checkPermission} from './access/check-permission.ts'
import {plainAnswer, formatAnswer, isFormat, type ApiAnswer, type Outcome} from './answer.ts'
import {readParams, refuseBody} from './request-body.ts'
import {locateNode} from './proxy.ts'
import {requireQuorum} from './quorum.ts'
import {validateParams} from './schema/validate.ts'

export type {ApiAnswer} from './answer.ts'

export interface ApiRequest {
  method: string
  /** As on the request line: escaped, with the query. */
  url: string
  /** Names in lower case. */
  headers: Record<string, string | undefined>
  body?: Uint8Array | string
}

const KNOWN_METHODS = new Set(['GET', 'POST', 'PUT', 'DELETE'])
const NO_TOKEN_CALLS = new Set(['POST /access/ticket'])
const UNAUTHORIZED_DELAY_MS = 3000

let defaultRouter: Router | undefined

export class Api {
  readonly #cluster: Cluster
  readonly #router: Router

  constructor(cluster: Cluster, routes?: Route[]) {
    this.#cluster = cluster
    this.#router = routes ? new Router(routes) : (defaultRouter ??= new Router(allRoutes))
  }

  async handle(request: ApiRequest): Promise<ApiAnswer> {
    const {method} = request
    if (!KNOWN_METHODS.has(method)) return plainAnswer(501, `method '${method}' not available`, '')
    const refusal = refuseTransferEncoding(request.headers['transfer-encoding'])
    if (refusal) return refusal
    const path = unescapeBytes(request.url.split(/[?#]/, 1)[0] ?? '')
    if (!path.startsWith('/api2')) return plainAnswer(500, `no such file '${path}'\n`)
    const [, format, rest] = /^\/api2\/+([a-z][a-z0-9]+)(\/.*)?$/s.exec(path) ?? []
    if (format === undefined) return plainAnswer(501, 'no such uri')
    return this.#handleFormat(request, format, rest ?? '/')
  }

  async #handleFormat(request: ApiRequest, format: string, path: string): Promise<ApiAnswer> {
    const startedMs = this.#cluster.clock.now()
    let authentication: Authentication
    try {
      authentication = this.#authenticate(request, path)
    } catch (error) {
      if (!(error instanceof PveError)) throw error
      await this.#cluster.clock.sleep(UNAUTHORIZED_DELAY_MS)
      return plainAnswer(error.status, error.message, '')
    }
    const refusal = refuseBody(request)
    if (refusal) return refusal
    if (!isFormat(format)) return plainAnswer(501, `no formatter for uri ${path}, ${format}`)
    const outcome = await this.#respond(request, path, authentication)
    if ('status' in outcome && outcome.status === 401) {
      await this.#cluster.clock.sleep(
        Math.max(0, UNAUTHORIZED_DELAY_MS - (this.#cluster.clock.now() - startedMs)),
      )
    }
    return formatAnswer(format, outcome)
  }

  #authenticate({method, headers}: ApiRequest, path: string): Authentication {
    return authenticate(this.#cluster, method, path, {
      authorization: headers['authorization'],
      cookie: headers['cookie'],
      csrfToken: headers['csrfpreventiontoken'],
    })
  }

  async #respond(request: ApiRequest, path: string, authentication: Authentication): Promise<Outcome> {
    let params: Params
    try {
      params = readParams(request)
    } catch (error) {
      if (!(error instanceof PveError)) throw error
      return {plain: plainAnswer(error.status, error.message)}
    }
    const match = this.#router.find(request.method, path)
    if (!match) {
      const message = `Method '${request.method} ${path}' not implemented`
      return {status: 501, message, isException: false, isProtected: false}
    }
    const about = {isProtected: match.schema?.protected === 1, route: match.route.path}
    try {
      return {...about, ...(await this.#dispatch(match, path, params, authentication))}
    } catch (error) {
      return {...about, ...failure(error)}
    }
  }

  async #dispatch(
    match: Match,
    path: string,
    params: Params,
    authentication: Authentication,
  ): Promise<Outcome> {
    const {route, schema} = match
    if (authentication.isApiToken && NO_TOKEN_CALLS.has(`${route.method} ${route.path}`)) {
      throw new PveError(
        403,
        `Permission check failed (URI '${path}' not available with API token, need proper ticket.\n)\n`,
      )
    }
    const call = this.#newCall(route, authentication.principal, mergeParams(match.pathParams, params))
    if (route.check) route.check(call)
    else if (authentication.principal) checkPermission(schema?.permissions, call)
    else if (schema?.permissions?.user !== 'world') permissionDenied('user != null')
    const node = schema?.proxyto === undefined ? undefined : call.params[schema.proxyto]
    if (typeof node === 'string') {
      const location = await locateNode(this.#cluster, node)
      if (location.plain) return {plain: location.plain}
      call.params[schema?.proxyto ?? 'node'] = location.name
    }
    if (schema) call.params = validateParams(schema, call.params)
    requireQuorum(call)
    const data: unknown = await route.handler(call)
    return {status: 200, data: data ?? null, meta: call.meta, isProtected: schema?.protected === 1}
  }

  #newCall(route: Route, principal: Principal | undefined, params: Params): Call {
    return {
      cluster: this.#cluster,
      principal: principal ?? {userid: '', authid: ''},
      method: route.method as Method,
      route: route.path,
      params,
      meta: {},
    }
  }
}

function failure(error: unknown): Outcome {
  if (error instanceof PveError) {
    const {status, message, errors} = error
    return {status, message, isException: status !== 500, isProtected: false, ...(errors && {errors})}
  }
  const message = error instanceof Error ? (error.stack ?? error.message) : String(error)
  return {
    status: 500,
    message: `internal error of the sandbox: ${message}\n`,
    isException: false,
    isProtected: false,
  }
}

function mergeParams(pathParams: Record<string, string>, params: Params): Params {
  for (const name of Object.keys(params).sort()) {
    if (pathParams[name] !== undefined && pathParams[name] !== params[name]) {
      paramError({[name]: 'duplicate parameter (already defined in URI) with conflicting values!'})
    }
  }
  return {...pathParams, ...params}
}

function refuseTransferEncoding(encoding: string | undefined): ApiAnswer | undefined {
  if (!encoding) return undefined
  const isChunked = encoding.toLowerCase() === 'chunked'
  return plainAnswer(
    501,
    isChunked ? 'chunked transfer encoding not supported' : `Unknown transfer encoding '${encoding}'`,
  )
}

function unescapeBytes(text: string): string {
  return text.replace(/%([0-9a-fA-F]{2})/g, (_, hex: string) => String.fromCharCode(Number.parseInt(hex, 16)))
}
