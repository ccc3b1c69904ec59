// The wire format of SSH: bytes, numbers and strings with their length in front. Whoever reads must take every
// byte: what is left over makes the whole malformed.

/** What was read is not of the form that it claims to be. It never leaves the gate. */
export class Malformed extends Error {}

const NAME = /^[!-~]{1,64}$/
const LABEL = /^[ -~]{1,256}$/

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

  /** Names of algorithms are printable ASCII without spaces, at most 64 characters. */
  name(): string {
    const name = this.string().toString('latin1')
    if (!NAME.test(name)) throw new Malformed('a name is not of its form')
    return name
  }

  /** What people choose: a namespace, an application. One line of printable ASCII, not empty. */
  label(): string {
    const label = this.string().toString('latin1')
    if (!LABEL.test(label)) throw new Malformed('a label is not printable text')
    return label
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
