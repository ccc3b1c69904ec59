// A client that sees bytes: for what a proper HTTP client hides, such as how a connection ends.
import {connect, type TLSSocket} from 'node:tls'
import {once} from 'node:events'

export interface RawAnswer {
  statusLine: string
  headers: Record<string, string>
  body: string
}

export class RawConnection {
  readonly socket: TLSSocket
  #received = Buffer.alloc(0)
  #wake: (() => void) | undefined
  /** How it ended: `open` while it lasts, `end` in order, else the error's code. */
  ended = 'open'

  private constructor(socket: TLSSocket) {
    this.socket = socket
    socket.on('data', (chunk: Buffer) => {
      this.#received = Buffer.concat([this.#received, chunk])
      this.#wake?.()
    })
    socket.on('error', (error: NodeJS.ErrnoException) => (this.ended = error.code ?? error.message))
    socket.on('close', () => {
      if (this.ended === 'open') this.ended = 'end'
      this.#wake?.()
    })
  }

  static async open(url: string, ca: string): Promise<RawConnection> {
    const {hostname, port} = new URL(url)
    const socket = connect({host: hostname, port: Number(port), ca})
    await once(socket, 'secureConnect')
    return new RawConnection(socket)
  }

  send(...lines: string[]): void {
    this.socket.write(lines.join('\r\n'))
  }

  get text(): string {
    return this.#received.toString('latin1')
  }

  /** The next complete answer; it must carry a length, or end with the connection. */
  async answer(): Promise<RawAnswer> {
    for (;;) {
      const answer = this.#parse()
      if (answer) return answer
      if (this.ended !== 'open') throw new Error(`the connection ended (${this.ended}): ${this.text}`)
      await this.#change()
    }
  }

  async closed(): Promise<string> {
    while (this.ended === 'open') await this.#change()
    return this.ended
  }

  #change(): Promise<void> {
    return new Promise((resolve) => (this.#wake = resolve))
  }

  #parse(): RawAnswer | undefined {
    const end = this.text.indexOf('\r\n\r\n')
    if (end < 0) return undefined
    const [statusLine = '', ...lines] = this.text.slice(0, end).split('\r\n')
    const headers = Object.fromEntries(
      lines.map((line) => [
        line.slice(0, line.indexOf(':')).toLowerCase(),
        line.slice(line.indexOf(':') + 2),
      ]),
    )
    const length = headers['content-length'] === undefined ? undefined : Number(headers['content-length'])
    if (length === undefined && this.ended === 'open') return undefined
    const start = end + 4
    const stop = length === undefined ? this.#received.length : start + length
    if (this.#received.length < stop) return undefined
    const body = this.#received.subarray(start, stop).toString('utf8')
    this.#received = this.#received.subarray(stop)
    return {statusLine, headers, body}
  }
}
