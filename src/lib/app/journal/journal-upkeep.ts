// What the operator does to the journal, under its lock: to resolve an operation, to re-arm, to compact. None of it
// talks to Proxmox, and none of it makes a journal where there is none.
import {FelhomError} from '../../model/felhom-error.ts'
import {isOpen, type Operation} from '../../model/operation.ts'
import type {Settings} from '../../settings/settings.ts'
import type {Compaction, CompactOptions, JournalStore} from '../../store/open-journal.ts'
import type {OpenAudit} from '../../store/audit/open-audit.ts'
import {openJournalView} from './journal-view.ts'
import {withState} from '../state/open-state.ts'

export interface UpkeepRequest {
  readonly settings: Pick<Settings, 'state'>
  readonly holder: string
  readonly lockTimeoutMs: number
  readonly signal: AbortSignal
  readonly warn: (text: string) => void
  readonly onLocked: (holder: string) => void
}

export interface Resolution {
  readonly as: 'succeeded' | 'failed'
  readonly reason: string
}

/** `seen` is what the operator was shown: if it is no longer so, it is not what was decided about. */
export function resolveOperation(
  request: UpkeepRequest,
  seen: Operation,
  {as, reason}: Resolution,
): Promise<Operation> {
  const {op} = seen.intent
  return withJournal(request, async (journal) => {
    const now = journal.find(op)
    if (!now || !isOpen(now) || now.state !== seen.state || now.sinceMs !== seen.sinceMs) {
      const state = now ? `it is ${now.state} now` : 'it is not open any more'
      throw changedMeanwhile(`${op} has changed since it was shown: ${state}`, `felhom journal show ${op}`)
    }
    await journal.settle(op, {state: as, by: 'operator', reason})
    return journal.find(op) ?? {...now, state: as, by: 'operator', reason}
  })
}

/** The audit first: what is not in it has not happened. */
export function rearm(request: UpkeepRequest, seen: readonly string[]): Promise<void> {
  return withJournal(request, async (journal, audit) => {
    const unseen = journal.disarmed().filter((upid) => !seen.includes(upid))
    if (unseen.length > 0) {
      throw changedMeanwhile('more unknown tasks were found since these were shown', 'felhom journal rearm')
    }
    await audit.note({type: 'journal_rearmed', tasks: seen, by: 'operator'})
    await journal.rearm(seen)
  })
}

export function compactJournal(request: UpkeepRequest, options: CompactOptions): Promise<Compaction> {
  return withJournal(request, (journal) => journal.compact(options))
}

/** The journal keeps the identity that it has: upkeep needs neither endpoint nor token. */
async function withJournal<T>(
  {settings, onLocked, ...request}: UpkeepRequest,
  work: (journal: JournalStore, audit: OpenAudit) => Promise<T>,
): Promise<T> {
  const {identity} = await openJournalView(settings)
  if (!identity) {
    throw new FelhomError('usage', `there is no journal in ${settings.state}`, {
      hint: 'The setting state names the directory; felhom apply makes it.',
      doubt: 'Nothing was changed.',
    })
  }
  return withState({...request, dir: settings.state, identity, onWait: onLocked}, ({journal, audit}) =>
    work(journal, audit),
  )
}

const changedMeanwhile = (message: string, command: string): FelhomError =>
  new FelhomError('declined', message, {
    hint: `Look at it again with: ${command}`,
    doubt: 'Nothing was changed.',
  })
