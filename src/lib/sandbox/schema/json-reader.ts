// JSON as Proxmox's Perl reads it: numbers become text, and a malformed text is told with the reader's own words
// and the place where it stopped.
import type {RawValue} from './check-type.ts'

export class MalformedJson extends Error {
  constructor(text: string, at: number, source: string) {
    const rest = source.slice(at)
    const shown = rest === '' ? '(end of string)' : display(rest)
    super(`${text}, at character offset ${at} (before "${shown}")`)
    this.name = 'MalformedJson'
  }
}

/** Twenty characters at most, with control and wide characters escaped. */
function display(rest: string): string {
  let out = ''
  for (const char of rest) {
    if (out.length >= 20) return `${out}...`
    const code = char.codePointAt(0) ?? 0
    const named = NAMED[char]
    if (named !== undefined) out += named
    else if (code >= 0x20 && code < 0x7f) out += char
    else out += `\\x{${code.toString(16)}}`
  }
  return out
}

const NAMED: Partial<Record<string, string>> = {
  '\n': '\\n',
  '\r': '\\r',
  '\t': '\\t',
  '\f': '\\f',
  '\\': '\\\\',
}
const ESCAPES: Partial<Record<string, string>> = {
  '"': '"',
  '\\': '\\',
  '/': '/',
  b: '\b',
  f: '\f',
  n: '\n',
  r: '\r',
  t: '\t',
}
const DEEPEST = 512

export class JsonReader {
  readonly #text: string
  #at = 0
  #depth = 0

  constructor(text: string) {
    this.#text = text
  }

  read(): RawValue {
    this.#skipSpace()
    const value = this.#value()
    this.#skipSpace()
    if (this.#at < this.#text.length) this.#fail('garbage after JSON object')
    return value
  }

  #value(): RawValue {
    const char = this.#text[this.#at]
    if (char === '{') return this.#object()
    if (char === '[') return this.#array()
    if (char === '"') return this.#string()
    if (char === 't') return this.#word('true', true)
    if (char === 'f') return this.#word('false', false)
    if (char === 'n') return this.#word('null', null)
    if (char !== undefined && /[-0-9]/.test(char)) return this.#number()
    return this.#fail('malformed JSON string, neither tag, array, object, number, string or atom')
  }

  #object(): RawValue {
    const object = Object.create(null) as Record<string, RawValue>
    this.#enter()
    if (this.#text[this.#at] === '}') return this.#leave(object)
    for (;;) {
      if (this.#text[this.#at] !== '"') this.#fail(`'"' expected`)
      const key = this.#string()
      this.#skipSpace()
      if (this.#text[this.#at] !== ':') this.#fail("':' expected")
      this.#at++
      this.#skipSpace()
      object[key] = this.#value()
      if (this.#more('}', ', or } expected while parsing object/hash')) continue
      return this.#leave(object)
    }
  }

  #array(): RawValue {
    const array: RawValue[] = []
    this.#enter()
    if (this.#text[this.#at] === ']') return this.#leave(array)
    for (;;) {
      array.push(this.#value())
      if (this.#more(']', ', or ] expected while parsing array')) continue
      return this.#leave(array)
    }
  }

  #enter(): void {
    this.#at++
    if (++this.#depth > DEEPEST) {
      this.#fail('json text or perl structure exceeds maximum nesting level (max_depth set too low?)')
    }
    this.#skipSpace()
  }

  #leave(value: RawValue): RawValue {
    this.#at++
    this.#depth--
    return value
  }

  /** Whether a comma, and so another member, comes before the closing bracket. */
  #more(close: string, complaint: string): boolean {
    this.#skipSpace()
    if (this.#text[this.#at] === close) return false
    if (this.#text[this.#at] !== ',') this.#fail(complaint)
    this.#at++
    this.#skipSpace()
    return true
  }

  #string(): string {
    let out = ''
    this.#at++
    for (;;) {
      const char = this.#text[this.#at]
      if (char === '"') break
      if (char === undefined) return this.#fail('unexpected end of string while parsing JSON string')
      if (char < ' ') {
        this.#fail(
          `invalid character 0x${char.charCodeAt(0).toString(16).toUpperCase()} encountered while parsing JSON string`,
        )
      }
      out += char === '\\' ? this.#escape() : char
      this.#at++
    }
    this.#at++
    return out
  }

  #escape(): string {
    this.#at++
    const char = this.#text[this.#at] ?? ''
    const plain = ESCAPES[char]
    if (plain !== undefined) return plain
    if (char !== 'u') return this.#failAt(-1, 'illegal backslash escape sequence in string')
    const high = this.#hexDigits()
    if (high >= 0xdc00 && high < 0xe000) this.#failAt(1, 'missing high surrogate character in surrogate pair')
    if (high < 0xd800 || high >= 0xe000) return String.fromCharCode(high)
    if (!this.#text.startsWith('\\u', this.#at + 1)) {
      this.#failAt(1, 'missing low surrogate character in surrogate pair')
    }
    this.#at += 2
    const low = this.#hexDigits()
    if (low < 0xdc00 || low >= 0xe000) this.#failAt(1, 'surrogate pair expected')
    return String.fromCharCode(high, low)
  }

  /** From the `u` to the last of its four digits. */
  #hexDigits(): number {
    const hex = this.#text.slice(this.#at + 1, this.#at + 5)
    if (!/^[0-9a-fA-F]{4}$/.test(hex)) this.#failAt(1, 'exactly four hexadecimal digits expected')
    this.#at += 4
    return parseInt(hex, 16)
  }

  #word<T extends RawValue>(word: string, value: T): T {
    if (!this.#text.startsWith(word, this.#at)) this.#fail(`'${word}' expected`)
    this.#at += word.length
    return value
  }

  #number(): string {
    const start = this.#at
    if (this.#text[this.#at] === '-') this.#at++
    if (this.#text[this.#at] === '0') {
      this.#at++
      if (this.#isDigit()) {
        this.#fail('malformed number (leading zero must not be followed by another digit)')
      }
    } else {
      this.#digits('malformed number (no digits after initial minus)')
    }
    const integerEnd = this.#at
    if (this.#text[this.#at] === '.') {
      this.#at++
      this.#digits('malformed number (no digits after decimal point)')
    }
    if (/[eE]/.test(this.#text[this.#at] ?? '')) {
      this.#at++
      if (/[+-]/.test(this.#text[this.#at] ?? '')) this.#at++
      this.#digits('malformed number (no digits after exp sign)')
    }
    const text = this.#text.slice(start, this.#at)
    return this.#at === integerEnd ? integerText(text) : floatText(Number(text))
  }

  #isDigit(): boolean {
    return /[0-9]/.test(this.#text[this.#at] ?? '')
  }

  #digits(complaint: string): void {
    if (!this.#isDigit()) this.#fail(complaint)
    while (this.#isDigit()) this.#at++
  }

  /** Fails at a place beside the current one. */
  #failAt(characters: number, complaint: string): never {
    this.#at += characters
    return this.#fail(complaint)
  }

  #skipSpace(): void {
    while (/[ \t\r\n]/.test(this.#text[this.#at] ?? '')) this.#at++
  }

  #fail(complaint: string): never {
    throw new MalformedJson(complaint, this.#at, this.#text)
  }
}

const integerText = (text: string): string => (text === '-0' ? '0' : text)

/** Perl prints a floating-point number with fifteen significant digits. */
function floatText(value: number): string {
  if (value === 0) return '0'
  const exponent = Math.floor(Math.log10(Math.abs(value)))
  if (exponent >= -5 && exponent < 15) return String(Number(value.toPrecision(15)))
  const [digits = '', power = ''] = Number(value.toPrecision(15)).toExponential().split('e')
  const size = power.replace(/^[+-]/, '').padStart(2, '0')
  return `${digits}e${power.startsWith('-') ? '-' : '+'}${size}`
}
