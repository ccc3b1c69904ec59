// Looks at the journal: whether it is whole, and whether something in it waits for somebody.
import {existsSync} from 'node:fs'
import {isFelhomError} from '../../model/felhom-error.ts'
import type {Finding} from '../../model/health.ts'
import {openJournalView} from '../journal/journal-view.ts'

/** No finding where there is no journal yet. */
export async function checkJournal(state: string): Promise<Finding[]> {
  if (!existsSync(state)) return []
  const base = {id: 'journal', title: 'Journal'}
  try {
    const view = await openJournalView({state})
    if (!view.identity) return []
    const open = view.openOperations().length
    if (open > 0) {
      const detail = open === 1 ? '1 operation is open' : `${open} operations are open`
      return [{...base, verdict: 'mend', detail, commands: ['felhom recover']}]
    }
    if (view.disarmed().length > 0) {
      const detail = 'Proxmox shows tasks of this token that the journal does not know'
      return [{...base, verdict: 'mend', detail, commands: ['felhom journal rearm']}]
    }
    return [{...base, verdict: 'ok', detail: `nothing is open; last run ${view.lastRun() ?? 'none'}`}]
  } catch (error) {
    if (!isFelhomError(error)) throw error
    const advice = error.hint === undefined ? {} : {advice: error.hint}
    return [{...base, verdict: 'mend', detail: error.message, ...advice}]
  }
}
