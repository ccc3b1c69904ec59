// The gate's own words for why not, those of the approvals left aside: each says what is wanted, and of whom.
import type {Refusal} from '../model/approval.ts'
import type {Unsupported} from './bind-action.ts'
import type {SignedJob} from './decide-signed.ts'

export const DISARMED: Refusal = {
  code: 'disarmed',
  message: 'Proxmox shows tasks of our token that the journal does not know: felhom journal rearm',
}

export const LIMIT_REACHED: Refusal = {
  code: 'limit_reached',
  message: 'as many guests are destroyed as gate.max_destroy allows in one run',
}

export const withheld = (message: string): Refusal => ({code: 'withheld', message})

/** What loses nothing is not said to lose anything: somebody has to know whom to ask. */
export function describeDemand({bound}: SignedJob, raisedBy: string | undefined): string {
  if (raisedBy !== undefined) return `${raisedBy} demands the signature of an operator`
  return bound.op === 'guest.change'
    ? 'it loses nothing, but the signature of an operator is demanded for it'
    : 'it can lose data and needs the signature of an operator'
}

export const noSigners = (demand: string): Refusal => ({
  code: 'pending_signature',
  message: `${demand}; no signer is pinned`,
})

export const unsupported = ({unsupported: why}: Unsupported, raisedBy: string | undefined): Refusal => ({
  code: 'pending_signature',
  message: `${raisedBy === undefined ? 'it can lose data' : `${raisedBy} demands a signature`}, and no signature can allow it: ${why}`,
})
