// What our own journal proves to the gate: which guests a run has made itself, and what became of an approval.
import type {Provenance} from '../../gate/ports.ts'
import type {JournalStore} from '../../store/open-journal.ts'

export type JournalEvidence = Pick<JournalStore, 'hasCreated' | 'findByKey' | 'usedKey'>

/** Nothing that felhom creates is recorded as scratch today, so that no guest is taken for it. */
export const provenanceOf = (journal: JournalEvidence): Provenance => ({
  createdInRun: (run, identity) => journal.hasCreated(run, identity),
  isScratch: () => false,
})

/** Of an approval that was used. */
export function describeUse(journal: Pick<JournalStore, 'findByKey' | 'usedKey'>, nonce: string): string {
  const operation = journal.findByKey(nonce)
  if (operation) return `operation ${operation.intent.op} (${operation.state.replace('_', ' ')})`
  if (journal.usedKey(nonce)) return 'it was sent; felhom journal list tells what came of it'
  return 'nothing was sent under it, and a new signature is needed'
}
