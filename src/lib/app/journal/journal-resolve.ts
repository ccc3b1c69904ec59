// Before the operator's word on an operation is taken: which one is meant, and whether there is still something to
// wait for. Nothing is changed here.
import {FelhomError} from '../../model/felhom-error.ts'
import {findOpen} from './journal-find.ts'
import {listInflight, type InflightOperation} from './journal-inflight.ts'
import type {JournalView} from './journal-view.ts'
import type {PreviewRequest} from './recover-preview.ts'

export interface ResolveRequest {
  /** undefined: the journal alone. */
  readonly ask: PreviewRequest | undefined
  /** Even if recover would still wait. */
  readonly force: boolean
}

export interface Considered {
  readonly open: InflightOperation
  /** Why Proxmox was not asked, though it was to be. */
  readonly unasked?: string
}

export async function considerResolution(
  view: JournalView,
  name: string,
  {ask, force}: ResolveRequest,
): Promise<Considered> {
  const {op} = findOpen(view.openOperations(), name).intent
  const {operations, unasked} = await listInflight(view, ask)
  const open = operations.find(({operation}) => operation.intent.op === op)
  if (!open) throw new FelhomError('unexpected', `${op} is lost among the open operations`)
  if (!force) refuseWhileWaiting(open)
  return {open, ...(unasked !== undefined && {unasked})}
}

/** A task that ends after the guest was released would be taken for somebody else's. */
function refuseWhileWaiting({operation, decision}: InflightOperation): void {
  if (decision?.verdict !== 'wait' && decision?.verdict !== 'stay') return
  throw new FelhomError('needs_recover', `${operation.intent.op} may not be over: ${decision.reason}`, {
    hint: 'Come back later, or let felhom recover settle it. If you know better, say --force.',
    doubt: 'Nothing was changed; the guest stays frozen.',
  })
}
