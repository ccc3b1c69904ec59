// Changes that wait for the next start, the part that LXC and QEMU share. It knows the two halves of a
// pending section (values and deletions); it may touch only the section it is given; it guarantees that an
// option never waits for a value and for its deletion at the same time.
import type {Guest, Section} from '../state.ts'

/** What an update works on; a copy (`stage`) until every check has passed, then kept (`keepStaged`). */
export type Staged = Pick<Guest, 'config' | 'pending' | 'pendingDelete'>

/** One row of GET …/pending. `delete` is 2 for a forced deletion. */
export interface PendingRow {
  key: string
  value?: unknown
  pending?: unknown
  delete?: 1 | 2
}

/** Removes an option from a section. */
export function unset(section: Record<string, unknown>, key: string): void {
  Reflect.deleteProperty(section, key)
}

/** A copy of the three sections to change freely; nothing is kept before `keepStaged`. */
export function stage(from: Staged): Staged {
  return {config: {...from.config}, pending: {...from.pending}, pendingDelete: {...from.pendingDelete}}
}

export function keepStaged(guest: Staged, staged: Staged): void {
  guest.config = staged.config
  guest.pending = staged.pending
  guest.pendingDelete = staged.pendingDelete
}

/** Reads the `delete` value of a pending section, `net1,!scsi1`: `!` marks a forced deletion. */
export function parseDeleteList(text: string | undefined): Record<string, {force: boolean}> {
  const deletions: Record<string, {force: boolean}> = {}
  for (const entry of (text ?? '').split(/[,;\s]+/)) {
    if (entry === '') continue
    const force = entry.startsWith('!')
    deletions[force ? entry.slice(1) : entry] = {force}
  }
  return deletions
}

export function printDeleteList(deletions: Record<string, {force: boolean}>): string {
  return Object.keys(deletions)
    .sort()
    .map((key) => (deletions[key]?.force === true ? `!${key}` : key))
    .join(',')
}

/** Queues a value; a deletion of the same option that waited is dropped. */
export function setPending(staged: Staged, key: string, value: string): void {
  staged.pending[key] = value
  removePendingDelete(staged, key)
}

/** Queues a deletion; a value that waited stays until the deletion is applied, as on Proxmox. */
export function addPendingDelete(staged: Staged, key: string, force = false): void {
  staged.pendingDelete[key] = {force}
}

export function removePendingDelete(staged: Staged, key: string): void {
  unset(staged.pendingDelete, key)
}

/** Takes back whatever waits for an option. */
export function revertPending(staged: Staged, key: string): void {
  unset(staged.pending, key)
  removePendingDelete(staged, key)
}

/** Drops what would change nothing: values equal to the current, deletions of what is not set. */
export function cleanupPending(staged: Staged): void {
  for (const [key, value] of Object.entries(staged.pending)) {
    if (staged.config[key] === value) unset(staged.pending, key)
  }
  for (const key of Object.keys(staged.pendingDelete)) {
    if (staged.config[key] === undefined) removePendingDelete(staged, key)
  }
}

/** The section as GET config shows it: waiting values taken in, options that wait for deletion left out. */
export function mergePending(guest: Staged): Section {
  const merged: Section = {...guest.config, ...guest.pending}
  for (const key of Object.keys(guest.pendingDelete)) {
    if (isTruthy(merged[key])) unset(merged, key)
  }
  return merged
}

/**
 * The answer of GET …/pending in the order of the sections. `typed` turns stored text into the answer's
 * value; an option for which it returns undefined is left out.
 */
export function pendingRows(guest: Staged, typed: (key: string, text: string) => unknown): PendingRow[] {
  const rows: PendingRow[] = []
  for (const [key, text] of Object.entries(guest.config)) {
    const value = typed(key, text)
    if (value === undefined) continue
    const row: PendingRow = {key, value}
    const pending = guest.pending[key]
    if (pending !== undefined) row.pending = typed(key, pending)
    const deletion = guest.pendingDelete[key]
    if (deletion) row.delete = deletion.force ? 2 : 1
    rows.push(row)
  }
  for (const [key, text] of Object.entries(guest.pending)) {
    if (guest.config[key] === undefined) rows.push({key, pending: typed(key, text)})
  }
  for (const key of Object.keys(guest.pendingDelete)) {
    // Proxmox takes the whole entry for the force flag here, so such a row is always a forced one.
    if (guest.config[key] === undefined) rows.push({key, delete: 2})
  }
  return rows
}

/** Perl's truth, by which Proxmox decides whether a deletion hides a value. */
function isTruthy(text: string | undefined): boolean {
  return text !== undefined && text !== '' && text !== '0'
}
