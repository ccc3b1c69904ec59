// One GET over HTTPS, with redirects: within a time and a size, and with the credentials only for the host that they
// are meant for. What is cut short, compressed or of unknown length is never taken for an answer.
import type {IncomingHttpHeaders, IncomingMessage} from 'node:http'
import {request} from 'node:https'

export interface Exchange {
  readonly url: URL
  readonly headers: Readonly<Record<string, string>>
  /** Shown to the host of `url` alone. */
  readonly authorization: string | undefined
  /** PEM; undefined: the public authorities. */
  readonly ca: string | undefined
  readonly maxBytes: number
  readonly signal: AbortSignal
}

export type Answer =
  | {readonly status: 200; readonly headers: IncomingHttpHeaders; readonly body: Uint8Array}
  | {readonly status: number; readonly headers: IncomingHttpHeaders}
  | {readonly unusable: string}

const MAX_REDIRECTS = 3
const REDIRECTS: ReadonlySet<number> = new Set([301, 302, 303, 307, 308])

/** Throws what the network or the signal throws. It ends when the signal does, whatever the server makes of HTTP. */
export async function exchange(first: Exchange): Promise<Answer> {
  const {signal} = first
  let onAbort = (): void => undefined
  const aborted = new Promise<never>((_resolve, reject) => {
    onAbort = () => reject(new Error('it was told to end'))
    signal.addEventListener('abort', onAbort)
  })
  try {
    signal.throwIfAborted()
    return await Promise.race([followAll(first), aborted])
  } finally {
    signal.removeEventListener('abort', onAbort)
  }
}

async function followAll(first: Exchange): Promise<Answer> {
  let at: Exchange = first
  for (let redirects = 0; ; redirects++) {
    const response = await send(at)
    const {statusCode: status = 0, headers} = response
    if (status === 200) return readBody(response, at)
    response.destroy()
    if (!REDIRECTS.has(status)) return {status, headers}
    const next = follow(at, first, headers.location)
    if ('unusable' in next) return next
    if (redirects === MAX_REDIRECTS) return {unusable: `it redirects more than ${MAX_REDIRECTS} times`}
    at = next
  }
}

function follow(at: Exchange, first: Exchange, location: string | undefined): Exchange | {unusable: string} {
  if (location === undefined || !URL.canParse(location, at.url.href))
    return {unusable: 'it redirects to nowhere'}
  const url = new URL(location, at.url)
  if (url.protocol !== 'https:')
    return {unusable: `it redirects to ${url.protocol}//${url.host}, not to https`}
  const {headers, ca, maxBytes, signal} = first
  const isHome = url.origin === first.url.origin
  return {url, headers, ca, maxBytes, signal, authorization: isHome ? first.authorization : undefined}
}

function send({url, headers, authorization, ca, signal}: Exchange): Promise<IncomingMessage> {
  return new Promise((resolve, reject) => {
    const options = {
      agent: false,
      method: 'GET',
      host: url.hostname.replace(/^\[|\]$/g, ''),
      port: url.port === '' ? 443 : Number(url.port),
      path: `${url.pathname}${url.search}`,
      headers: {
        ...headers,
        // What is not compressed cannot unfold into more than was counted.
        'Accept-Encoding': 'identity',
        ...(authorization !== undefined && {Authorization: authorization}),
      },
      rejectUnauthorized: true,
      insecureHTTPParser: false,
      signal,
      ...(ca !== undefined && {ca}),
    }
    request(options, resolve)
      // To the end of its life: an error that nobody listens to would end the process.
      .on('error', reject)
      // Nobody asked to speak anything else than HTTP; its status says what it wanted.
      .on('upgrade', (response, socket) => {
        socket.destroy()
        resolve(response)
      })
      .on('close', () => reject(new Error('the connection ended without an answer')))
      .end()
  })
}

async function readBody(response: IncomingMessage, {maxBytes}: Exchange): Promise<Answer> {
  const {headers} = response
  const refused = refuseBody(headers, maxBytes)
  if (refused !== undefined) {
    response.destroy()
    return {unusable: refused}
  }
  const chunks: Buffer[] = []
  let total = 0
  for await (const chunk of response as AsyncIterable<Buffer>) {
    total += chunk.length
    // Leaving the loop ends the connection.
    if (total > maxBytes) return {unusable: `it sends more than ${maxBytes} bytes`}
    chunks.push(chunk)
  }
  if (!response.complete) throw new Error('the answer was cut short')
  return {status: 200, headers, body: Buffer.concat(chunks)}
}

function refuseBody(headers: IncomingHttpHeaders, maxBytes: number): string | undefined {
  const {'content-encoding': encoding = 'identity', 'content-length': length} = headers
  if (encoding.toLowerCase() !== 'identity') return 'its answer is compressed, which was not asked for'
  if (length === undefined)
    return /\bchunked\b/i.test(headers['transfer-encoding'] ?? '')
      ? undefined
      : 'it does not say how long its answer is, so that nobody could tell if it were cut short'
  return Number(length) > maxBytes
    ? `it sends ${length.slice(0, 20)} bytes, more than ${maxBytes}`
    : undefined
}

export function describeFault(error: unknown): string {
  const {code = '', message} = error as NodeJS.ErrnoException
  if (code === 'ECONNREFUSED') return 'the connection was refused'
  if (code === 'ENOTFOUND' || code === 'EAI_AGAIN') return `its host cannot be found (${code})`
  if (code === 'ECONNRESET' || code === 'EPIPE') return 'the connection broke before the whole answer was in'
  if (/CERT|SELF_SIGNED|UNABLE_TO/.test(code)) return `its certificate is not trusted (${code})`
  if (/^HPE_/.test(code)) return `its answer is not HTTP (${code})`
  return code === '' ? message : `${message} (${code})`
}
