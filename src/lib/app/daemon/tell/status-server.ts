// Metrics, health and status over HTTP, for whoever watches the daemon. It can only be asked: GET and HEAD of four
// paths. A client that is slow, greedy or does not go away takes nothing from the loop and does not keep it from ending.
import {createHash, timingSafeEqual} from 'node:crypto'
import {createServer, type IncomingMessage, type Server, type ServerResponse} from 'node:http'
import type {AddressInfo} from 'node:net'
import {FelhomError} from '../../../model/felhom-error.ts'
import {toJsonText} from '../../../report/json-text.ts'
import {demandToken, isLoopback, isLoopbackHostHeader, readListenAddress} from './listen-address.ts'

/** Far above what a scrape needs. */
export const LIMITS = {
  maxHeaderSize: 8 * 1024,
  requestTimeout: 10_000,
  headersTimeout: 5_000,
  keepAliveTimeout: 5_000,
  connectionsCheckingInterval: 1_000,
  silenceTimeout: 30_000,
}

export interface Answer {
  readonly status: number
  readonly type: string
  readonly text: string
}

export interface StatusServerOptions {
  /** `127.0.0.1:9610`; port 0 takes any. */
  readonly listen: string
  /** Asked for where it is given; an address that is not loopback must have one. */
  readonly token?: string
  /** By path. Their failures are answered with 500 and told to `warn`. */
  readonly pages: Readonly<Record<string, () => Answer | Promise<Answer>>>
  readonly warn: (text: string) => void
  readonly limits?: Partial<typeof LIMITS>
}

export interface StatusServer {
  /** `http://127.0.0.1:9610` */
  readonly address: string
  close(): Promise<void>
}

const MOST_CONNECTIONS = 64
const MOST_REQUESTS = 1000

export const jsonAnswer = (status: number, value: unknown): Answer => ({
  status,
  type: 'application/json; charset=utf-8',
  text: `${toJsonText(value)}\n`,
})

export async function startStatusServer(options: StatusServerOptions): Promise<StatusServer> {
  const {listen, token} = options
  const place = readListenAddress(listen)
  demandToken(place, listen, token)
  const {silenceTimeout, ...limits} = {...LIMITS, ...options.limits}
  const server = createServer(limits, (request, response) => {
    void answer(request, response, options)
  })
  // For those who ask and then do not read.
  server.timeout = silenceTimeout
  server.maxConnections = MOST_CONNECTIONS
  server.maxRequestsPerSocket = MOST_REQUESTS
  await listenOn(server, place.host, place.port, listen)
  const {address, family, port} = server.address() as AddressInfo
  const close = (): Promise<void> => closeServer(server)
  // A name of the settings may mean another address than it says.
  if (token === undefined && !isLoopback(address)) {
    await close()
    demandToken({host: address, port}, listen, token)
  }
  server.on('error', (error) => {
    options.warn(`the status server at ${listen}: ${error.message}`)
  })
  return {address: `http://${family === 'IPv6' ? `[${address}]` : address}:${port}`, close}
}

function listenOn(server: Server, host: string, port: number, listen: string): Promise<void> {
  return new Promise((resolve, reject) => {
    server.once('error', (error: NodeJS.ErrnoException) => {
      reject(
        new FelhomError('settings_invalid', `cannot listen on ${listen} (${error.code ?? error.message})`, {
          cause: error,
          hint: 'Choose another daemon.listen, or end what listens there.',
          doubt: 'The daemon was not started.',
        }),
      )
    })
    server.listen({host, port}, () => {
      server.removeAllListeners('error')
      resolve()
    })
  })
}

/** Nobody is waited for: an answer is written in one piece. */
function closeServer(server: Server): Promise<void> {
  return new Promise((resolve) => {
    server.close(() => {
      resolve()
    })
    server.closeAllConnections()
  })
}

async function answer(
  request: IncomingMessage,
  response: ServerResponse,
  options: StatusServerOptions,
): Promise<void> {
  try {
    const {status, type, text, headers = {}} = refuse(request, options) ?? (await findPage(request, options))
    // What was not read of a body must not be taken for the next request.
    if (hasBody(request)) response.setHeader('connection', 'close')
    response.writeHead(status, {
      ...{'content-type': type, 'content-length': Buffer.byteLength(text), 'cache-control': 'no-store'},
      ...{'x-content-type-options': 'nosniff', ...headers},
    })
    response.end(request.method === 'HEAD' ? undefined : text)
  } catch (error) {
    options.warn(`an answer could not be sent: ${error instanceof Error ? error.message : String(error)}`)
    response.destroy()
  }
}

type Refusal = Answer & {readonly headers?: Readonly<Record<string, string>>}

const hasBody = ({headers}: IncomingMessage): boolean =>
  headers['transfer-encoding'] !== undefined || (headers['content-length'] ?? '0') !== '0'

/** Who asks is judged before what is asked for. */
function refuse(request: IncomingMessage, {token}: StatusServerOptions): Refusal | undefined {
  if (token === undefined && !isLoopbackHostHeader(request.headers.host))
    return refusal(403, 'the Host header is no address of loopback')
  if (token !== undefined && !isToken(request.headers.authorization, token))
    return {
      ...refusal(401, 'a bearer token is needed'),
      headers: {'www-authenticate': 'Bearer realm="felhom"'},
    }
  if (request.method !== 'GET' && request.method !== 'HEAD')
    return {...refusal(405, 'there is only GET and HEAD'), headers: {allow: 'GET, HEAD'}}
  return undefined
}

const refusal = (status: number, error: string): Refusal => jsonAnswer(status, {error})

/** Compared by their hashes: as long for a wrong one as for the right one, whatever its length. */
function isToken(header: string | undefined, token: string): boolean {
  const given = /^Bearer +(\S+) *$/i.exec(header ?? '')?.[1]
  const hash = (text: string): Buffer => createHash('sha256').update(text).digest()
  return timingSafeEqual(hash(given ?? ''), hash(token)) && given !== undefined
}

async function findPage(request: IncomingMessage, {pages, warn}: StatusServerOptions): Promise<Refusal> {
  const path = (request.url ?? '').split('?', 1)[0] ?? ''
  const page = Object.hasOwn(pages, path) ? pages[path] : undefined
  if (!page) return refusal(404, `there is: ${Object.keys(pages).join(', ')}`)
  try {
    return await page()
  } catch (error) {
    warn(`${path} could not be answered: ${error instanceof Error ? error.message : String(error)}`)
    return refusal(500, 'the answer could not be made; the log says why')
  }
}
