// Goes through a segment: header, checkpoint, then record by record, each taken in as it comes. What it all adds up
// to, and what is wrong with it, is known at the end; memory holds a piece of the file and what is known.
import type {DiskFile} from '../disk.ts'
import {BadRecord, NewerRecord, type LogHeader, type LogKind, type LogRecord} from './log-kind.ts'
import type {LogProblem} from './log-problem.ts'
import {headLines, readHeader} from './read-header.ts'
import {SegmentScan, type Line, type ScanEnd} from './scan-segment.ts'
import {segmentName} from './segment-name.ts'

export interface Step<Change> {
  readonly record: LogRecord
  readonly change: Change
}

export class SegmentWalk<State, Change> {
  readonly #kind: LogKind<State, Change>
  readonly #segment: number
  readonly #scan: SegmentScan
  #header: LogHeader | undefined
  #firstSeq = 0
  #state: State | undefined
  #headBytes = 0
  #problem: LogProblem | undefined
  #end: ScanEnd | undefined

  constructor(file: DiskFile, kind: LogKind<State, Change>, segment: number) {
    this.#kind = kind
    this.#segment = segment
    this.#scan = new SegmentScan(file)
  }

  /** Absent: it could not be read. */
  get header(): LogHeader | undefined {
    return this.#header
  }

  /** The number of the header. */
  get firstSeq(): number {
    return this.#firstSeq
  }

  /** Up to the last record taken in; absent while the head has not been read, or if it is damaged. */
  get state(): State | undefined {
    return this.#state
  }

  /** Where the head ends. */
  get headBytes(): number {
    return this.#headBytes
  }

  /** The first damage; known when all steps are through. */
  get problem(): LogProblem | undefined {
    return this.#problem
  }

  /** Where the last good line ends; known when all steps are through. */
  get end(): ScanEnd {
    return this.#end ?? this.#scan.end
  }

  /** The first step list comes after the head, and may be empty: then `state` is what the checkpoint says. */
  async *steps(): AsyncGenerator<readonly Step<Change>[]> {
    for await (const lines of this.#scan.batches()) {
      const isHead = this.#state === undefined
      const steps: Step<Change>[] = []
      for (const line of lines) {
        if (isHead && !this.#headIsThrough()) {
          if (!this.#attempt(line, () => this.#takeHead(line))) return
          if (this.#headIsThrough()) yield []
        } else if (!this.#attempt(line, () => this.#takeRecord(line, steps))) {
          yield steps
          return
        }
      }
      if (steps.length > 0) yield steps
    }
    this.#problem = this.#judgeEnd(this.#scan.end)
  }

  #headIsThrough(): boolean {
    return this.#state !== undefined
  }

  #takeHead(line: Line): void {
    if (!this.#header) {
      this.#header = readHeader(line, this.#kind.name, this.#segment)
      this.#firstSeq = line.seq
      if (headLines(this.#header) === 1) this.#state = this.#kind.begin(this.#header)
      return
    }
    if (line.value['type'] !== 'checkpoint') throw new BadRecord('a checkpoint was expected here')
    this.#state = this.#kind.restore(line.value)
  }

  #takeRecord(line: Line, steps: Step<Change>[]): void {
    if (this.#state === undefined) throw new BadRecord('nothing is known yet')
    if (this.#headBytes === 0) this.#headBytes = line.offset
    const record = line.value as unknown as LogRecord
    steps.push({record, change: this.#kind.apply(this.#state, record)})
  }

  /** False: the line cannot stand where it stands, and nothing behind it counts. */
  #attempt(line: Line, take: () => void): boolean {
    try {
      take()
      return true
    } catch (error) {
      if (!(error instanceof BadRecord)) throw error
      const {number, offset, seq} = line
      this.#problem = {
        ...this.#problemAt(number, offset, error.message),
        ...(error instanceof NewerRecord && {isNewer: true}),
      }
      this.#end = {
        tail: {kind: 'corrupt', line: number, message: error.message},
        offset,
        lines: number - 1,
        seq: seq - 1,
        h: '',
      }
      return false
    }
  }

  #judgeEnd({tail, lines, offset}: ScanEnd): LogProblem | undefined {
    if (this.#headBytes === 0) this.#headBytes = offset
    if (tail.kind === 'corrupt') return this.#problemAt(tail.line, offset, tail.message)
    const isHeadOnly = this.#header === undefined || lines <= headLines(this.#header)
    if (this.#state === undefined || (tail.kind === 'unterminated' && isHeadOnly))
      return this.#problemAt(lines, offset, 'the head of the segment is not whole')
    return undefined
  }

  #problemAt(line: number, offset: number, message: string): LogProblem {
    return {file: segmentName(this.#segment), line, offset, message}
  }
}

/** Goes through all of it for what it adds up to. */
export async function replaySegment<State, Change>(
  file: DiskFile,
  kind: LogKind<State, Change>,
  segment: number,
): Promise<SegmentWalk<State, Change>> {
  const walk = new SegmentWalk(file, kind, segment)
  const steps = walk.steps()
  while (!(await steps.next()).done);
  return walk
}
