// Reads lines and counted bytes from a socket, one reader at a time.
import type {Duplex} from 'node:stream'

/** pve-http-server gives up a connection that has sent so much without ending a line. */
const MAX_LINE_BYTES = (512 + 8) * 1024

export class SocketReader {
  #buffered: Buffer = Buffer.alloc(0)
  #chunks: Buffer[] = []
  #bufferedBytes = 0
  #isEnded = false
  #wake: (() => void) | undefined

  constructor(socket: Duplex) {
    socket.on('data', (chunk: Buffer) => {
      this.#chunks.push(chunk)
      this.#bufferedBytes += chunk.length
      this.#wake?.()
    })
    const end = (): void => {
      this.#isEnded = true
      this.#wake?.()
    }
    socket.on('end', end).on('close', end).on('error', end)
  }

  /** The next line without its end, one character per byte; undefined when the connection ends before. */
  async line(): Promise<string | undefined> {
    for (;;) {
      const buffer = this.#joined()
      const end = buffer.indexOf(0x0a)
      if (end >= 0)
        return this.#take(end + 1)
          .toString('latin1')
          .replace(/\r?\n$/, '')
      if (buffer.length > MAX_LINE_BYTES || !(await this.#more())) return undefined
    }
  }

  /** Exactly that many bytes; undefined when the connection ends before. */
  async bytes(count: number): Promise<Buffer | undefined> {
    while (this.#bufferedBytes < count) if (!(await this.#more())) return undefined
    this.#joined()
    return this.#take(count)
  }

  #joined(): Buffer {
    if (this.#chunks.length > 0) this.#buffered = Buffer.concat([this.#buffered, ...this.#chunks.splice(0)])
    return this.#buffered
  }

  #take(count: number): Buffer {
    const taken = this.#buffered.subarray(0, count)
    this.#buffered = this.#buffered.subarray(count)
    this.#bufferedBytes -= count
    return taken
  }

  async #more(): Promise<boolean> {
    if (this.#isEnded) return false
    const before = this.#bufferedBytes
    await new Promise<void>((resolve) => (this.#wake = resolve))
    this.#wake = undefined
    return this.#bufferedBytes > before
  }
}
