// Where a guest came from, as far as our own journal proves it. What a guest, a tag or an intent says about itself is
// no evidence.
import {identifyGuest} from '../model/identity.ts'
import type {GateRequest} from './gate-request.ts'
import type {Provenance} from './ports.ts'

/** Whether nothing but our own work of this run, or what was made to be thrown away, can be lost. */
export function isOfOurMaking(
  {target, guest, run}: GateRequest,
  provenance: Provenance | undefined,
): boolean {
  if (!provenance || guest?.config.known !== true) return false
  const identity = identifyGuest(target, guest.config.current)
  if (identity.ids.length === 0) return false
  return (run !== undefined && provenance.createdInRun(run, identity)) || provenance.isScratch(identity)
}
