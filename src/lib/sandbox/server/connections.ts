// Connections as pveproxy keeps them: TLS and plain HTTP on one port, at most 100 requests each, and idle
// ones dropped without a word.
import http, {type IncomingMessage, type ServerResponse} from 'node:http'
import https from 'node:https'
import net, {type Socket} from 'node:net'
import type {AddressInfo} from 'node:net'
import type {ServerIdentity} from './tls.ts'

export type RequestHandler = (request: IncomingMessage, response: ServerResponse) => void

export interface Connections {
  port: number
  /** How many were accepted since the last reset. */
  count: number
  close(): Promise<void>
}

const TLS_HANDSHAKE_BYTE = 0x16
const MAX_HEADER_BYTES = 128 * 1024

export async function openConnections(
  options: {host: string; port: number; idleMs: number; identity: ServerIdentity},
  onRequest: RequestHandler,
): Promise<Connections> {
  const {host, port, idleMs, identity} = options
  const limits = {maxHeaderSize: MAX_HEADER_BYTES, keepAliveTimeout: 0, requestTimeout: 0, headersTimeout: 0}
  const secure = https.createServer({key: identity.keyPem, cert: identity.certPem, ...limits}, onRequest)
  const plain = http.createServer(limits, redirectToHttps)
  for (const server of [secure, plain]) {
    const answer = server === secure ? onRequest : redirectToHttps
    server.on('checkContinue', answer).on('checkExpectation', answer).on('clientError', dropClient)
  }
  const sockets = new Set<Socket>()
  const connections = {port: 0, count: 0, close: (): Promise<void> => closeAll(listener, sockets)}
  const listener = net.createServer({noDelay: true}, (socket) => {
    connections.count++
    sockets.add(socket)
    socket.on('close', () => sockets.delete(socket)).on('error', () => socket.destroy())
    socket.setTimeout(idleMs, () => socket.destroy())
    socket.once('data', (first: Buffer) => {
      socket.pause()
      socket.unshift(first)
      const server = first[0] === TLS_HANDSHAKE_BYTE ? secure : plain
      server.emit('connection', socket)
      if (server === plain) socket.resume()
    })
  })
  await new Promise<void>((resolve, reject) => {
    listener.once('error', reject).listen(port, host, resolve)
  })
  connections.port = (listener.address() as AddressInfo).port
  return connections
}

function dropClient(_error: Error, socket: {destroy(): void}): void {
  socket.destroy()
}

function redirectToHttps(request: IncomingMessage, response: ServerResponse): void {
  const host = request.headers.host
  if (host === undefined) {
    request.socket.destroy()
    return
  }
  const isSafe = request.method === 'GET' || request.method === 'HEAD'
  const [status, reason] = isSafe ? [301, 'Moved Permanently'] : [308, 'Permanent Redirect']
  const location = `https://${host}${request.url ?? '/'}`
  response.writeHead(status, reason, {Location: location, Connection: 'close'})
  response.end(reason)
}

async function closeAll(listener: net.Server, sockets: Set<Socket>): Promise<void> {
  await new Promise<void>((resolve) => {
    listener.close(() => {
      resolve()
    })
    for (const socket of sockets) socket.destroy()
  })
}
