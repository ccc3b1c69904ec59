// The wire format of SSH: bytes, numbers and strings with their length in front. Whoever reads must take every
// byte: what is left over makes the whole malformed.

/** What was read is not of the form that it claims to be. It never leaves the gate. */
export class Malformed extends Error {}

export class WireReader {
  readonly #bytes: Buffer
  #at = 0

  constructor(bytes: Buffer) {
    this.#bytes = bytes
  }

  take(length: number): Buffer {
    if (length > this.#bytes.length - this.#at) throw new Malformed('it ends too early')
    const bytes = this.#bytes.subarray(this.#at, this.#at + length)
    this.#at += length
    return bytes
  }

  byte(): number {
    return this.take(1).readUInt8()
  }

  uint32(): number {
    return this.take(4).readUInt32BE()
  }

  string(): Buffer {
    return this.take(this.uint32())
  }

  /** Names are printable ASCII. */
  name(): string {
    const bytes = this.string()
    if (bytes.length === 0 || bytes.some((byte) => byte < 0x21 || byte > 0x7e))
      throw new Malformed('a name is not printable text')
    return bytes.toString('latin1')
  }

  /** A number greater than zero in the one shortest form: big-endian, a zero in front only against the sign. */
  positiveNumber(): Buffer {
    const bytes = this.string()
    const [first = 0, second = 0] = bytes
    if (bytes.length === 0 || (first & 0x80) !== 0) throw new Malformed('a number is not positive')
    if (first === 0 && (second & 0x80) === 0) throw new Malformed('a number is not in its shortest form')
    return first === 0 ? bytes.subarray(1) : bytes
  }

  end(): void {
    if (this.#at !== this.#bytes.length) throw new Malformed('there are bytes after its end')
  }
}

export function wireString(content: Buffer | string): Buffer {
  const bytes = typeof content === 'string' ? Buffer.from(content, 'utf8') : content
  const length = Buffer.alloc(4)
  length.writeUInt32BE(bytes.length)
  return Buffer.concat([length, bytes])
}
