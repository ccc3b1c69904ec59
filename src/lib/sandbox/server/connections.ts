// Connections as pveproxy keeps them: TLS and plain HTTP on one port, at most 100 requests each, and idle
// ones dropped without a word.
import net, {type AddressInfo, type Socket} from 'node:net'
import tls from 'node:tls'
import type {Duplex} from 'node:stream'
import {plainAnswer, type ApiAnswer} from '../answer.ts'
import {refuseHead, type ApiRequest} from '../api.ts'
import {encodeAnswer} from './http-answer.ts'
import {readHead, type HttpHead} from './http-request.ts'
import {SocketReader} from './socket-reader.ts'
import type {ServerIdentity} from './tls.ts'

/** What becomes of a request on the wire. */
export type Reply =
  | {kind: 'answer'; answer: ApiAnswer}
  /** The head, and of the body only so many bytes; half of it if not given. */
  | {kind: 'cut'; answer: ApiAnswer; afterBytes?: number}
  | {kind: 'reset'}
  /** No answer; the connection is dropped after that time, or when the client gives up. */
  | {kind: 'stall'; ms?: number}

export type Responder = (request: ApiRequest) => Promise<Reply>

export interface Connections {
  port: number
  /** How many were accepted. */
  count: number
  close(): Promise<void>
}

interface Connection {
  raw: Socket
  stream: Duplex
  isSecure: boolean
  idleMs: number
}

const TLS_HANDSHAKE_BYTE = 0x16
const MAX_REQUESTS = 100
const MAX_BODY_BYTES = 512 * 1024

export async function openConnections(
  options: {host: string; port: number; idleMs: number; identity: ServerIdentity},
  respond: Responder,
): Promise<Connections> {
  const {host, port, idleMs, identity} = options
  const context = tls.createSecureContext({key: identity.keyPem, cert: identity.certPem})
  const sockets = new Set<Socket>()
  const connections = {port: 0, count: 0, close: (): Promise<void> => closeAll(listener, sockets)}
  const listener = net.createServer({noDelay: true}, (raw) => {
    connections.count++
    sockets.add(raw)
    raw.on('close', () => sockets.delete(raw)).on('error', () => raw.destroy())
    raw.setTimeout(idleMs, () => raw.destroy())
    raw.once('data', (first: Buffer) => {
      raw.pause()
      raw.unshift(first)
      const isSecure = first[0] === TLS_HANDSHAKE_BYTE
      const stream = isSecure ? new tls.TLSSocket(raw, {isServer: true, secureContext: context}) : raw
      stream.on('error', () => raw.destroy())
      void serve({raw, stream, isSecure, idleMs}, respond).catch(() => raw.destroy())
      if (!isSecure) raw.resume()
    })
  })
  await new Promise<void>((resolve, reject) => {
    listener.once('error', reject).listen(port, host, resolve)
  })
  connections.port = (listener.address() as AddressInfo).port
  return connections
}

async function closeAll(listener: net.Server, sockets: Set<Socket>): Promise<void> {
  await new Promise<void>((resolve) => {
    listener.close(() => {
      resolve()
    })
    for (const socket of sockets) socket.destroy()
  })
}

async function serve(connection: Connection, respond: Responder): Promise<void> {
  const {raw, stream, isSecure, idleMs} = connection
  const reader = new SocketReader(stream)
  for (let left = MAX_REQUESTS - 1; ; left--) {
    const head = await readHead(reader)
    if (head === undefined) break
    if (!('method' in head)) {
      // What is too large gets no answer; the idle time-out ends it.
      if (!head.refusal) return
      send(connection, head, plainAnswer(head.refusal.status, head.refusal.message), false)
      break
    }
    const request = await readBody(reader, head)
    if (!request) break
    raw.setTimeout(0)
    const reply: Reply = isSecure ? await respond(request) : redirect(head, idleMs)
    if (reply.kind !== 'answer') {
      spoil(connection, head, reply)
      return
    }
    const keepsAlive = isSecure && left > 0 && !reply.answer.closes && wantsKeepAlive(head)
    send(connection, head, reply.answer, keepsAlive)
    if (!keepsAlive) break
    raw.setTimeout(idleMs)
  }
  raw.setTimeout(idleMs)
  stream.end()
}

function wantsKeepAlive({protocol, headers}: HttpHead): boolean {
  const connection = headers['connection']
  return connection ? !/close/i.test(connection) : protocol !== 'HTTP/1.0'
}

/** Bodies that are refused unread stay unread. */
async function readBody(reader: SocketReader, head: HttpHead): Promise<ApiRequest | undefined> {
  const {method, url, headers} = head
  const length = Number(headers['content-length'] ?? 0)
  const isRead = (method === 'PUT' || method === 'POST') && length > 0 && length <= MAX_BODY_BYTES
  if (!isRead || headers['transfer-encoding']) return {method, url, headers}
  const body = await reader.bytes(length)
  return body && {method, url, headers, body}
}

/** Plain HTTP is sent over to HTTPS; without a host there is nowhere to send it, and no answer. */
function redirect(head: HttpHead, idleMs: number): Reply {
  const refusal = refuseHead(head)
  if (refusal) return {kind: 'answer', answer: refusal}
  const host = head.headers['host']?.replace(/^https?:\/\//, '')
  if (!host) return {kind: 'stall', ms: idleMs}
  const answer =
    head.method === 'GET' ? plainAnswer(301, 'Moved Permanently') : plainAnswer(308, 'Permanent Redirect')
  return {kind: 'answer', answer: {...answer, headers: {Location: `https://${host}${head.url}`}}}
}

const wireOptions = (head: {protocol: string; headers?: HttpHead['headers']}, keepsAlive: boolean) => ({
  protocol: head.protocol,
  keepsAlive,
  acceptEncoding: head.headers?.['accept-encoding'] ?? '',
})

function send(
  {stream}: Connection,
  head: {protocol: string; headers?: HttpHead['headers']; method?: string},
  answer: ApiAnswer,
  keepsAlive: boolean,
): void {
  const wire = encodeAnswer(answer, wireOptions(head, keepsAlive))
  if (stream.writable) stream.write(Buffer.concat([wire.head, wire.body]))
}

function spoil({raw, stream}: Connection, head: HttpHead, reply: Exclude<Reply, {kind: 'answer'}>): void {
  switch (reply.kind) {
    case 'reset':
      raw.resetAndDestroy()
      return
    case 'stall':
      if (reply.ms !== undefined)
        raw.setTimeout(0).once('close', stopTimer(setTimeout(() => raw.destroy(), reply.ms)))
      return
    case 'cut': {
      const wire = encodeAnswer(reply.answer, wireOptions(head, false))
      const kept = wire.body.subarray(0, reply.afterBytes ?? Math.floor(wire.body.length / 2))
      stream.write(Buffer.concat([wire.head, kept]), () => raw.destroy())
    }
  }
}

const stopTimer = (timer: NodeJS.Timeout) => (): void => {
  clearTimeout(timer)
}
