// Decides what becomes of a request: one of the sandbox's own under /sandbox, or one of the API, on which a
// fault may strike before or after its effect.
import {plainAnswer, type ApiAnswer} from '../answer.ts'
import type {ApiRequest} from '../api.ts'
import type {Reply} from './connections.ts'
import {applyControl} from './control.ts'
import type {Fault, Faults} from './faults.ts'
import {ControlError} from './json-fields.ts'
import type {ServedCluster} from './served-cluster.ts'
import type {Stats} from './stats.ts'

export interface Server {
  served: ServedCluster
  faults: Faults
  stats: Stats
  /** How many connections were accepted since the last reset. */
  connections: () => number
  /** Called when the state may have changed. */
  onChange: () => void
  onReset: () => void
}

const sleep = (ms: number): Promise<void> => new Promise((resolve) => setTimeout(resolve, ms))

export async function respond(server: Server, request: ApiRequest): Promise<Reply> {
  if (request.url.startsWith('/sandbox/')) return {kind: 'answer', answer: answerSandbox(server, request)}
  const fault = server.faults.take(request.method, request.url)
  if (fault?.kind === 'delay' && fault.when === 'before') await sleep(fault.ms ?? 0)
  const isSpared = fault === undefined || fault.when === 'after' || fault.kind === 'delay'
  const answer = isSpared ? await server.served.handle(request) : emptyAnswer()
  if (!answer) return {kind: 'reset'}
  server.stats.countRequest(request.method, answer.route)
  if (request.method !== 'GET') server.onChange()
  if (fault?.kind === 'delay' && fault.when === 'after') await sleep(fault.ms ?? 0)
  return fault ? strike(fault, answer) : {kind: 'answer', answer}
}

const emptyAnswer = (): ApiAnswer => jsonAnswer(200, 'OK', {data: null})

function strike(fault: Fault, answer: ApiAnswer): Reply {
  switch (fault.kind) {
    case 'reset':
      return {kind: 'reset'}
    case 'stall':
      return {kind: 'stall', ...(fault.ms !== undefined && {ms: fault.ms})}
    case 'cut':
      return {kind: 'cut', answer, ...(fault.afterBytes !== undefined && {afterBytes: fault.afterBytes})}
    case 'delay':
      return {kind: 'answer', answer}
    case 'status':
      return {kind: 'answer', answer: faultAnswer(fault.status ?? 500)}
  }
}

/** What the proxy answers by itself (401, 595 and above) has no body; what the API answers has one. */
function faultAnswer(status: number): ApiAnswer {
  const message = 'fault injected by the sandbox'
  if (status === 401 || status >= 595) return plainAnswer(status, message, '')
  return {...jsonAnswer(status, message, {data: null, message: `${message}\n`}), closes: status >= 400}
}

function jsonAnswer(status: number, reason: string, body: unknown): ApiAnswer {
  const contentType = 'application/json;charset=UTF-8'
  return {status, reason, contentType, text: JSON.stringify(body), closes: false}
}

function answerSandbox(server: Server, request: ApiRequest): ApiAnswer {
  const {method, url} = request
  const path = url.split('?', 1)[0] ?? ''
  if (method === 'POST' && path === '/sandbox/reset') return reset(server)
  if (method === 'POST' && path === '/sandbox/control') return control(server, request)
  if (method === 'GET' && path === '/sandbox/stats') {
    return jsonAnswer(200, 'OK', {...server.stats.read(), connections: server.connections()})
  }
  return refusal(404, `the sandbox has POST /sandbox/reset, POST /sandbox/control and GET /sandbox/stats`)
}

const refusal = (status: number, error: string): ApiAnswer =>
  jsonAnswer(status, status === 404 ? 'Not Found' : 'Bad Request', {error})

function reset(server: Server): ApiAnswer {
  server.served.reset()
  server.faults.clear()
  server.stats.reset()
  server.onReset()
  return jsonAnswer(200, 'OK', {ok: true})
}

function control({served, faults, onChange}: Server, {body}: ApiRequest): ApiAnswer {
  try {
    applyControl({cluster: served.cluster, faults}, parseJson(body))
    onChange()
    return jsonAnswer(200, 'OK', {ok: true})
  } catch (error) {
    if (!(error instanceof ControlError)) throw error
    return refusal(400, error.message)
  }
}

function parseJson(body: ApiRequest['body']): unknown {
  try {
    return JSON.parse(typeof body === 'string' ? body : Buffer.from(body ?? []).toString('utf8'))
  } catch {
    throw new ControlError('a control must be JSON')
  }
}
