// Reads a segment from its beginning, a piece at a time, and hands on only lines whose hash is right. How the file
// ends is said when all lines are through; nothing is decided here about what to do with it.
import type {DiskFile} from '../disk.ts'
import {isTorn} from './judge-tail.ts'
import {checkSeal, HASH_DIGITS, NEWLINE} from './line.ts'

/** A line as it was written; `value` holds all of it, with `seq` and `h`. */
export interface Line {
  readonly number: number
  readonly offset: number
  readonly seq: number
  readonly value: Readonly<Record<string, unknown>>
}

export type Tail =
  | {readonly kind: 'clean'}
  /** The last record lacks only its newline, in whose place zeros may stand: it is there. */
  | {readonly kind: 'unterminated'}
  | {readonly kind: 'torn'; readonly bytes: Buffer}
  | {readonly kind: 'corrupt'; readonly line: number; readonly message: string}

export interface ScanEnd {
  readonly tail: Tail
  /** Behind the last good line. */
  readonly offset: number
  readonly lines: number
  readonly seq: number
  readonly h: string
}

const PIECE_BYTES = 128 * 1024
/** Longer than any checkpoint can reasonably be; a file without newlines must not fill the memory. */
const MAX_LINE_BYTES = 256 * 1024 * 1024

export class SegmentScan {
  readonly #file: DiskFile
  #buffer = Buffer.allocUnsafe(HASH_DIGITS + PIECE_BYTES)
  /** What is not yet handed on lies here in the buffer; the previous hash in the 32 bytes before it. */
  #start = HASH_DIGITS
  #filled = HASH_DIGITS
  /** Of `#start` in the file. */
  #offset = 0
  #lines = 0
  #seq = 0
  #h = ''
  #end: ScanEnd | undefined

  constructor(file: DiskFile) {
    this.#file = file
  }

  /** Known when `batches` has ended. */
  get end(): ScanEnd {
    if (!this.#end) throw new Error('the scan has not ended')
    return this.#end
  }

  /** The buffer is used again for the next piece; lines hold nothing of it. */
  async *batches(): AsyncGenerator<readonly Line[]> {
    for (;;) {
      const read = await this.#fill()
      const batch: Line[] = []
      const bad = this.#take(batch)
      if (batch.length > 0) yield batch
      if (bad !== undefined) {
        this.#finish(await this.#judgeBad(bad))
        return
      }
      if (read === 0) {
        const last: Line[] = []
        const tail = this.#judgeRest(last)
        if (last.length > 0) yield last
        this.#finish(tail)
        return
      }
    }
  }

  async #fill(): Promise<number> {
    if (this.#filled === this.#buffer.length) this.#makeRoom()
    const read = await this.#file.read(
      this.#buffer.subarray(this.#filled),
      this.#offset + this.#filled - this.#start,
    )
    this.#filled += read
    return read
  }

  /** Moves the rest, and the hash before it, to the front; grows only for a line longer than the buffer. */
  #makeRoom(): void {
    const rest = this.#buffer.subarray(this.#start - HASH_DIGITS, this.#filled)
    const isFull = rest.length === this.#buffer.length
    const target = isFull ? Buffer.allocUnsafe(this.#buffer.length * 2) : this.#buffer
    target.set(rest, 0)
    this.#buffer = target
    this.#start = HASH_DIGITS
    this.#filled = rest.length
  }

  /** Takes every whole line; the message tells why the next one is none. */
  #take(batch: Line[]): string | undefined {
    for (;;) {
      const newline = this.#buffer.indexOf(NEWLINE, this.#start)
      if (newline < 0 || newline >= this.#filled) {
        return this.#filled - this.#start > MAX_LINE_BYTES ? 'the line has no end' : undefined
      }
      const line = this.#read(newline)
      if (typeof line === 'string') return line
      batch.push(line)
      this.#advance(newline + 1)
    }
  }

  /** The line that ends before `end`, or why it is none. */
  #read(end: number): Line | string {
    const start = this.#start
    const opened = this.#lines === 0 ? this.#readFirst(end) : undefined
    if (typeof opened === 'string') return opened
    const h = checkSeal(this.#buffer, start, end)
    if (h === undefined) return BAD_HASH
    const value = opened ?? parseObject(this.#buffer.toString('utf8', start, end))
    if (!value) return 'it is no record'
    const seq = value['seq']
    if (typeof seq !== 'number' || (this.#lines > 0 && seq !== this.#seq + 1))
      return `record ${this.#seq + 1} was expected here, not ${String(seq)}`
    this.#seq = seq
    this.#h = h
    return {number: this.#lines + 1, offset: this.#offset, seq, value}
  }

  /** The header itself says which hash was before it. */
  #readFirst(end: number): Readonly<Record<string, unknown>> | string {
    const value = parseObject(this.#buffer.toString('utf8', this.#start, end))
    const previous = value?.['prev']
    if (!value || typeof previous !== 'string' || previous.length !== HASH_DIGITS) return 'it is no header'
    this.#buffer.write(previous, this.#start - HASH_DIGITS, 'latin1')
    return value
  }

  #advance(next: number): void {
    const previous = next - '"}\n'.length - HASH_DIGITS
    this.#buffer.copyWithin(next - HASH_DIGITS, previous, previous + HASH_DIGITS)
    this.#offset += next - this.#start
    this.#start = next
    this.#lines++
  }

  /** Of a whole line that is no record: torn only if it is the last, and not by the hash alone. */
  async #judgeBad(message: string): Promise<Tail> {
    const rest = await this.#readRest()
    const isLast = rest.indexOf(NEWLINE) === rest.length - 1
    if (message === BAD_HASH && isLast && this.#lines > 0 && isTorn(rest, this.#offset, this.#seq + 1))
      return {kind: 'torn', bytes: rest}
    return {kind: 'corrupt', line: this.#lines + 1, message}
  }

  /** Of what is left behind the last newline. */
  #judgeRest(last: Line[]): Tail {
    if (this.#start === this.#filled) {
      if (this.#lines > 0) return {kind: 'clean'}
      return {kind: 'corrupt', line: 1, message: 'the file is empty'}
    }
    const rest = Buffer.from(this.#buffer.subarray(this.#start, this.#filled))
    const written = withoutZeros(rest).length
    const line = this.#read(this.#start + written)
    if (typeof line !== 'string') {
      last.push(line)
      this.#offset += written
      this.#lines++
      return {kind: 'unterminated'}
    }
    if (line === BAD_HASH && this.#lines > 0 && isTorn(rest, this.#offset, this.#seq + 1))
      return {kind: 'torn', bytes: rest}
    return {kind: 'corrupt', line: this.#lines + 1, message: line}
  }

  /** All that is in the file from here on, as long as it may still be one line. */
  async #readRest(): Promise<Buffer> {
    for (;;) {
      const rest = this.#buffer.subarray(this.#start, this.#filled)
      const newline = rest.indexOf(NEWLINE)
      if (newline >= 0 && newline < rest.length - 1) return Buffer.from(rest)
      if ((await this.#fill()) === 0) return Buffer.from(this.#buffer.subarray(this.#start, this.#filled))
    }
  }

  #finish(tail: Tail): void {
    this.#end = {tail, offset: this.#offset, lines: this.#lines, seq: this.#seq, h: this.#h}
  }
}

const BAD_HASH = 'its hash is wrong'

/** A power loss may leave the size of an append, and zeros in its place: a newline that mends a record is one. */
function withoutZeros(bytes: Buffer): Buffer {
  let end = bytes.length
  while (end > 0 && bytes[end - 1] === 0) end--
  return bytes.subarray(0, end)
}

function parseObject(text: string): Readonly<Record<string, unknown>> | undefined {
  try {
    const value: unknown = JSON.parse(text)
    return typeof value === 'object' && value !== null && !Array.isArray(value)
      ? (value as Record<string, unknown>)
      : undefined
  } catch {
    return undefined
  }
}
