// Which guests the daemon leaves alone: one small file of the state directory, replaced as a whole and sealed by a
// checksum. Whatever is wrong with it, nobody may take that for "none": then all guests count as suspended.
import {createHash} from 'node:crypto'
import {closeSync, constants, fstatSync, openSync, readFileSync, renameSync} from 'node:fs'
import {join} from 'node:path'
import type {Suspension} from '../model/daemon.ts'
import {FelhomError, isFelhomError} from '../model/felhom-error.ts'
import {isVmid} from '../model/guest.ts'
import {checkPrivate, unsafe} from './check-private.ts'
import {replaceFile} from './replace-file.ts'

export interface WholeSuspensions {
  readonly suspensions: readonly Suspension[]
  /** Oldest first: what was suspended while another had the audit, and is to be written there. */
  readonly unaudited: readonly Suspension[]
}

export type KeptSuspensions =
  /** As they were written, expired ones too. */
  | WholeSuspensions
  /** `sinceMs`: the file's own time, where it has one. */
  | {readonly problem: string; readonly mend: string; readonly sinceMs?: number}

const NAME = 'suspensions.json'
const FORMAT = 1
const MOST_BYTES = 4 * 1024 * 1024
/** Of the calendar: a later time cannot be shown. */
const LAST_DATE_MS = 8.64e15

/** What holds at this time. A file that cannot be used is one suspension of all, whose reason says so. */
export function readSuspensions(dir: string, nowMs: number): readonly Suspension[] {
  const kept = readKeptSuspensions(dir)
  if ('suspensions' in kept) return kept.suspensions.filter((one) => holdsAt(one, nowMs))
  const reason = `${kept.problem}. ${kept.mend}`
  return [{vmid: 'all', sinceMs: kept.sinceMs ?? nowMs, by: 'felhom', reason}]
}

export const holdsAt = ({untilMs}: Suspension, nowMs: number): boolean =>
  untilMs === undefined || nowMs < untilMs

/** Reads only and takes no lock: the file is always a whole one. */
export function readKeptSuspensions(dir: string): KeptSuspensions {
  const path = join(dir, NAME)
  let fd: number
  try {
    fd = openSync(path, constants.O_RDONLY | constants.O_NOFOLLOW | constants.O_NONBLOCK)
  } catch (error) {
    const {code, message} = error as NodeJS.ErrnoException
    if (code === 'ENOENT') return {suspensions: [], unaudited: []}
    return {problem: `${path} cannot be opened: ${message}`, mend: `Look at it: ls -l ${path}`}
  }
  try {
    return readOpen(path, fd)
  } finally {
    closeSync(fd)
  }
}

function readOpen(path: string, fd: number): KeptSuspensions {
  const stat = fstatSync(fd)
  const sinceMs = Math.floor(stat.mtimeMs)
  try {
    checkPrivate(path, stat, 'file')
    if (stat.size > MOST_BYTES) return {...damaged(`${path} holds ${stat.size} bytes`), sinceMs}
    const decoded = decodeSuspensions(readFileSync(fd, 'utf8'))
    if ('problem' in decoded) return {...damaged(`${path} ${decoded.problem}`), sinceMs}
    return decoded
  } catch (error) {
    if (isFelhomError(error)) return {problem: error.message, mend: error.hint ?? '', sinceMs}
    return {...damaged(`${path} cannot be read: ${(error as Error).message}`), sinceMs}
  }
}

const damaged = (problem: string): {problem: string; mend: string} => ({
  problem,
  mend: 'To begin anew, with none suspended: felhom resume --all',
})

/** The caller holds the lock of suspensions. On disk, name and all, when this returns. */
export function writeSuspensions(
  dir: string,
  suspensions: readonly Suspension[],
  unaudited: readonly Suspension[] = [],
): void {
  const path = join(dir, NAME)
  try {
    replaceFile(path, encodeSuspensions({suspensions, unaudited}))
  } catch (error) {
    throw new FelhomError('journal_failed', `${path} cannot be written: ${(error as Error).message}`, {
      cause: error,
      hint: 'Check the free space and the file system of the state directory.',
      doubt: 'Suspended is what was, or what was to be.',
    })
  }
}

/** Out of the way, for somebody to look at; under the same lock. Where it is now. */
export function putDamagedAside(dir: string, nowMs: number): string {
  const path = join(dir, NAME)
  const aside = `${path}.damaged-${new Date(nowMs).toISOString().replaceAll(/[-:]|\.\d+/g, '')}`
  try {
    renameSync(path, aside)
  } catch (error) {
    throw unsafe(
      `${path} cannot be moved away: ${(error as Error).message}`,
      `Look at it: ls -l ${path}`,
      error,
    )
  }
  return aside
}

/** Always the same text for the same suspensions: what does not come out of it again was not written by it. */
export function encodeSuspensions({suspensions, unaudited}: WholeSuspensions): string {
  const late = unaudited.length === 0 ? {} : {unaudited: unaudited.map(encodeRow)}
  const body = JSON.stringify({format: FORMAT, suspensions: suspensions.map(encodeRow), ...late})
  const sum = createHash('sha256').update(body).digest('hex')
  return `${body.slice(0, -1)},"sha256":"${sum}"}\n`
}

const encodeRow = ({vmid, sinceMs, untilMs, reason, by}: Suspension): unknown => ({
  vmid,
  sinceMs,
  untilMs,
  reason,
  by,
})

export function decodeSuspensions(text: string): KeptSuspensions {
  const fail = (problem: string): KeptSuspensions => ({problem, mend: ''})
  let json: unknown
  try {
    json = JSON.parse(text)
  } catch {
    return fail('is no JSON: it was cut off or changed')
  }
  const {format, suspensions, unaudited = []} = (json ?? {}) as Record<string, unknown>
  if (typeof format === 'number' && format > FORMAT) return fail('was written by a newer felhom')
  if (format !== FORMAT || !isList(suspensions) || !isList(unaudited))
    return fail('does not hold suspensions as felhom writes them')
  const whole = {suspensions, unaudited}
  if (encodeSuspensions(whole) !== text) return fail('is not as it was written: its checksum differs')
  return whole
}

const isList = (value: unknown): value is Suspension[] => Array.isArray(value) && value.every(isSuspension)

function isSuspension(value: unknown): value is Suspension {
  if (typeof value !== 'object' || value === null) return false
  const {vmid, sinceMs, untilMs, reason, by} = value as Record<keyof Suspension, unknown>
  const isTime = (time: unknown): boolean =>
    Number.isSafeInteger(time) && (time as number) >= 0 && (time as number) <= LAST_DATE_MS
  return (
    (vmid === 'all' || (typeof vmid === 'number' && isVmid(vmid))) &&
    isTime(sinceMs) &&
    (untilMs === undefined || isTime(untilMs)) &&
    (reason === undefined || typeof reason === 'string') &&
    typeof by === 'string'
  )
}
