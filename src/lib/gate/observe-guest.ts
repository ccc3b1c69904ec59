// What an operator saw of a guest and what is there now, as one digest each: if the two differ, somebody has changed
// it since, and the signature is for a guest that no longer is.
import type {ActualGuest} from '../model/actual.ts'
import {FelhomError} from '../model/felhom-error.ts'
import type {Snapshot} from '../model/snapshot.ts'
import {observedDigest} from './digests.ts'

/** Of a guest whose config was read: of any other nobody can say what would be lost. */
export function observeGuest({config, lock}: ActualGuest, snapshots: readonly Snapshot[]): string {
  if (!config.known) throw new FelhomError('unexpected', 'a guest was observed whose config is not known')
  return observedDigest({config: config.current, pending: config.pending, snapshots, lock})
}
