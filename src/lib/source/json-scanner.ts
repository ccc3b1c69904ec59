// Reads JSON one token after the other, from bytes that nobody vouches for. Nothing is built that was not asked for,
// so that neither depth nor number nor a key written twice can cost more than the bytes themselves.

/** Why the bytes are not what was expected. */
export class ScanError extends Error {}

const [QUOTE, BACKSLASH, COMMA, COLON] = [0x22, 0x5c, 0x2c, 0x3a]
const [OPEN_MAP, CLOSE_MAP, OPEN_LIST, CLOSE_LIST] = [0x7b, 0x7d, 0x5b, 0x5d]
const MAX_DEPTH = 64
const MAX_NUMBER_BYTES = 16

export class JsonScanner {
  readonly #bytes: Buffer
  #at = 0

  constructor(bytes: Uint8Array) {
    this.#bytes = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength)
  }

  /** `read` must read the value of the key that it is told. */
  map(read: (key: string) => void): void {
    const keys = new Set<string>()
    this.#items(OPEN_MAP, CLOSE_MAP, () => {
      const key = this.string()
      if (keys.has(key)) throw new ScanError(`the key ${JSON.stringify(key.slice(0, 80))} stands there twice`)
      keys.add(key)
      this.#take(COLON)
      read(key)
    })
  }

  list(read: (index: number) => void): void {
    let index = 0
    this.#items(OPEN_LIST, CLOSE_LIST, () => read(index++))
  }

  string(): string {
    const start = this.#skipString()
    try {
      const text = new TextDecoder('utf-8', {fatal: true}).decode(this.#bytes.subarray(start, this.#at))
      return JSON.parse(text) as string
    } catch {
      throw new ScanError('a string is not written as JSON writes them')
    }
  }

  /** Not negative, and exact. */
  whole(): number {
    this.#space()
    const start = this.#at
    while (isDigit(this.#bytes[this.#at]) && this.#at - start <= MAX_NUMBER_BYTES) this.#at++
    const text = this.#bytes.toString('latin1', start, this.#at)
    const number = Number(text)
    if (/^(0|[1-9]\d*)$/.test(text) && Number.isSafeInteger(number)) return number
    throw new ScanError('a whole number was expected')
  }

  /** The bytes of a whole map, as they stand there. */
  mapBytes(maxBytes: number): Uint8Array {
    this.#space()
    const start = this.#at
    if (this.#bytes[start] !== OPEN_MAP) throw new ScanError('a map was expected')
    let depth = 0
    do {
      const byte = this.#bytes[this.#at]
      if (byte === QUOTE) this.#skipString()
      else {
        if (byte === OPEN_MAP || byte === OPEN_LIST) depth++
        if (byte === CLOSE_MAP || byte === CLOSE_LIST) depth--
        this.#at++
      }
      if (depth > MAX_DEPTH) throw new ScanError('it is nested too deeply')
      if (this.#at - start > maxBytes) throw new ScanError(`it has more than ${maxBytes} bytes`)
      if (byte === undefined) throw new ScanError('it ends too early')
    } while (depth > 0)
    return this.#copyJson(start)
  }

  /** A copy, since the rest of the text shall not be held for it. */
  #copyJson(start: number): Uint8Array {
    const bytes = Uint8Array.from(this.#bytes.subarray(start, this.#at))
    try {
      JSON.parse(new TextDecoder('utf-8', {fatal: true}).decode(bytes))
      return bytes
    } catch {
      throw new ScanError('it is not JSON')
    }
  }

  end(): void {
    this.#space()
    if (this.#at < this.#bytes.length) throw new ScanError('something stands behind its end')
  }

  #items(open: number, close: number, read: () => void): void {
    this.#take(open)
    if (this.#peek() === close) {
      this.#at++
      return
    }
    for (;;) {
      read()
      if (this.#peek() === close) {
        this.#at++
        return
      }
      this.#take(COMMA)
    }
  }

  /** To the byte behind its closing quote; says where it began. */
  #skipString(): number {
    this.#take(QUOTE)
    const start = this.#at - 1
    for (;;) {
      const next = this.#bytes[this.#at++]
      if (next === undefined) throw new ScanError('it ends too early')
      if (next === QUOTE) return start
      if (next === BACKSLASH) this.#at++
    }
  }

  #take(expected: number): void {
    const found = this.#peek()
    if (found === undefined) throw new ScanError('it ends too early')
    if (found !== expected)
      throw new ScanError(`'${String.fromCharCode(expected)}' was expected at byte ${this.#at + 1}`)
    this.#at++
  }

  #peek(): number | undefined {
    this.#space()
    return this.#bytes[this.#at]
  }

  #space(): void {
    while (isSpace(this.#bytes[this.#at])) this.#at++
  }
}

const isSpace = (byte: number | undefined): boolean =>
  byte === 0x20 || byte === 0x0a || byte === 0x0d || byte === 0x09
const isDigit = (byte: number | undefined): boolean => byte !== undefined && byte >= 0x30 && byte <= 0x39
