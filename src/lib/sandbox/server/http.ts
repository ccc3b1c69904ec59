// Between node's HTTP and the API: reads a request, asks the API, writes the answer as pve-http-server does.
import {gzipSync, deflateSync} from 'node:zlib'
import type {IncomingMessage, ServerResponse} from 'node:http'
import type {ApiAnswer, ApiRequest} from '../api.ts'

const MAX_BODY_BYTES = 512 * 1024
const COMPRESS_ABOVE_BYTES = 1024

/** The request with its body, unless the answer does not depend on it: such bodies are never read. */
export async function readRequest(request: IncomingMessage): Promise<ApiRequest> {
  const {method = 'GET', url = '/'} = request
  const headers: Record<string, string | undefined> = {}
  for (const [name, value] of Object.entries(request.headers)) {
    headers[name] = Array.isArray(value) ? value.join(', ') : value
  }
  const length = Number(headers['content-length'] ?? 0)
  const takesBody = (method === 'PUT' || method === 'POST') && length > 0 && length <= MAX_BODY_BYTES
  if (!takesBody) return {method, url, headers}
  return {method, url, headers, body: await readBody(request)}
}

export async function readBody(request: IncomingMessage): Promise<Buffer> {
  const chunks: Buffer[] = []
  for await (const chunk of request) chunks.push(chunk as Buffer)
  return Buffer.concat(chunks)
}

export interface WireAnswer {
  status: number
  reason: string
  headers: Record<string, string>
  body: Buffer
}

/** The answer as it goes over the wire; compressed where the client takes it and it is worth it. */
export function encodeAnswer(answer: ApiAnswer, request: ApiRequest, keepsAlive: boolean): WireAnswer {
  const now = new Date().toUTCString()
  const headers: Record<string, string> = {
    'Cache-Control': 'max-age=0',
    Connection: keepsAlive && !answer.closes ? 'Keep-Alive' : 'close',
    Date: now,
    Pragma: 'no-cache',
    Server: 'pve-api-daemon/3.0',
    Expires: now,
  }
  if (answer.contentType !== undefined) headers['Content-Type'] = answer.contentType
  const body = compress(Buffer.from(answer.text, 'utf8'), request.headers['accept-encoding'] ?? '', headers)
  if (body.length > 0) headers['Content-Length'] = String(body.length)
  return {status: answer.status, reason: answer.reason, headers, body}
}

function compress(body: Buffer, accepted: string, headers: Record<string, string>): Buffer {
  if (body.length <= COMPRESS_ABOVE_BYTES) return body
  if (accepted.includes('gzip')) {
    headers['Content-Encoding'] = 'gzip'
    return gzipSync(body)
  }
  if (accepted.includes('deflate')) {
    headers['Content-Encoding'] = 'deflate'
    return deflateSync(body)
  }
  return body
}

export function writeAnswer(response: ServerResponse, {status, reason, headers, body}: WireAnswer): void {
  if (response.destroyed) return
  response.removeHeader('Transfer-Encoding')
  response.sendDate = false
  response.writeHead(status, reason, headers)
  response.end(body)
}
