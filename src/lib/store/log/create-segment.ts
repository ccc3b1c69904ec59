// Puts a new segment into its place, whole or not at all: under another name until all of it is on disk, then
// renamed, then the directory synced. Whoever finds a segment finds its header and checkpoint.
import {join} from 'node:path'
import {FelhomError} from '../../model/felhom-error.ts'
import type {Disk, DiskFile} from '../disk.ts'
import {sealLine} from './line.ts'
import type {LogHeader} from './log-kind.ts'
import {failedError} from './log-problem.ts'
import {segmentName} from './segment-name.ts'
import {writeWhole} from './write-whole.ts'

export interface NewSegment {
  readonly file: DiskFile
  readonly bytes: number
  readonly seq: number
  readonly h: string
}

/** The new name may or may not be on disk: nothing may be written to either segment any more. */
export class UncertainSegment extends FelhomError {
  constructor(error: FelhomError) {
    super(error.code, error.message, {cause: error.cause, hint: error.hint ?? '', doubt: error.doubt ?? ''})
  }
}

export async function createSegment(
  {disk, dir}: {readonly disk: Disk; readonly dir: string},
  header: LogHeader,
  /** Of the header. */
  seq: number,
  checkpoint?: object,
): Promise<NewSegment> {
  const path = join(dir, segmentName(header.segment))
  const first = sealLine(header.prev, seq, JSON.stringify({type: 'header', ...header}))
  const second =
    checkpoint &&
    sealLine(first.h, seq + 1, JSON.stringify({type: 'checkpoint', at: header.at, ...checkpoint}))
  const bytes = Buffer.from(first.text + (second?.text ?? ''))
  const file = await writeTemporary(disk, `${path}.tmp`, bytes)
  try {
    await disk.rename(`${path}.tmp`, path)
    await disk.syncDirectory(dir)
  } catch (error) {
    await closeQuietly(file)
    throw new UncertainSegment(failedError('putting into place', path, error))
  }
  return {file, bytes: bytes.length, seq: second ? seq + 1 : seq, h: (second ?? first).h}
}

async function writeTemporary(disk: Disk, path: string, bytes: Uint8Array): Promise<DiskFile> {
  let file: DiskFile | undefined
  try {
    file = await disk.open(path, 'create')
    writeWhole(file, bytes, 0)
    await file.datasync()
    return file
  } catch (error) {
    if (file) await closeQuietly(file)
    await disk.remove(path).catch(() => undefined)
    throw failedError('writing', path, error)
  }
}

/** All that matters was synced before; a failing close can take nothing back. */
export const closeQuietly = (file: DiskFile): Promise<void> => file.close().catch(() => undefined)
