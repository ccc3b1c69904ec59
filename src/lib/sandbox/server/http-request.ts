// The head of an HTTP request as pve-http-server reads it, white space at the end of a header included,
// which a stricter parser would hide.
import type {SocketReader} from './socket-reader.ts'

export interface HttpHead {
  method: string
  url: string
  /** HTTP/1.0 or HTTP/1.1. */
  protocol: string
  /** Names in lower case; repeated ones joined by a comma. */
  headers: Record<string, string | undefined>
}

/** A head that is answered before it is understood, or one that gets no answer at all. */
export interface BadHead {
  protocol: string
  refusal?: {status: number; message: string}
}

const MAX_HEADER_LINES = 64
const MAX_HEADER_BYTES = 8 * 1024

/** undefined: the connection ended. */
export async function readHead(reader: SocketReader): Promise<HttpHead | BadHead | undefined> {
  let line = await reader.line()
  while (line === '') line = await reader.line()
  if (line === undefined) return undefined
  const [, method = '', url = '', major, minor = ''] = /(\S+) (\S+) HTTP\/(\d+)\.(\d+)/.exec(line) ?? []
  if (major === undefined) return bad(400, 'bad request')
  if (major !== '1') return bad(506, `http protocol version ${major}.${minor} not supported`)
  if (/^[^/]*@/.test(url)) return bad(400, 'invalid url')
  const head: HttpHead = {method, url, protocol: `HTTP/${major}.${minor}`, headers: {}}
  return readHeaders(reader, head)
}

const bad = (status: number, message: string): BadHead => ({protocol: 'HTTP/1.0', refusal: {status, message}})

async function readHeaders(reader: SocketReader, head: HttpHead): Promise<HttpHead | BadHead | undefined> {
  const pairs: [string, string][] = []
  let bytes = 0
  for (let count = 1; ; count++) {
    const line = await reader.line()
    if (line === undefined) return undefined
    bytes += line.length
    if (count >= MAX_HEADER_LINES || bytes >= MAX_HEADER_BYTES) return {protocol: head.protocol}
    if (line === '') break
    const [, name, value = ''] = /^([^:\s]+)\s*:\s*(.*)/.exec(line) ?? []
    const last = pairs.at(-1)
    if (name !== undefined) pairs.push([name.toLowerCase(), value])
    else if (/^\s/.test(line) && last) last[1] += ` ${line.trimStart()}`
    else return {protocol: head.protocol, refusal: {status: 506, message: 'unable to parse request header'}}
  }
  for (const [name, value] of pairs) {
    const before = head.headers[name]
    head.headers[name] = before === undefined ? value : `${before}, ${value}`
  }
  return head
}
