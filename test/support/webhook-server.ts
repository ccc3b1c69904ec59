// A real server that takes webhooks as a test scripts it: well, badly, late, never.
import {createServer, type IncomingHttpHeaders, type ServerResponse} from 'node:http'
import type {AddressInfo} from 'node:net'

export interface ReceivedPost {
  readonly headers: IncomingHttpHeaders
  readonly body: {
    readonly version: number
    readonly id: string
    readonly at: string
    readonly sentAt: string
    readonly host: string
    readonly alert: Readonly<Record<string, unknown>>
  }
}

export interface WebhookServer {
  readonly url: string
  readonly posts: ReceivedPost[]
  /** Requests under way at once, at most. */
  readonly most: () => number
  close(): Promise<void>
}

/** What is done with each post in turn; those after the last are taken. */
export type PostScript = (response: ServerResponse) => void

export const answer =
  (status: number, headers: Record<string, string> = {}): PostScript =>
  (response) => {
    response.writeHead(status, headers).end('heard')
  }
export const reset: PostScript = (response) => {
  response.socket?.resetAndDestroy()
}
export const hang: PostScript = () => undefined

export async function startWebhookServer(...scripts: PostScript[]): Promise<WebhookServer> {
  const posts: ReceivedPost[] = []
  let most = 0
  let open = 0
  const server = createServer((request, response) => {
    most = Math.max(most, ++open)
    response.on('close', () => open--)
    let text = ''
    request.setEncoding('utf8').on('data', (chunk: string) => (text += chunk))
    request.on('end', () => {
      posts.push({headers: request.headers, body: JSON.parse(text) as ReceivedPost['body']})
      const script = scripts[posts.length - 1] ?? answer(204)
      script(response)
    })
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}/hook?key=secret-key`,
    posts,
    most: () => most,
    close: () =>
      new Promise((resolve) => {
        server.close(() => {
          resolve()
        })
        server.closeAllConnections()
      }),
  }
}
