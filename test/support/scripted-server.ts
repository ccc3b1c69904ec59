// A raw TLS server on loopback that records every byte it is sent and answers as a test scripts it: whole,
// cut, late, never. It knows just enough HTTP to tell where a request ends.
import {createServer as createTlsServer, type TLSSocket} from 'node:tls'
import {createServer as createTcpServer, type AddressInfo, type Socket} from 'node:net'
import type {Identity} from './certificates.ts'

export interface ScriptedRequest {
  readonly method: string
  readonly target: string
  readonly headers: ReadonlyMap<string, string>
  readonly body: string
  /** 1 for the first request of its connection. */
  readonly nth: number
}

export type Script = (request: ScriptedRequest, socket: TLSSocket, count: number) => void

export interface ScriptedServer {
  readonly url: string
  /** Every decrypted byte of every connection. */
  received(): string
  readonly requests: ScriptedRequest[]
  /** Completed handshakes. */
  connections(): number
  close(): Promise<void>
}

const rawSockets = new WeakMap<TLSSocket, Socket | undefined>()

/** Ends the connection with a TCP reset. */
export function resetConnection(socket: TLSSocket): void {
  rawSockets.get(socket)?.resetAndDestroy()
}

export async function startScriptedServer(identity: Identity, script: Script): Promise<ScriptedServer> {
  let received = ''
  let connections = 0
  const requests: ScriptedRequest[] = []
  const sockets = new Set<TLSSocket>()
  const raw = new Map<number | undefined, Socket>()
  const server = createTlsServer({cert: identity.cert, key: identity.key}, (socket) => {
    connections++
    sockets.add(socket)
    rawSockets.set(socket, raw.get(socket.remotePort))
    let waiting = ''
    let nth = 0
    socket.on('error', () => undefined)
    socket.on('data', (chunk: Buffer) => {
      received += chunk.toString('latin1')
      waiting += chunk.toString('latin1')
      for (let taken = takeRequest(waiting); taken; taken = takeRequest(waiting)) {
        waiting = taken.rest
        const request = {...taken.request, nth: ++nth}
        requests.push(request)
        script(request, socket, requests.length)
      }
    })
  })
  server.on('connection', (socket: Socket) => raw.set(socket.remotePort, socket))
  server.on('tlsClientError', () => undefined)
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  return {
    url: `https://127.0.0.1:${(server.address() as AddressInfo).port}`,
    received: () => received,
    requests,
    connections: () => connections,
    close: () =>
      new Promise((resolve) => {
        for (const socket of sockets) socket.destroy()
        server.close(() => resolve())
      }),
  }
}

function takeRequest(text: string): {request: Omit<ScriptedRequest, 'nth'>; rest: string} | undefined {
  const end = text.indexOf('\r\n\r\n')
  if (end < 0) return undefined
  const [start = '', ...lines] = text.slice(0, end).split('\r\n')
  const headers = new Map(
    lines.map((line) => {
      const colon = line.indexOf(':')
      return [line.slice(0, colon).toLowerCase(), line.slice(colon + 1).trim()] as const
    }),
  )
  const bodyEnd = end + 4 + Number(headers.get('content-length') ?? 0)
  if (text.length < bodyEnd) return undefined
  const [method = '', target = ''] = start.split(' ')
  return {request: {method, target, headers, body: text.slice(end + 4, bodyEnd)}, rest: text.slice(bodyEnd)}
}

/** A whole answer as pveproxy sends it. */
export function httpAnswer(status: number, reason: string, body: string, headers: string[] = []): string {
  const length = Buffer.byteLength(body)
  const head = [`HTTP/1.1 ${status} ${reason}`, `Content-Length: ${length}`, ...headers]
  return `${head.join('\r\n')}\r\n\r\n${body}`
}

export const dataAnswer = (data: unknown): string => httpAnswer(200, 'OK', JSON.stringify({data}))

/** A port of loopback on which nobody listens. */
export async function unusedPort(): Promise<number> {
  const server = createTcpServer()
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  const {port} = server.address() as AddressInfo
  await new Promise<void>((resolve) => server.close(() => resolve()))
  return port
}

/** A TCP server that accepts, and then either says nothing or speaks something other than TLS. */
export async function startSilentServer(greeting = ''): Promise<{url: string; close(): Promise<void>}> {
  const sockets = new Set<Socket>()
  const server = createTcpServer((socket) => {
    sockets.add(socket)
    socket.on('error', () => undefined)
    if (greeting !== '') socket.end(greeting)
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  return {
    url: `https://127.0.0.1:${(server.address() as AddressInfo).port}`,
    close: () =>
      new Promise((resolve) => {
        for (const socket of sockets) socket.destroy()
        server.close(() => resolve())
      }),
  }
}
