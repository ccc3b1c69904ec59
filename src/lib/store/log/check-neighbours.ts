// Whether the newest segment is the one that follows the others: none is missing between them, and the one before
// it ends in the hash that its header names. Older ones are looked at by a whole verification only.
import {join} from 'node:path'
import type {LogPlace} from './append-log.ts'
import {closeQuietly} from './create-segment.ts'
import {HASH_DIGITS} from './line.ts'
import type {LogHeader} from './log-kind.ts'
import {corruptError, type LogProblem} from './log-problem.ts'
import {segmentName} from './segment-name.ts'

export async function checkNeighbours(
  place: LogPlace,
  numbers: readonly number[],
  header: LogHeader,
): Promise<void> {
  const problem = findMissing(numbers, header.aside)[0] ?? (await checkPrevious(place, numbers, header))
  if (problem) throw corruptError(problem)
}

/** Old segments go from the oldest on; one that is missing between others was not removed by felhom. */
export function findMissing(numbers: readonly number[], aside: readonly number[]): LogProblem[] {
  const problems: LogProblem[] = []
  const [first = 0] = numbers
  const last = numbers.at(-1) ?? 0
  for (let number = first + 1; number < last; number++) {
    if (numbers.includes(number) || aside.includes(number)) continue
    problems.push({file: segmentName(number), line: 1, offset: 0, message: 'the file is missing'})
  }
  return problems
}

async function checkPrevious(
  {disk, dir}: LogPlace,
  numbers: readonly number[],
  {segment, prev, aside}: LogHeader,
): Promise<LogProblem | undefined> {
  const previous = segment - 1
  if (!numbers.includes(previous) || aside.includes(previous)) return undefined
  const file = await disk.open(join(dir, segmentName(previous)), 'read')
  try {
    const ending = Buffer.alloc(HASH_DIGITS + 3)
    const size = await file.size()
    await file.read(ending, Math.max(0, size - ending.length))
    if (ending.toString('latin1') === `${prev}"}\n`) return undefined
    const message = `it does not follow ${segmentName(previous)}: that one ends in another hash`
    return {file: segmentName(segment), line: 1, offset: 0, message}
  } finally {
    await closeQuietly(file)
  }
}
