// Whether an entry may follow on what is known. One set of rules for what is to be written and for what is read
// back: what could never have been written is not believed.
import type {ErrorCode} from '../../model/error-codes.ts'
import {involvedVmids, type Intent, type Operation} from '../../model/operation.ts'
import {isSettled, operationOf, type JournalEntry} from './journal-record.ts'
import type {JournalState} from './journal-state.ts'

export interface Objection {
  readonly code: ErrorCode
  readonly message: string
}

const object = (code: ErrorCode, message: string): Objection => ({code, message})

export function judgeEntry(state: JournalState, entry: JournalEntry): Objection | undefined {
  if (entry.type === 'started') return judgeStart(state, entry.intent)
  const op = operationOf(entry)
  if (op === undefined) return undefined
  const operation = state.findOpen(op)
  if (!operation)
    return object('unexpected', `${op} has ended, or was never started: ${entry.type} cannot follow`)
  if (entry.type === 'task_running') return judgeTask(operation, entry.upid)
  if (isSettled(entry) && operation.state === 'quarantined' && entry.by === 'engine')
    return object('unexpected', `${op} is quarantined: only recover or the operator may settle it`)
  return undefined
}

function judgeStart(state: JournalState, intent: Intent): Objection | undefined {
  const {op, key} = intent
  if (key !== undefined && state.keys.has(key))
    return object('key_used', `an operation was started under the key ${key} before; ${op} is not`)
  if (state.findOpen(op)) return object('unexpected', `${op} was started before`)
  for (const vmid of involvedVmids(intent)) {
    const other = state.frozenBy(vmid)
    if (other !== undefined)
      return object('guest_frozen', `guest ${vmid} is frozen: operation ${other} is open`)
  }
  return undefined
}

/** One operation is one request, and one request starts one task. */
function judgeTask({intent, upid}: Operation, other: string): Objection | undefined {
  if (upid === undefined || upid === other) return undefined
  return object('unexpected', `${intent.op} has the task ${upid}; ${other} cannot be its task too`)
}
