// The decision table: how the task ended × how the guest stands → what becomes of the operation. There is a
// table for each kind of operation. No cell sends anything; what is desired is planned anew.
import type {
  BlindStanding,
  ConfigStanding,
  CreationStanding,
  DestructionStanding,
  LevelStanding,
  SnapshotStanding,
} from './recovery-standing.ts'

/** `failed` and `superseded`: what is still desired is planned again, as something new. */
export type Settled = 'succeeded' | 'satisfied' | 'failed' | 'superseded'

/** `absent_twice`: failed once the guest was absent at two looks, ten minutes apart. */
export type Cell = Settled | 'quarantine' | 'absent_twice'

/** Of a task that runs there is nothing to decide but to wait. */
export type TaskEnd = 'ok' | 'failed' | 'unexpected' | 'lost' | 'none'

export type Table<Standing extends string> = Readonly<Record<TaskEnd, Readonly<Record<Standing, Cell>>>>

/** They ask for a state: whatever happened, the state shows what remains to be done. */
export const LEVEL: Table<LevelStanding> = {
  ok: {reached: 'succeeded', untouched: 'failed', changed: 'superseded'},
  failed: {reached: 'satisfied', untouched: 'failed', changed: 'failed'},
  unexpected: {reached: 'satisfied', untouched: 'failed', changed: 'superseded'},
  lost: {reached: 'satisfied', untouched: 'failed', changed: 'superseded'},
  none: {reached: 'satisfied', untouched: 'failed', changed: 'superseded'},
}

/** A level too, but for what is written and cannot be read: there is no comparing, and a plan would not miss it. */
export const CONFIG: Table<ConfigStanding> = {
  ok: {...LEVEL.ok, unreadable: 'quarantine'},
  failed: {...LEVEL.failed, unreadable: 'quarantine'},
  unexpected: {...LEVEL.unexpected, unreadable: 'quarantine'},
  lost: {...LEVEL.lost, unreadable: 'quarantine'},
  none: {...LEVEL.none, unreadable: 'quarantine'},
}

/** A disk only grows, to an absolute size: the size shows what remains to be done. */
export const RESIZE: Table<LevelStanding> = {
  ok: {reached: 'succeeded', untouched: 'failed', changed: 'superseded'},
  failed: {reached: 'satisfied', untouched: 'failed', changed: 'failed'},
  unexpected: {reached: 'satisfied', untouched: 'failed', changed: 'superseded'},
  lost: {reached: 'satisfied', untouched: 'failed', changed: 'superseded'},
  none: {reached: 'satisfied', untouched: 'failed', changed: 'superseded'},
}

/**
 * Debris, or a guest of somebody else under the same number, is for a person to look at. What bears our marker and
 * no lock is complete; without a marker only the task's own word says that the guest is ours.
 */
export const CREATION: Table<CreationStanding> = {
  ok: {ours: 'succeeded', unmarked: 'succeeded', absent: 'quarantine', foreign: 'quarantine'},
  failed: {ours: 'quarantine', unmarked: 'quarantine', absent: 'failed', foreign: 'quarantine'},
  unexpected: {ours: 'quarantine', unmarked: 'quarantine', absent: 'failed', foreign: 'quarantine'},
  lost: {ours: 'satisfied', unmarked: 'quarantine', absent: 'quarantine', foreign: 'quarantine'},
  none: {ours: 'satisfied', unmarked: 'quarantine', absent: 'absent_twice', foreign: 'quarantine'},
}

/** Never asked for again: what is still there needs a person, and a new signature. */
export const DESTRUCTION: Table<DestructionStanding> = {
  ok: {absent: 'succeeded', intact: 'quarantine', doubtful: 'quarantine', another: 'succeeded'},
  failed: {absent: 'quarantine', intact: 'failed', doubtful: 'quarantine', another: 'quarantine'},
  unexpected: {absent: 'satisfied', intact: 'quarantine', doubtful: 'quarantine', another: 'quarantine'},
  lost: {absent: 'satisfied', intact: 'quarantine', doubtful: 'quarantine', another: 'quarantine'},
  none: {absent: 'satisfied', intact: 'quarantine', doubtful: 'quarantine', another: 'quarantine'},
}

/** As a destruction: what was told to be lost, and is still there, needs a person. */
export const SNAPSHOT: Table<SnapshotStanding> = {
  ok: {gone: 'succeeded', kept: 'quarantine', locked: 'quarantine', another: 'succeeded'},
  failed: {gone: 'quarantine', kept: 'failed', locked: 'quarantine', another: 'quarantine'},
  unexpected: {gone: 'satisfied', kept: 'quarantine', locked: 'quarantine', another: 'quarantine'},
  lost: {gone: 'satisfied', kept: 'quarantine', locked: 'quarantine', another: 'quarantine'},
  none: {gone: 'satisfied', kept: 'quarantine', locked: 'quarantine', another: 'quarantine'},
}

/** Only the task's own word says that it took place; a guest that is untouched says that a failed task did nothing. */
export const BLIND: Table<BlindStanding> = {
  ok: {intact: 'succeeded', blind: 'succeeded'},
  failed: {intact: 'failed', blind: 'quarantine'},
  unexpected: {intact: 'quarantine', blind: 'quarantine'},
  lost: {intact: 'quarantine', blind: 'quarantine'},
  none: {intact: 'quarantine', blind: 'quarantine'},
}
