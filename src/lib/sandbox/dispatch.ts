// One call of a known method, in the order in which Proxmox checks it: parameters in conflict with the path,
// token, permission, the node that must answer, validation, quorum; then the handler, for which the proxy in
// front waits 30 seconds.
import type {Call, Params, Principal, Route} from './call.ts'
import type {Cluster} from './cluster.ts'
import type {Authentication} from './access/authenticate.ts'
import {checkPermission} from './access/check-permission.ts'
import {plainAnswer, type Outcome} from './answer.ts'
import {Download} from './download.ts'
import {locateNode} from './proxy.ts'
import {PveError, paramError, permissionDenied} from './pve-error.ts'
import {requireQuorum} from './quorum.ts'
import type {Match} from './router.ts'
import type {MethodSchema} from './schema/api-schema.ts'
import {validateParams, type RawParams} from './schema/validate.ts'

export interface Dispatch {
  cluster: Cluster
  match: Match
  path: string
  params: RawParams
  authentication: Authentication
}

const NO_TOKEN_CALLS = new Set(['POST /access/ticket', 'PUT /access/password'])
const PROXY_TIMEOUT_MS = 30_000

export async function dispatch(request: Dispatch): Promise<Outcome> {
  try {
    return await run(request)
  } catch (error) {
    return failure(error)
  }
}

async function run({cluster, match, path, params, authentication}: Dispatch): Promise<Outcome> {
  const {route, schema} = match
  const {principal, isApiToken} = authentication
  const raw = mergeParams(match.pathParams, params)
  if (isApiToken && NO_TOKEN_CALLS.has(`${route.method} ${route.path}`)) {
    permissionDenied(`URI '${path}' not available with API token, need proper ticket.\n`)
  }
  const call = newCall(cluster, route, principal, raw)
  requirePermission(route, schema, principal, call)
  let isRemote = false
  if (schema?.proxyto !== undefined) {
    const target = await locateNode(cluster, raw[schema.proxyto], schema.proxyto)
    if (target.plain) return {plain: target.plain}
    raw[schema.proxyto] = target.name
    isRemote = target.name !== cluster.state.localNode
  }
  if (schema) call.params = validateParams(schema, raw)
  requireQuorum(call)
  const result = route.handler(call)
  const isProxied = isRemote || schema?.protected === 1
  if (result instanceof Promise && isProxied) return withProxyTimeout(cluster, call, result)
  return outcomeOf(await result, call)
}

function outcomeOf(data: unknown, {meta}: Call): Outcome {
  return data instanceof Download ? {plain: data.asAnswer()} : {data: data ?? null, meta}
}

function newCall(cluster: Cluster, route: Route, principal: Principal | undefined, params: RawParams): Call {
  // Only text is looked at before validation has made them parameters proper.
  const unchecked = params as Params
  const caller = principal ?? {userid: '', authid: ''}
  return {cluster, principal: caller, method: route.method, route: route.path, params: unchecked, meta: {}}
}

function requirePermission(
  route: Route,
  schema: MethodSchema | undefined,
  principal: Principal | undefined,
  call: Call,
): void {
  if (route.check) route.check(call)
  else if (principal) checkPermission(schema?.permissions, call)
  else if (schema?.permissions?.user !== 'world') permissionDenied('user != null')
}

function mergeParams(pathParams: Record<string, string>, params: RawParams): RawParams {
  for (const name of Object.keys(params).sort()) {
    if (pathParams[name] !== undefined && pathParams[name] !== params[name]) {
      paramError({[name]: 'duplicate parameter (already defined in URI) with conflicting values!'})
    }
  }
  return Object.assign(Object.create(null) as RawParams, pathParams, params)
}

/** The proxy gives up after its time-out; the work goes on without it. */
async function withProxyTimeout(cluster: Cluster, call: Call, work: Promise<unknown>): Promise<Outcome> {
  const done = new AbortController()
  const timeout = cluster.clock
    .sleep(PROXY_TIMEOUT_MS, done.signal)
    .then((): Outcome => ({plain: plainAnswer(596, 'Connection timed out', '')}))
  timeout.catch(() => undefined)
  const answer = work.then((data) => outcomeOf(data, call))
  answer.catch(() => undefined)
  try {
    return await Promise.race([answer, timeout])
  } finally {
    done.abort()
  }
}

function failure(error: unknown): Outcome {
  if (error instanceof PveError) {
    const {status, message, errors} = error
    return {status, message, isException: status !== 500, ...(errors && {errors})}
  }
  return {status: 500, message: internalError(error), isException: false}
}

/** A mistake in the sandbox itself, told so that nobody takes it for Proxmox's answer. */
export function internalError(error: unknown): string {
  const text = error instanceof Error ? (error.stack ?? error.message) : String(error)
  return `internal error of the sandbox: ${text}\n`
}
