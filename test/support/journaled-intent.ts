// An intent as the journal would hand it back, for tests of what is done with one. No journal is behind it.
import type {GuestAddress} from '../../src/lib/model/guest.ts'
import type {Intent, JournaledIntent, OperationBody} from '../../src/lib/model/operation.ts'

export function journaledIntent(
  target: GuestAddress,
  body: OperationBody,
  more: Partial<Intent> = {},
): JournaledIntent {
  const intent: Intent = {
    op: '20260101T000000-0000.1',
    run: '20260101T000000-0000',
    target,
    body,
    class: 'benign',
    before: {run: 'unknown', options: {}},
    knownTasks: [],
    atMs: 0,
    ...more,
  }
  return intent as JournaledIntent
}

export const setConfig = (
  set: Readonly<Record<string, string>>,
  remove: readonly string[] = [],
): OperationBody => ({type: 'set-config', set, delete: remove})
