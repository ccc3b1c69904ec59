// A journal on the disk in memory, and one small record of every kind.
import {join} from 'node:path'
import type {Ending, Intent} from '../../../src/lib/model/operation.ts'
import {openJournal, type JournalStore, type OpenJournalOptions} from '../../../src/lib/store/open-journal.ts'
import {readJournal} from '../../../src/lib/store/read-journal.ts'
import {MemoryDisk} from '../../../src/lib/testing/memory-disk.ts'

export const STATE = '/state'
export const JOURNAL = '/state/journal'
export const segmentPath = (number: number): string => join(JOURNAL, `${String(number).padStart(8, '0')}.log`)

export const IDENTITY = {endpoint: 'https://pve1:8006', tokenId: 'felhom@pve!token'}
export const START_MS = 1_800_000_000_000

export interface TestJournalOptions extends Partial<OpenJournalOptions> {
  readonly warnings?: string[]
}

export function journalOptions(machine: MemoryDisk, more: TestJournalOptions = {}): OpenJournalOptions {
  const {warnings = [], ...rest} = more
  return {
    disk: machine.mount(),
    dir: STATE,
    identity: IDENTITY,
    clock: tickingClock(),
    warn: (text) => warnings.push(text),
    ...rest,
  }
}

/** Each look at the clock is a millisecond later. */
export function tickingClock(startMs = START_MS): {now(): number} {
  let nowMs = startMs
  return {now: () => nowMs++}
}

export const openOn = (machine: MemoryDisk, more: TestJournalOptions = {}): Promise<JournalStore> =>
  openJournal(journalOptions(machine, more))

export const upidOf = (number: number): string =>
  `UPID:pve1:${number.toString(16).toUpperCase().padStart(8, '0')}:00000001:6B49D200:vzstart:101:felhom@pve!token:`

export function makeIntent(op: string, vmid: number, more: Partial<Intent> = {}): Intent {
  return {
    op,
    run: op.split('.', 1)[0] ?? op,
    target: {kind: 'lxc', vmid, node: 'pve1'},
    body: {type: 'start'},
    class: 'benign',
    before: {run: 'stopped', options: {}},
    knownTasks: [],
    atMs: START_MS,
    ...more,
  }
}

export const ending = (state: Ending['state'], more: Partial<Ending> = {}): Ending => ({
  state,
  by: 'engine',
  reason: '',
  ...more,
})

/** Writes one record of each kind, one after the other, and tells after each what is known. */
export async function writeEveryKind(journal: JournalStore, onRecord: () => void): Promise<void> {
  const steps: (() => Promise<unknown>)[] = [
    () => journal.start(makeIntent('r.1', 101, {key: 'nonce-1', digest: 'ab'})),
    () => journal.taskRunning('r.1', upidOf(1)),
    () => journal.settle('r.1', ending('succeeded')),
    () =>
      journal.start(makeIntent('r.2', 102, {body: {type: 'set-config', set: {name: 'ö"\\'}, delete: ['a']}})),
    () => journal.settle('r.2', ending('failed', {reason: 'no'})),
    () =>
      journal.start(
        makeIntent('r.3', 103, {
          body: {type: 'create', from: {clone: 900}, options: {}, secrets: [], marker: ['BC:24:11:00:00:01']},
        }),
      ),
    () => journal.noteAbsence('r.3', START_MS),
    () => journal.settle('r.3', ending('satisfied', {identity: {kind: 'lxc', vmid: 103, ids: ['a']}})),
    () => journal.start(makeIntent('r.4', 104)),
    () => journal.settle('r.4', ending('superseded', {by: 'recover'})),
    () => journal.start(makeIntent('r.5', 105, {body: {type: 'destroy'}, class: 'destructive'})),
    () => journal.settle('r.5', ending('abandoned', {by: 'operator'})),
    () => journal.start(makeIntent('r.6', 106)),
    () => journal.settle('r.6', ending('quarantined', {by: 'recover', reason: 'two tasks'})),
    () => journal.disarm([upidOf(7)]),
    () => journal.rearm([upidOf(7)]),
    () => journal.disarm([upidOf(8)]),
  ]
  for (const step of steps) {
    await step()
    onRecord()
  }
}

/** All that a journal knows, to be compared with what another knows. */
export function knowledgeOf(journal: JournalStore): unknown {
  return {
    open: journal.openOperations(),
    disarmed: journal.disarmed(),
    lastRun: journal.lastRun(),
    sinceMs: journal.knowsTasksSinceMs,
    tasks: [1, 2, 3, 4, 5, 6, 7, 8].map((number) => journal.knowsTask(upidOf(number))),
    keys: ['nonce-1', 'nonce-2', 'nonce-3'].map((key) => journal.usedKey(key)),
  }
}

/** A history without an open journal: what a reader sees. */
export async function readOperations(machine: MemoryDisk): Promise<string[]> {
  const view = await readJournal({disk: machine.mount(), dir: STATE})
  const seen: string[] = []
  for await (const {intent, state} of view.operations()) seen.push(`${intent.op} ${state}`)
  return seen
}
