// Removes old segments, the oldest first, so that what is left is always the end of the history without a gap. The
// newest is never removed: its checkpoint holds all that still matters of those before it.
import {join} from 'node:path'
import {FelhomError} from '../../model/felhom-error.ts'
import type {LogPlace} from './append-log.ts'
import {closeQuietly} from './create-segment.ts'
import {BadRecord, type LogHeader} from './log-kind.ts'
import {corruptError, failedError} from './log-problem.ts'
import {readHeader} from './read-header.ts'
import {SegmentScan} from './scan-segment.ts'
import {segmentName, segmentNumbers} from './segment-name.ts'

export interface LogCompaction {
  readonly removed: readonly string[]
  readonly kept: readonly string[]
}

export async function compactLog(
  place: LogPlace,
  newest: LogHeader,
  /** A segment that ended before this time goes. */
  beforeMs: number,
): Promise<LogCompaction> {
  try {
    return await removeEnded(place, newest, beforeMs)
  } catch (error) {
    throw error instanceof FelhomError ? error : failedError('removing old segments of', place.dir, error)
  }
}

async function removeEnded(place: LogPlace, newest: LogHeader, beforeMs: number): Promise<LogCompaction> {
  const {disk, dir} = place
  const numbers = segmentNumbers(await disk.list(dir))
  const removed: string[] = []
  for (const [index, number] of numbers.entries()) {
    const next = numbers[index + 1]
    if (number >= newest.segment || next === undefined) break
    const endedMs = next === newest.segment ? newest.at : await readTime(place, newest.log, next)
    if (endedMs >= beforeMs) break
    await disk.remove(join(dir, segmentName(number)))
    removed.push(segmentName(number))
  }
  if (removed.length > 0) await disk.syncDirectory(dir)
  return {removed, kept: numbers.map(segmentName).filter((name) => !removed.includes(name))}
}

/** A segment ends when the next one begins. */
async function readTime({disk, dir}: LogPlace, log: string, number: number): Promise<number> {
  const name = segmentName(number)
  const file = await disk.open(join(dir, name), 'read')
  try {
    for await (const [line] of new SegmentScan(file).batches())
      if (line) return readHeader(line, log, number).at
    throw new BadRecord('it has no header')
  } catch (error) {
    if (!(error instanceof BadRecord)) throw error
    throw corruptError({file: name, line: 1, offset: 0, message: error.message})
  } finally {
    await closeQuietly(file)
  }
}
