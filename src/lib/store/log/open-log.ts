// Opens a log for writing: the newest segment is replayed, a tail that a crash has torn is set aside and cut, and
// all that is read is synced before anything is built on it: a dead process may have left it in the cache only.
import {randomBytes} from 'node:crypto'
import {dirname, join} from 'node:path'
import type {Disk, DiskFile} from '../disk.ts'
import {AppendLog, type AppendLogOptions, type LogPlace} from './append-log.ts'
import {checkNeighbours} from './check-neighbours.ts'
import {closeQuietly, createSegment} from './create-segment.ts'
import {NO_HASH} from './line.ts'
import {FORMAT, type LogHeader} from './log-kind.ts'
import {corruptError, failedError} from './log-problem.ts'
import {segmentName, segmentNumbers, TEMPORARY} from './segment-name.ts'
import {replaySegment} from './walk-segment.ts'
import type {ScanEnd} from './scan-segment.ts'
import {writeWhole} from './write-whole.ts'
import {FelhomError} from '../../model/felhom-error.ts'

export interface OpenLogOptions<State> extends AppendLogOptions<State> {
  /** Of a log that does not exist yet. */
  readonly identity: Readonly<Record<string, string>>
}

export async function openLog<State>(options: OpenLogOptions<State>): Promise<AppendLog<State>> {
  const {disk, dir} = options
  try {
    await disk.makeDirectory(dir)
    const names = await disk.list(dir)
    for (const name of names) if (TEMPORARY.test(name)) await disk.remove(join(dir, name))
    const numbers = segmentNumbers(names)
    const newest = numbers.at(-1)
    return newest === undefined ? await beginLog(options) : await resumeLog(options, numbers, newest)
  } catch (error) {
    throw error instanceof FelhomError ? error : failedError('opening', dir, error)
  }
}

async function beginLog<State>(options: OpenLogOptions<State>): Promise<AppendLog<State>> {
  const {disk, dir, kind, clock, identity} = options
  await disk.syncDirectory(dirname(dir))
  const header: LogHeader = {
    format: FORMAT,
    log: kind.name,
    lineage: randomBytes(16).toString('hex'),
    segment: 1,
    prev: NO_HASH,
    at: clock.now(),
    identity,
    aside: [],
  }
  const created = await createSegment(options, header, 1)
  return new AppendLog(options, kind.begin(header), {...created, header}, created.bytes)
}

async function resumeLog<State>(
  options: OpenLogOptions<State>,
  numbers: readonly number[],
  newest: number,
): Promise<AppendLog<State>> {
  const {disk, dir, kind} = options
  const path = join(dir, segmentName(newest))
  const file = await disk.open(path, 'append')
  try {
    const {header, state, end, headBytes, problem} = await replaySegment(file, kind, newest)
    if (problem ?? (!header || state === undefined)) throw corruptError(problem ?? nothingAt(path))
    await checkNeighbours(options, numbers, header)
    const bytes = await mendTail(options, file, path, end)
    await writeAgain(file, bytes)
    await file.datasync()
    await disk.syncDirectory(dir)
    return new AppendLog(options, state, {header, file, bytes, seq: end.seq, h: end.h}, headBytes)
  } catch (error) {
    await closeQuietly(file)
    throw error
  }
}

/** More than what is written at once. */
const WRITTEN_AGAIN_BYTES = 64 * 1024

/**
 * After a failed sync the kernel takes for written what it has only in its cache, and a process that died before it
 * could take that back leaves it to be found. Written again, the next sync is about it.
 */
async function writeAgain(file: DiskFile, end: number): Promise<void> {
  const start = Math.max(0, end - WRITTEN_AGAIN_BYTES)
  const bytes = Buffer.alloc(end - start)
  for (let read = 0; read < bytes.length;) {
    const more = await file.read(bytes.subarray(read), start + read)
    if (more === 0) return
    read += more
  }
  writeWhole(file, bytes, start)
}

const nothingAt = (file: string): {file: string; line: number; offset: number; message: string} => ({
  file,
  line: 1,
  offset: 0,
  message: 'the file is empty',
})

/** Where the next record goes. */
export async function mendTail(
  options: LogPlace & {readonly clock: {now(): number}; readonly warn: (text: string) => void},
  file: DiskFile,
  path: string,
  {tail, offset, lines}: ScanEnd,
): Promise<number> {
  if (tail.kind === 'unterminated') {
    await file.truncate(offset)
    writeWhole(file, Buffer.from('\n'), offset)
    return offset + 1
  }
  if (tail.kind === 'torn') {
    const copy = `${path}.torn-${options.clock.now()}`
    await setAside(options.disk, copy, tail.bytes)
    await options.disk.syncDirectory(options.dir)
    await file.truncate(offset)
    options.warn(
      `${path}: an append after line ${lines} was cut short by a crash; its ${tail.bytes.length} bytes were set aside as ${copy}.`,
    )
  }
  return offset
}

async function setAside(disk: Disk, path: string, bytes: Uint8Array): Promise<void> {
  const file = await createUnused(disk, path)
  try {
    writeWhole(file, bytes, 0)
    await file.datasync()
  } finally {
    await closeQuietly(file)
  }
}

/** Two crashes may fall into one millisecond of a clock that stands still or was set back. */
async function createUnused(disk: Disk, path: string): Promise<DiskFile> {
  for (let number = 1; ; number++) {
    try {
      return await disk.open(number === 1 ? path : `${path}.${number}`, 'create')
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code !== 'EEXIST') throw error
    }
  }
}
