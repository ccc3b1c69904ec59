// How a guest stands towards an operation whose end is not known, in the words that recovery decides by. Undefined:
// it cannot be told from what could be read.
import {identifyGuest, isSameIdentity} from '../model/identity.ts'
import type {Intent, OperationBody} from '../model/operation.ts'
import {assessOperation} from './assess-operation.ts'
import type {Sight} from './recovery-facts.ts'

export type LevelStanding = 'reached' | 'untouched' | 'changed'

/** `unreadable`: a secret that cannot be read back, in a config that was changed since, by us or by others. */
export type ConfigStanding = LevelStanding | 'unreadable'

/** `unmarked`: there, complete, and of a creation that left no mark by which it could be told from another. */
export type CreationStanding = 'ours' | 'unmarked' | 'absent' | 'foreign'

/** `doubtful`: locked, or nothing tells this guest from another; it may be what remains of it. */
export type DestructionStanding = 'absent' | 'intact' | 'doubtful' | 'another'

/** `locked`: the snapshot is there, and so is the lock of a deletion, or of something else, that has not ended. */
export type SnapshotStanding = 'gone' | 'kept' | 'locked' | 'another'

/** `blind`: nothing that can be read tells whether it took place. */
export type BlindStanding = 'intact' | 'blind'

export type RecoveryStanding =
  ConfigStanding | CreationStanding | DestructionStanding | SnapshotStanding | BlindStanding

export function levelStanding(intent: Intent, sight: Sight): LevelStanding | undefined {
  if (sight.guest === 'unknown') return undefined
  const standing = assessOperation(intent, sight.guest === 'present' ? sight.actual : undefined)
  return standing === 'unknown' ? undefined : standing
}

export function configStanding(
  intent: Intent,
  {set, delete: removed, secrets = []}: Extract<OperationBody, {type: 'set-config'}>,
  sight: Sight,
): ConfigStanding | undefined {
  const standing = levelStanding(intent, sight)
  // One write does all or nothing: what can be read back vouches for the secret beside it.
  const isVacuous = Object.keys(set).length + removed.length === 0 && secrets.length > 0
  if (standing !== 'reached' || !isVacuous || sight.guest !== 'present') return standing
  const {config} = sight.actual
  return config.known && config.digest === intent.digest ? 'untouched' : 'unreadable'
}

export function creationStanding(
  {target}: Intent,
  {marker}: Extract<OperationBody, {type: 'create'}>,
  sight: Sight,
): CreationStanding | undefined {
  if (sight.guest === 'unknown') return undefined
  if (sight.guest === 'absent') return 'absent'
  const {kind, lock, config} = sight.actual
  if (kind !== target.kind) return 'foreign'
  if (!config.known) return undefined
  if (lock !== undefined) return 'foreign'
  if (marker.length === 0) return 'unmarked'
  const texts = Object.values(config.current).join('\n').toUpperCase()
  return marker.every((address) => texts.includes(address.toUpperCase())) ? 'ours' : 'foreign'
}

export function destructionStanding(
  {identity, target}: Intent,
  sight: Sight,
): DestructionStanding | undefined {
  if (sight.guest === 'unknown') return undefined
  if (sight.guest === 'absent') return 'absent'
  const {kind, vmid, lock, config} = sight.actual
  if (kind !== target.kind) return 'another'
  if (!config.known) return undefined
  if (lock !== undefined || !identity || identity.ids.length === 0) return 'doubtful'
  return isSameIdentity(identity, identifyGuest({kind, vmid}, config.current)) ? 'intact' : 'another'
}

export function snapshotStanding(
  intent: Intent,
  {snapshot}: Extract<OperationBody, {type: 'snapshot-delete'}>,
  sight: Sight,
): SnapshotStanding | undefined {
  if (sight.guest === 'unknown') return undefined
  if (sight.guest === 'absent') return 'another'
  const {actual, snapshots} = sight
  if (!snapshots || !actual.config.known) return undefined
  if (assessOperation(intent, actual, snapshots) === 'changed') return 'another'
  if (!snapshots.some(({name}) => name === snapshot)) return 'gone'
  return actual.lock === undefined ? 'kept' : 'locked'
}

/** That nothing was changed can be told, if the guest can be seen; that it was rolled back cannot. */
export function rollbackStanding(intent: Intent, sight: Sight): BlindStanding {
  const guest = sight.guest === 'present' ? sight.actual : undefined
  return guest && assessOperation(intent, guest) === 'untouched' ? 'intact' : 'blind'
}
