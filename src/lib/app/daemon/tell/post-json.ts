// One POST of JSON on a connection of its own: the status of the answer, or why there is none, within its time whatever
// the other side does. Redirections are not followed, since a token would go along. What the other side says besides its
// status is not read.
import {request as requestHttp, type ClientRequest, type IncomingMessage} from 'node:http'
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
  if (signal.aborted) return Promise.resolve({problem: 'it was told to end'})
  const send = url.protocol === 'https:' ? requestHttps : requestHttp
  return new Promise((resolve) => {
    const request = send(url, {
      method: 'POST',
      agent: false,
      // Whatever the environment says: a token may go along.
      rejectUnauthorized: true,
      headers: {...headers, 'content-type': 'application/json', 'content-length': Buffer.byteLength(text)},
    })
    const end = (answer: PostAnswer): void => {
      clearTimeout(timer)
      signal.removeEventListener('abort', stop)
      resolve(answer)
    }
    // Neither time nor signal waits for the request to say something: one that was upgraded never does.
    const giveUp = (problem: string): void => {
      end({problem})
      request.destroy()
    }
    const stop = (): void => giveUp('it was told to end')
    const timer = setTimeout(() => giveUp(`no answer within ${timeoutMs / 1000} s`), timeoutMs)
    signal.addEventListener('abort', stop, {once: true})
    listen(request, end)
    request.end(text)
  })
}

/** Of several endings the first counts. */
function listen(request: ClientRequest, end: (answer: PostAnswer) => void): void {
  request.on('response', (response) => {
    end(readStatus(response))
    letGo(response)
  })
  // 101, which nobody has asked for.
  request.on('upgrade', (response, socket) => {
    end(readStatus(response))
    socket.destroy()
  })
  request.on('error', (error: NodeJS.ErrnoException) => {
    end({problem: error.code ?? error.message})
  })
  request.on('close', () => {
    end({problem: 'the connection was closed without an answer'})
  })
}

const readStatus = ({statusCode, headers}: IncomingMessage): PostAnswer => ({
  status: statusCode ?? 0,
  retryAfter: headers['retry-after'],
})

/** What still comes is thrown away, and keeps nobody from ending. */
function letGo(response: IncomingMessage): void {
  response.on('error', () => undefined)
  response.socket.unref()
  response.resume()
}
