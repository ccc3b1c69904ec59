// An answer as bytes, with the headers that pve-http-server sends.
import {deflateSync, gzipSync} from 'node:zlib'
import type {ApiAnswer} from '../answer.ts'

const COMPRESS_ABOVE_BYTES = 1024

export interface WireOptions {
  protocol: string
  keepsAlive: boolean
  acceptEncoding: string
}

export interface WireAnswer {
  head: Buffer
  body: Buffer
}

/** Compressed where the client takes it and it is worth it. An empty body has no length, as in the original. */
export function encodeAnswer(
  answer: ApiAnswer,
  {protocol, keepsAlive, acceptEncoding}: WireOptions,
): WireAnswer {
  const now = new Date().toUTCString()
  const lines = [
    'Cache-Control: max-age=0',
    `Connection: ${keepsAlive ? 'Keep-Alive' : 'close'}`,
    `Date: ${now}`,
    'Pragma: no-cache',
    'Server: pve-api-daemon/3.0',
    `Expires: ${now}`,
  ]
  for (const [name, value] of Object.entries(answer.headers ?? {})) lines.push(`${name}: ${value}`)
  if (answer.contentType !== undefined) lines.push(`Content-Type: ${answer.contentType}`)
  const {body, encoding} = compress(Buffer.from(answer.text, 'utf8'), acceptEncoding)
  if (encoding !== undefined) lines.push(`Content-Encoding: ${encoding}`)
  if (body.length > 0) lines.push(`Content-Length: ${String(body.length)}`)
  const statusLine = `${protocol} ${String(answer.status)} ${answer.reason}`
  return {head: encodeHead([statusLine, ...lines, '', ''].join('\r\n')), body}
}

/** Bytes as they came in go out again; what no single byte can hold goes out as UTF-8. */
const encodeHead = (text: string): Buffer => Buffer.from(text, /[^\0-\xff]/.test(text) ? 'utf8' : 'latin1')

function compress(body: Buffer, accepted: string): {body: Buffer; encoding?: string} {
  if (body.length <= COMPRESS_ABOVE_BYTES) return {body}
  if (accepted.includes('gzip')) return {body: gzipSync(body), encoding: 'gzip'}
  if (accepted.includes('deflate')) return {body: deflateSync(body), encoding: 'deflate'}
  return {body}
}
