// What a segment adds up to: from its checkpoint, or from nothing, through every record to its end.
import type {DiskFile} from '../disk.ts'
import {BadRecord, type LogHeader, type LogKind, type LogRecord} from './log-kind.ts'
import type {LogProblem} from './log-problem.ts'
import {headLines, readHeader} from './read-header.ts'
import {SegmentScan, type Line, type ScanEnd, type Tail} from './scan-segment.ts'
import {segmentName} from './segment-name.ts'

export interface Replayed<State> {
  /** Absent: not even the header could be read. */
  readonly header: LogHeader | undefined
  /** Up to the last good record; absent if the head of the segment is damaged. */
  readonly state: State | undefined
  readonly end: ScanEnd
  /** Where the head ends. */
  readonly headBytes: number
  readonly problem: LogProblem | undefined
}

export interface ReplayOptions<State> {
  readonly kind: LogKind<State>
  readonly segment: number
  /** Told before a record is taken in. */
  readonly onRecord?: (record: LogRecord, state: State) => void
  /** Told what the checkpoint makes of it, before anything else is. */
  readonly onHead?: (header: LogHeader, state: State) => void
}

export async function replaySegment<State>(
  file: DiskFile,
  options: ReplayOptions<State>,
): Promise<Replayed<State>> {
  const fold = new Fold(options)
  const scan = new SegmentScan(file)
  for await (const batch of scan.batches()) {
    for (const line of batch) if (!fold.take(line)) return fold.result(endBefore(line))
  }
  return fold.result(scan.end)
}

/** The scan is left at the line that cannot stand there; nothing behind it counts. */
function endBefore({number, offset, seq}: Line): ScanEnd {
  const tail: Tail = {kind: 'corrupt', line: number, message: ''}
  return {tail, offset, lines: number - 1, seq: seq - 1, h: ''}
}

class Fold<State> {
  readonly #options: ReplayOptions<State>
  #header: LogHeader | undefined
  #state: State | undefined
  #headBytes = 0
  #problem: LogProblem | undefined

  constructor(options: ReplayOptions<State>) {
    this.#options = options
  }

  /** False: the line cannot stand where it stands. */
  take(line: Line): boolean {
    try {
      this.#apply(line)
      return true
    } catch (error) {
      if (!(error instanceof BadRecord)) throw error
      this.#problem = this.#problemAt(line.number, line.offset, error.message)
      return false
    }
  }

  #apply(line: Line): void {
    const {kind, segment, onHead, onRecord} = this.#options
    if (!this.#header) {
      this.#header = readHeader(line, kind.name, segment)
      if (headLines(this.#header) > 1) return
      this.#state = kind.begin(this.#header)
      onHead?.(this.#header, this.#state)
    } else if (this.#state === undefined) {
      if (line.value['type'] !== 'checkpoint') throw new BadRecord('a checkpoint was expected here')
      this.#state = kind.restore(line.value)
      onHead?.(this.#header, this.#state)
    } else {
      if (this.#headBytes === 0) this.#headBytes = line.offset
      const record = line.value as unknown as LogRecord
      onRecord?.(record, this.#state)
      kind.apply(this.#state, record)
    }
  }

  result(end: ScanEnd): Replayed<State> {
    const headBytes = this.#headBytes === 0 ? end.offset : this.#headBytes
    const problem = this.#problem ?? this.#judge(end)
    return {header: this.#header, state: this.#state, end, headBytes, problem}
  }

  #judge({tail, lines, offset}: ScanEnd): LogProblem | undefined {
    if (tail.kind === 'corrupt') return this.#problemAt(tail.line, offset, tail.message)
    if (this.#state === undefined)
      return this.#problemAt(lines + 1, offset, 'the head of the segment is not whole')
    const isHeadOnly = this.#header !== undefined && lines <= headLines(this.#header)
    if (tail.kind === 'unterminated' && isHeadOnly)
      return this.#problemAt(lines, offset, 'the head of the segment is not whole')
    return undefined
  }

  #problemAt(line: number, offset: number, message: string): LogProblem {
    return {file: segmentName(this.#options.segment), line, offset, message}
  }
}
