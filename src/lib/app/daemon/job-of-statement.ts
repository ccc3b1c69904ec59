// What a signed statement asks for, as work. It was not verified when this is asked: the gate compares what comes of
// it with what was signed.
import type {Statement} from '../../model/approval.ts'
import {formatGuestId} from '../../model/guest.ts'
import type {GuestJob} from '../run-signed-job.ts'

/** Undefined: nobody here has the means for it. */
export function jobOfStatement({op, target, params}: Statement): GuestJob | undefined {
  const {kind, vmid} = target
  if (typeof vmid !== 'number' || (kind !== 'lxc' && kind !== 'qemu')) return undefined
  const guest = formatGuestId({kind, vmid})
  switch (op) {
    case 'guest.destroy':
      return {op, guest}
    case 'snapshot.delete':
    case 'snapshot.rollback': {
      const snapshot = params['snapshot']
      return typeof snapshot === 'string' ? {op, guest, snapshot} : undefined
    }
    case 'volume.detach':
    case 'volume.remove': {
      const option = params['option']
      return typeof option === 'string' ? {op, guest, option} : undefined
    }
    default:
      return undefined
  }
}
