// What became of signed jobs, a file for each nonce, where the settings say: for whoever brought the job to find.
// What our own records know is always written; of what may be signed by nobody, only so many.
import {mkdirSync, readdirSync, readFileSync} from 'node:fs'
import {join} from 'node:path'
import type {JobResult} from '../../model/daemon.ts'
import {SCHEMA_VERSION} from '../../report/envelope.ts'
import {showExactTime} from '../../report/journal-times.ts'
import {toJsonText} from '../../report/json-text.ts'
import {replaceFile} from '../../store/replace-file.ts'
import {hasEnded, isProven} from './alert-matters.ts'
import {describeJob} from './describe-status.ts'

const NONCE = /^[A-Za-z0-9_-]{1,64}$/
/** Its group may read it: an agent that reports it elsewhere need not be felhom. */
const FILE_MODE = 0o640
const DIRECTORY_MODE = 0o750
export const MOST_UNPROVEN = 1000

export function writeOutcome(dir: string, job: JobResult, atMs: number, warn: (text: string) => void): void {
  if (!NONCE.test(job.nonce)) return
  mkdirSync(dir, {recursive: true, mode: DIRECTORY_MODE})
  const path = join(dir, `${job.nonce}.json`)
  const before = readOutcome(path)
  const now = {schemaVersion: SCHEMA_VERSION, ...describeJob(job), ended: hasEnded(job)}
  if (before && isSame(before, now)) return
  if (!isProven(job)) {
    // A job that was done is not undone because somebody brings another of its number.
    if (before?.['operation'] !== null && before !== undefined) return
    if (before === undefined && readdirSync(dir).length >= MOST_UNPROVEN) {
      warn(`${dir} holds ${MOST_UNPROVEN} outcomes: no more are written of jobs that nothing is done for`)
      return
    }
  }
  replaceFile(path, `${toJsonText({...now, at: showExactTime(atMs)})}\n`, FILE_MODE)
}

function readOutcome(path: string): Record<string, unknown> | undefined {
  try {
    const value: unknown = JSON.parse(readFileSync(path, 'utf8'))
    return typeof value === 'object' && value !== null ? (value as Record<string, unknown>) : undefined
  } catch {
    // None, or one that was not ours: it is written anew.
    return undefined
  }
}

const isSame = (before: Record<string, unknown>, now: Record<string, unknown>): boolean =>
  Object.entries(now).every(([key, value]) => before[key] === value)
