// One POST of JSON on a connection of its own: the status of the answer, or why there is none. Redirections are not
// followed, since a token would go along. What the other side says besides its status is not read.
import {request as requestHttp, type IncomingMessage} from 'node:http'
import {request as requestHttps} from 'node:https'

export interface Post {
  readonly url: URL
  readonly text: string
  readonly headers: Readonly<Record<string, string>>
  readonly timeoutMs: number
  readonly signal: AbortSignal
}

export type PostAnswer =
  | {readonly status: number; readonly retryAfter: string | undefined}
  /** In words, without the address: that may hold a secret. */
  | {readonly problem: string}

export function postJson({url, text, headers, timeoutMs, signal}: Post): Promise<PostAnswer> {
  const send = url.protocol === 'https:' ? requestHttps : requestHttp
  const deadline = AbortSignal.timeout(timeoutMs)
  return new Promise((resolve) => {
    const request = send(url, {
      method: 'POST',
      agent: false,
      headers: {...headers, 'content-type': 'application/json', 'content-length': Buffer.byteLength(text)},
      signal: AbortSignal.any([deadline, signal]),
    })
    request.on('response', (response: IncomingMessage) => {
      resolve({status: response.statusCode ?? 0, retryAfter: response.headers['retry-after']})
      letGo(response)
    })
    request.on('error', (error: NodeJS.ErrnoException) => {
      const late = `no answer within ${timeoutMs / 1000} s`
      resolve({problem: deadline.aborted ? late : (error.code ?? error.message)})
    })
    request.end(text)
  })
}

/** What still comes is thrown away, and keeps nobody from ending. */
function letGo(response: IncomingMessage): void {
  response.on('error', () => undefined)
  response.socket.unref()
  response.resume()
}
