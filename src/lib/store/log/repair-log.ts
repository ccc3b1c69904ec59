// Begins a new segment with all that can still be trusted, and only then sets the damaged ones aside: a crash in
// between leaves a log that works or one that can be repaired again. Nothing is ever thrown away.
import {randomBytes} from 'node:crypto'
import {join} from 'node:path'
import type {AppendLogOptions} from './append-log.ts'
import {closeQuietly, createSegment} from './create-segment.ts'
import {FORMAT, type LogHeader} from './log-kind.ts'
import {corruptError, failedError, type LogProblem} from './log-problem.ts'
import {mendTail} from './open-log.ts'
import {salvageLog, type Salvager, type Salvaged} from './salvage-log.ts'
import {segmentName, segmentNumbers, TEMPORARY} from './segment-name.ts'
import {verifyLog} from './verify-log.ts'
import {replaySegment} from './walk-segment.ts'
import {FelhomError} from '../../model/felhom-error.ts'

export interface LogRepair {
  /** False: there was nothing to repair. */
  readonly repaired: boolean
  readonly problems: readonly LogProblem[]
  /** Names under which the damaged files were kept. */
  readonly setAside: readonly string[]
  /** Whole records found behind the damage and carried over. */
  readonly salvaged: number
  /** Lines that cannot be trusted, or make no sense without those. */
  readonly lost: number
}

export interface RepairOptions<State> extends Omit<AppendLogOptions<State>, 'segmentBytes'>, Salvager<State> {
  /** If no header is left to tell. */
  readonly identity: Readonly<Record<string, string>>
  /** Last changes to what was saved, before it is written: something may be missing from it. */
  readonly distrust: (state: State, saved: Salvaged<State>) => void
}

export async function repairLog<State>(options: RepairOptions<State>): Promise<LogRepair> {
  const {disk, dir, kind} = options
  const {problems} = await verifyLog(options, kind)
  const newer = problems.find(({isNewer}) => isNewer)
  if (newer) throw corruptError(newer)
  if (problems.length === 0) return {repaired: false, problems, setAside: [], salvaged: 0, lost: 0}
  try {
    const names = await disk.list(dir)
    for (const name of names) if (TEMPORARY.test(name)) await disk.remove(join(dir, name))
    const numbers = segmentNumbers(names)
    const damaged = numbers.filter((number) => problems.some(({file}) => file === segmentName(number)))
    const newest = numbers.at(-1) ?? 0
    if (!damaged.includes(newest)) await mendNewest(options, newest)
    const saved = await salvageLog(options, numbers, options)
    const missing = problems.flatMap(({file}) => segmentNumbers([file]))
    await writeSaved(options, saved, newest + 1, [...damaged, ...missing])
    const setAside = await moveAside(options, damaged)
    return {repaired: true, problems, setAside, salvaged: saved.salvaged, lost: saved.lost}
  } catch (error) {
    throw error instanceof FelhomError ? error : failedError('repairing', dir, error)
  }
}

/** It will not be the newest any more, so its end must be whole. */
async function mendNewest<State>(options: RepairOptions<State>, newest: number): Promise<void> {
  const path = join(options.dir, segmentName(newest))
  const file = await options.disk.open(path, 'append')
  try {
    const {end} = await replaySegment(file, options.kind, newest)
    await mendTail(options, file, path, end)
    await file.datasync()
  } finally {
    await closeQuietly(file)
  }
}

async function writeSaved<State>(
  options: RepairOptions<State>,
  saved: Salvaged<State>,
  segment: number,
  aside: readonly number[],
): Promise<void> {
  const {kind, clock, begin, distrust} = options
  const state = saved.state ?? begin()
  distrust(state, saved)
  const header: LogHeader = {
    format: FORMAT,
    log: kind.name,
    lineage: saved.header?.lineage ?? randomBytes(16).toString('hex'),
    segment,
    prev: saved.h,
    at: clock.now(),
    identity: saved.header?.identity ?? options.identity,
    aside: [...new Set([...(saved.header?.aside ?? []), ...aside])].sort((a, b) => a - b),
  }
  const {file} = await createSegment(options, header, saved.seq + 1, kind.checkpoint(state))
  await closeQuietly(file)
}

async function moveAside<State>(
  {disk, dir, clock}: RepairOptions<State>,
  numbers: readonly number[],
): Promise<string[]> {
  const moved: string[] = []
  for (const number of numbers) {
    const name = `${segmentName(number)}.damaged-${clock.now()}`
    await disk.rename(join(dir, segmentName(number)), join(dir, name))
    moved.push(name)
  }
  await disk.syncDirectory(dir)
  return moved
}
