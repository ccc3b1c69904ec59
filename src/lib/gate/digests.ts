// The digests that bind a signature: to an action, to the guest that has the number now, to what was seen of it, and
// of the signed bytes themselves. All but the last are taken over canonical JSON.
import {createHash} from 'node:crypto'
import type {ConfigTexts, PendingChange} from '../model/actual.ts'
import type {BoundAction, CanonicalValue, ClaimedTarget} from '../model/approval.ts'
import type {GuestIdentity} from '../model/identity.ts'
import type {Snapshot} from '../model/snapshot.ts'
import {writeCanonical} from './canonical-json.ts'

/** A guest as it was read; the order of what is listed does not count. */
export interface ObservedGuest {
  readonly config: ConfigTexts
  readonly pending: readonly PendingChange[]
  readonly snapshots: readonly Pick<Snapshot, 'name' | 'parent' | 'snaptime'>[]
  readonly lock: string | undefined
}

export function statementDigest(bytes: Uint8Array | string): string {
  return `sha256:${createHash('sha256').update(bytes).digest('hex')}`
}

export function actionDigest({op, params, target}: ActionClaim): string {
  return statementDigest(canonicalAction({op, params, target}))
}

export type ActionClaim = Omit<BoundAction, 'target'> & {readonly target: ClaimedTarget}

/** Two actions are the same if this text is. */
export function canonicalAction({op, params, target: {kind, node, vmid, identity}}: ActionClaim): string {
  return writeCanonical({op, params, target: {kind, node, vmid, identity}})
}

export function identityDigest({kind, vmid, ids}: GuestIdentity): string {
  return digestValue({kind, vmid, ids: [...ids].sort()})
}

/** Throws Malformed if a text of the guest is no Unicode. */
export function observedDigest({config, pending, snapshots, lock}: ObservedGuest): string {
  const byKey = (a: {key: string}, b: {key: string}): number => (a.key < b.key ? -1 : 1)
  const listed = <T>(items: readonly T[], key: (item: T) => string, show: (item: T) => CanonicalValue) =>
    items
      .map((item) => ({key: key(item), value: show(item)}))
      .sort(byKey)
      .map(({value}) => value)
  return digestValue({
    config,
    pending: listed(
      pending,
      ({option}) => option,
      (change) => ({...change}),
    ),
    snapshots: listed(
      snapshots,
      ({name}) => name,
      ({name, parent = null, snaptime = null}) => ({name, parent, snaptime}),
    ),
    lock: lock ?? null,
  })
}

const digestValue = (value: CanonicalValue): string => statementDigest(writeCanonical(value))
