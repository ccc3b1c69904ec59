// What a signed statement asks for, as work, and whether the work that comes of it is that and nothing else. It was
// not verified when this is asked: the gate does that, for what can be signed for at all.
import {bindAction} from '../../../gate/bind-action.ts'
import {canonicalAction} from '../../../gate/digests.ts'
import type {ActualCluster} from '../../../model/actual.ts'
import type {Statement} from '../../../model/approval.ts'
import {formatGuestId} from '../../../model/guest.ts'
import type {GuestPlan} from '../../../model/plan.ts'
import type {GuestJob} from '../../gate/run-signed-job.ts'

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

/**
 * Why this plan is not what the statement says, as one clause. What loses nothing would need no signature, so that a
 * job of it would be anybody's word.
 */
export function findDeviation(
  plan: GuestPlan,
  {guests}: ActualCluster,
  statement: Statement,
): string | undefined {
  const main = plan.actions.at(-1)
  const guest = guests.find(({vmid, kind}) => vmid === plan.vmid && kind === plan.kind)
  if (!main || !guest) return 'there is nothing that it could be about'
  const others = plan.actions.slice(0, -1)
  if (main.class !== 'destructive') return 'what it asks for can lose nothing, and is no work for a job'
  if (others.some(({type}) => type !== 'shutdown' || main.type !== 'destroy'))
    return 'more would have to be done than it asks for'
  const bound = bindAction(main, guest, guest)
  if ('unsupported' in bound) return bound.unsupported
  return canonicalAction(bound) === canonicalAction(statement)
    ? undefined
    : 'it was made for another operation, or for the guest as it was'
}
