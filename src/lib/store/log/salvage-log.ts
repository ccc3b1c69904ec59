// What can still be trusted in a damaged log: each line whose hash follows from the line that stands before it,
// wherever that one's own damage is. A checkpoint among them makes all that was before it matter no more.
import {join} from 'node:path'
import type {DiskFile} from '../disk.ts'
import type {LogPlace} from './append-log.ts'
import {closeQuietly} from './create-segment.ts'
import {checkSeal, HASH_DIGITS, NEWLINE, NO_HASH} from './line.ts'
import {BadRecord, type LogHeader, type LogKind, type LogRecord} from './log-kind.ts'
import {readHeader} from './read-header.ts'
import {segmentName} from './segment-name.ts'

export interface Salvaged<State> {
  /** undefined: not even a head was whole. */
  readonly state: State | undefined
  /** The newest that is whole. */
  readonly header: LogHeader | undefined
  /** Of the last line that can be trusted. */
  readonly seq: number
  readonly h: string
  /** Records behind the first damage that could be carried over. */
  readonly salvaged: number
  readonly lost: number
}

export interface Salvager<State> {
  readonly kind: LogKind<State>
  /** Takes a record in although others before it are lost. Throws BadRecord if it makes no sense any more. */
  readonly take: (state: State, record: LogRecord) => void
  /** What is known if nothing of the beginning is left. */
  readonly begin: () => State
}

export async function salvageLog<State>(
  {disk, dir}: LogPlace,
  numbers: readonly number[],
  salvager: Salvager<State>,
): Promise<Salvaged<State>> {
  const salvage = new Salvage(salvager)
  for (const number of numbers) {
    const file = await disk.open(join(dir, segmentName(number)), 'read')
    try {
      salvage.takeSegment(await readAll(file), number)
    } finally {
      await closeQuietly(file)
    }
  }
  return salvage
}

class Salvage<State> implements Salvaged<State> {
  readonly #salvager: Salvager<State>
  #isForeign = false
  state: State | undefined
  header: LogHeader | undefined
  seq = 0
  h = NO_HASH
  salvaged = 0
  lost = 0

  constructor(salvager: Salvager<State>) {
    this.#salvager = salvager
  }

  takeSegment(bytes: Buffer, number: number): void {
    this.#isForeign = false
    let isDamaged = false
    let previous: Buffer | undefined
    for (let start = 0, line = 1; start < bytes.length; line++) {
      const newline = bytes.indexOf(NEWLINE, start)
      const end = newline < 0 ? bytes.length : newline
      const isTaken = this.#takeLine(bytes.subarray(start, end), line, previous, number)
      if (!isTaken) this.lost++
      else if (isDamaged) this.salvaged++
      isDamaged ||= !isTaken
      previous = bytes.subarray(Math.max(start, end - HASH_DIGITS - 2), end - 2)
      start = end + 1
    }
  }

  #takeLine(line: Buffer, number: number, previous: Buffer | undefined, segment: number): boolean {
    const value = parse(line)
    const named = number === 1 ? value?.['prev'] : previous?.toString('latin1')
    if (!value || typeof named !== 'string' || named.length !== HASH_DIGITS) return false
    const h = checkSeal(
      Buffer.concat([Buffer.from(named, 'latin1'), line]),
      HASH_DIGITS,
      HASH_DIGITS + line.length,
    )
    const {seq} = value
    if (h === undefined || typeof seq !== 'number' || this.#isForeign) return false
    try {
      this.#takeValue(value, segment)
      this.seq = seq
      this.h = h
      return true
    } catch (error) {
      if (error instanceof BadRecord) return false
      throw error
    }
  }

  /** The oldest header says which log it is. */
  #takeHeader(header: LogHeader): void {
    this.#isForeign = this.header !== undefined && this.header.lineage !== header.lineage
    if (this.#isForeign) throw new BadRecord('it belongs to another log')
    this.header = header
    if (header.segment === 1) this.state = this.#salvager.kind.begin(header)
  }

  #takeValue(value: Readonly<Record<string, unknown>>, segment: number): void {
    const {kind, begin, take} = this.#salvager
    if (value['type'] === 'header') {
      this.#takeHeader(readHeader({value}, kind.name, segment))
    } else if (value['type'] === 'checkpoint') this.state = kind.restore(value)
    else take((this.state ??= begin()), value as unknown as LogRecord)
  }
}

async function readAll(file: DiskFile): Promise<Buffer> {
  const bytes = Buffer.alloc(await file.size())
  let filled = 0
  for (;;) {
    const read = await file.read(bytes.subarray(filled), filled)
    filled += read
    if (read === 0 || filled === bytes.length) return bytes.subarray(0, filled)
  }
}

function parse(line: Buffer): Readonly<Record<string, unknown>> | undefined {
  try {
    const value: unknown = JSON.parse(line.toString('utf8'))
    return typeof value === 'object' && value !== null ? (value as Record<string, unknown>) : undefined
  } catch {
    return undefined
  }
}
