// What became of signed jobs, a file for each nonce, where the settings say: for whoever brought the job to find.
// What our own records know is always written, and stays; of what may be signed by nobody, the latest so many.
import {chmodSync, mkdirSync, rmSync} from 'node:fs'
import {dirname, join, resolve} from 'node:path'
import type {JobResult} from '../../../model/daemon.ts'
import {SCHEMA_VERSION} from '../../../report/envelope.ts'
import {showExactTime} from '../../../report/journal-times.ts'
import {toJsonText} from '../../../report/json-text.ts'
import {replaceFile} from '../../../store/replace-file.ts'
import {hasEnded, isProven} from './alert-matters.ts'
import {describeJob} from './describe-status.ts'
import {isProvenOutcome, OutcomeIndex} from './outcome-index.ts'
import {readOutcome, type WrittenOutcome} from './read-outcome.ts'

const NONCE = /^[A-Za-z0-9_-]{1,64}$/
/** Its group may read it: an agent that reports it elsewhere need not be felhom. */
const FILE_MODE = 0o640
const DIRECTORY_MODE = 0o750
export const MOST_UNPROVEN = 1000

export function writeOutcome(dir: string, job: JobResult, atMs: number, warn: (text: string) => void): void {
  if (!NONCE.test(job.nonce)) return
  makeDirectory(resolve(dir))
  const path = join(dir, `${job.nonce}.json`)
  const before = readOutcome(path)
  const now = {schemaVersion: SCHEMA_VERSION, ...describeJob(job), ended: hasEnded(job)}
  if (before && isSame(before, now)) return
  // What became of it is the last that our records forget: that its number was used says less, and is no news.
  if (before && job.operation === undefined && typeof before['operation'] === 'string') return
  const index = indexOf(dir)
  if (!isProven(job)) {
    // A job that was done is not undone because somebody brings another of its number.
    if (before && isProvenOutcome(before)) return
    if (!before) makeRoom(dir, index, warn)
  }
  const written = {...now, at: showExactTime(atMs)}
  replaceFile(path, `${toJsonText(written)}\n`, FILE_MODE)
  index.note(job.nonce, written)
}

/** The mask of a unit leaves the group nothing; what was there already is somebody else's to open. */
function makeDirectory(dir: string): void {
  const first = mkdirSync(dir, {recursive: true, mode: DIRECTORY_MODE})
  if (first === undefined) return
  for (let made = dir; made.length >= first.length; made = dirname(made)) chmodSync(made, DIRECTORY_MODE)
}

const indexes = new Map<string, OutcomeIndex>()

function indexOf(dir: string): OutcomeIndex {
  const index = indexes.get(dir) ?? new OutcomeIndex(dir)
  indexes.set(dir, index)
  return index
}

function makeRoom(dir: string, index: OutcomeIndex, warn: (text: string) => void): void {
  const unproven = index.listUnproven()
  const going = unproven.slice(0, Math.max(0, unproven.length - MOST_UNPROVEN + 1))
  for (const nonce of going) rmSync(join(dir, `${nonce}.json`), {force: true})
  if (going.length === 0 || index.isTold) return
  index.isTold = true
  warn(`${dir} holds ${MOST_UNPROVEN} outcomes of jobs that nothing is done for: the oldest of them go`)
}

const isSame = (before: WrittenOutcome, now: Record<string, unknown>): boolean =>
  Object.entries(now).every(([key, value]) => before[key] === value)
