// Makes a damaged journal usable again, at the operator's word only. What is damaged is set aside, never thrown
// away; all that can still be trusted is carried over; and since something may be missing, destructive work is
// disarmed until the operator re-arms it.
import {involvedVmids} from '../model/operation.ts'
import {journalKind} from './journal/journal-kind.ts'
import type {JournalRecord} from './journal/journal-record.ts'
import {JournalState} from './journal/journal-state.ts'
import type {OpenJournalOptions} from './journal/journal-store.ts'
import {KnownTasks} from './journal/known-tasks.ts'
import type {LogRecord} from './log/log-kind.ts'
import {repairLog, type LogRepair} from './log/repair-log.ts'
import {journalLog} from './open-journal.ts'

export type JournalRepair = LogRepair

/** The caller holds the lock. */
export function repairJournal(options: OpenJournalOptions): Promise<JournalRepair> {
  const {clock} = options
  return repairLog({
    ...journalLog(options),
    take: takeSalvaged,
    begin: () => new JournalState({tasks: new KnownTasks(clock.now())}),
    distrust: (state, {lost}) => {
      const at = new Date(clock.now()).toISOString()
      state.disarmed.add(`the journal was repaired at ${at}, ${lost} line${lost === 1 ? '' : 's'} lost`)
    },
  })
}

/** A later start proves that what kept its guest busy has ended, even if the record of that is lost. */
function takeSalvaged(state: JournalState, record: LogRecord): void {
  const started = record as JournalRecord
  if (started.type === 'started') {
    for (const vmid of involvedVmids(started.intent)) {
      const op = state.frozenBy(vmid)
      if (op === undefined) continue
      const reason = 'its end is lost; a later operation of the guest was started'
      state.take({type: 'superseded', op, by: 'operator', reason, seq: record.seq, at: record.at})
    }
  }
  journalKind.apply(state, record)
}
