// Every segment, every hash, every checkpoint: what is in it must follow from what was before it. Goes on behind
// damage, so that all of it is told at once. Changes nothing.
import {join} from 'node:path'
import {isDeepStrictEqual} from 'node:util'
import type {LogPlace} from './append-log.ts'
import {findMissing} from './check-neighbours.ts'
import {closeQuietly} from './create-segment.ts'
import type {LogHeader, LogKind} from './log-kind.ts'
import type {LogProblem} from './log-problem.ts'
import {segmentName, segmentNumbers} from './segment-name.ts'
import {SegmentWalk} from './walk-segment.ts'

export interface LogReport<State> {
  /** File names, oldest first. */
  readonly segments: readonly string[]
  readonly records: number
  readonly bytes: number
  /** Empty: all is as it was written. */
  readonly problems: readonly LogProblem[]
  readonly torn?: {readonly file: string; readonly offset: number; readonly bytes: number}
  /** Of the newest segment, as far as it is whole. */
  readonly state: State | undefined
  readonly header: LogHeader | undefined
  /** Hash of the last record: it seals all that is before it. */
  readonly head: string | undefined
  /** Its number. */
  readonly headSeq: number
}

interface Segment<State> {
  readonly walk: SegmentWalk<State, unknown>
  readonly header: LogHeader
  readonly state: State
}

export async function verifyLog<State>(place: LogPlace, kind: LogKind<State>): Promise<LogReport<State>> {
  const numbers = segmentNumbers(await place.disk.list(place.dir))
  const problems: LogProblem[] = []
  let [records, bytes] = [0, 0]
  let torn: LogReport<State>['torn']
  let last: SegmentWalk<State, unknown> | undefined
  let before: Segment<State> | undefined
  for (const number of numbers) {
    const isNewest = number === numbers.at(-1)
    const verified = await verifySegment(place, kind, number, before)
    const {walk} = verified
    const {tail, offset} = walk.end
    problems.push(...verified.problems)
    records += verified.records
    bytes += verified.bytes
    const file = segmentName(number)
    if (tail.kind === 'torn' && isNewest) torn = {file, offset, bytes: tail.bytes.length}
    else if (!walk.problem && tail.kind !== 'clean' && !isNewest)
      problems.push({file, line: walk.end.lines + 1, offset, message: 'the end of the segment is missing'})
    last = walk
    before =
      walk.problem || !walk.header || walk.state === undefined
        ? undefined
        : {walk, header: walk.header, state: walk.state}
  }
  problems.unshift(...findMissing(numbers, last?.header?.aside ?? []))
  const segments = numbers.map(segmentName)
  return {
    segments,
    records,
    bytes,
    problems,
    ...(torn && {torn}),
    state: last?.state,
    header: last?.header,
    head: last?.end.h,
    headSeq: last?.end.seq ?? 0,
  }
}

interface Verified<State> {
  readonly walk: SegmentWalk<State, unknown>
  readonly records: number
  readonly bytes: number
  readonly problems: readonly LogProblem[]
}

async function verifySegment<State>(
  {disk, dir}: LogPlace,
  kind: LogKind<State>,
  number: number,
  before: Segment<State> | undefined,
): Promise<Verified<State>> {
  const file = await disk.open(join(dir, segmentName(number)), 'read')
  try {
    const walk = new SegmentWalk(file, kind, number)
    let seam: string | undefined
    let records = 0
    for await (const steps of walk.steps()) {
      if (steps.length === 0 && before) seam = checkSeam(kind, before, walk)
      records += steps.length
    }
    const problems: LogProblem[] = []
    if (seam !== undefined) problems.push({file: segmentName(number), line: 1, offset: 0, message: seam})
    if (walk.problem) problems.push(walk.problem)
    return {walk, records, bytes: await file.size(), problems}
  } finally {
    await closeQuietly(file)
  }
}

/** Whether a segment begins where the one before it ended. */
function checkSeam<State>(
  kind: LogKind<State>,
  {walk: old, header: oldHeader, state: oldState}: Segment<State>,
  {header, state, firstSeq}: SegmentWalk<State, unknown>,
): string | undefined {
  if (!header || state === undefined) return undefined
  if (header.segment !== oldHeader.segment + 1) return undefined
  const name = segmentName(oldHeader.segment)
  if (header.lineage !== oldHeader.lineage) return `it belongs to another log than ${name}`
  if (header.aside.includes(oldHeader.segment)) return undefined
  if (header.prev !== old.end.h) return `it does not follow ${name}: that one ends in another hash`
  if (firstSeq !== old.end.seq + 1) return `record ${old.end.seq + 1} was expected here, not ${firstSeq}`
  kind.turn(oldState, oldHeader, header)
  // A repair disarms what it writes; that is the one thing which does not follow from the segment before.
  if (header.aside.length > oldHeader.aside.length) return undefined
  if (!isDeepStrictEqual(plain(kind.checkpoint(oldState)), plain(kind.checkpoint(state))))
    return `its checkpoint is not what ${name} adds up to`
  return undefined
}

const plain = (value: unknown): unknown => JSON.parse(JSON.stringify(value))
