// What is open, and what recover would make of it. The list itself needs nothing but the journal: where Proxmox
// cannot be asked, it says so and lists all the same.
import type {Decision} from '../../engine/decide-recovery.ts'
import {FelhomError} from '../../model/felhom-error.ts'
import type {Operation} from '../../model/operation.ts'
import type {JournalView} from './journal-view.ts'
import {previewRecovery, type PreviewRequest} from './recover-preview.ts'

export interface InflightOperation {
  readonly operation: Operation
  /** Absent: Proxmox was not asked. */
  readonly decision?: Decision
}

export interface Inflight {
  readonly operations: readonly InflightOperation[]
  readonly disarmed: readonly string[]
  /** Why Proxmox was not asked, though it was to be. */
  readonly unasked?: string
}

/** `ask` undefined: the journal alone. */
export async function listInflight(view: JournalView, ask: PreviewRequest | undefined): Promise<Inflight> {
  const open = view.openOperations()
  const plain = {operations: open.map((operation) => ({operation})), disarmed: view.disarmed()}
  if (!ask || open.length === 0) return plain
  try {
    const {decisions, disarmed} = await previewRecovery(view, ask)
    const decided = new Map(decisions.map(({operation, decision}) => [operation.intent.op, decision]))
    const operations = open.map((operation) => {
      const decision = decided.get(operation.intent.op)
      return {operation, ...(decision && {decision})}
    })
    return {operations, disarmed}
  } catch (error) {
    if (!(error instanceof FelhomError) || error.code === 'unexpected' || error.code === 'interrupted')
      throw error
    return {...plain, unasked: error.message}
  }
}
