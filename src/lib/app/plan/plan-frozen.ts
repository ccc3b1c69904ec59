// What a plan cannot see in Proxmox: operations of earlier runs that have no end yet. Their guests are frozen, so
// whoever reads a plan must know of them, though the plan itself needs no journal.
import type {Operation} from '../../model/operation.ts'
import {describeFrozen} from '../../report/frozen-text.ts'
import type {Settings} from '../../settings/settings.ts'
import {openJournalView} from '../journal/journal-view.ts'

type Place = Pick<Settings, 'state' | 'endpoints'>

/** For a warning; undefined: nothing is open here. */
export async function warnOfFrozen(settings: Place): Promise<string | undefined> {
  try {
    return describeFrozen(await readOpen(settings))
  } catch (error) {
    // It may be another user's, or damaged: that keeps nobody from planning.
    const why = error instanceof Error ? error.message : String(error)
    return `The journal cannot be read, so it is not known whether guests are frozen: ${why}`
  }
}

/** Of another cluster's journal nothing is said here. */
async function readOpen(settings: Place): Promise<readonly Operation[]> {
  const view = await openJournalView(settings)
  const isOurs = view.identity !== undefined && settings.endpoints.includes(view.identity.endpoint)
  return isOurs ? view.openOperations() : []
}
