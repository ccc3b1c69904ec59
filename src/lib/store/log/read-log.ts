// A log for those who only look. A segment that is removed meanwhile is passed over: its successor's checkpoint
// holds what still matters of it. A record that is being written at this moment is not seen.
import {join} from 'node:path'
import type {LogPlace} from './append-log.ts'
import {closeQuietly} from './create-segment.ts'
import type {LogKind} from './log-kind.ts'
import {corruptError} from './log-problem.ts'
import {segmentName, segmentNumbers} from './segment-name.ts'
import {SegmentWalk, replaySegment, type Step} from './walk-segment.ts'
import type {DiskFile} from '../disk.ts'

/** The newest segment, replayed; undefined: there is no log. Throws journal_corrupt. */
export async function readNewest<State, Change>(
  place: LogPlace,
  kind: LogKind<State, Change>,
): Promise<SegmentWalk<State, Change> | undefined> {
  for (;;) {
    const newest = segmentNumbers(await place.disk.list(place.dir)).at(-1)
    if (newest === undefined) return undefined
    const file = await openIfThere(place, newest)
    if (!file) continue
    try {
      const walk = await replaySegment(file, kind, newest)
      if (walk.problem) throw corruptError(walk.problem)
      return walk
    } finally {
      await closeQuietly(file)
    }
  }
}

export interface HistoryPart<State, Change> {
  readonly state: State
  readonly steps: readonly Step<Change>[]
}

/** Every record that is kept, oldest first, with what is known after it. Throws journal_corrupt where it stops. */
export async function* readHistory<State, Change>(
  place: LogPlace,
  kind: LogKind<State, Change>,
): AsyncGenerator<HistoryPart<State, Change>> {
  for (const number of segmentNumbers(await place.disk.list(place.dir))) {
    const file = await openIfThere(place, number)
    if (!file) continue
    try {
      const walk = new SegmentWalk(file, kind, number)
      for await (const steps of walk.steps()) {
        if (walk.state !== undefined) yield {state: walk.state, steps}
      }
      if (walk.problem) throw corruptError(walk.problem)
    } finally {
      await closeQuietly(file)
    }
  }
}

async function openIfThere({disk, dir}: LogPlace, number: number): Promise<DiskFile | undefined> {
  try {
    return await disk.open(join(dir, segmentName(number)), 'read')
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return undefined
    throw error
  }
}
