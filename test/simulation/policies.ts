// Ways of doing it wrong, each of which looks reasonable. They replace a part of felhom through its ports; the
// simulation must notice every one of them.
import type {GuestWriter, Journal, TaskReader} from '../../src/lib/engine/ports.ts'
import {decideRecovery, type DecideRecovery} from '../../src/lib/engine/decide-recovery.ts'
import {DispatchError} from '../../src/lib/model/dispatch-error.ts'
import type {JournaledIntent} from '../../src/lib/model/operation.ts'

export interface Policy {
  journal?(journal: Journal): Journal
  writer?(writer: GuestWriter): GuestWriter
  /** Of recover's reader. */
  tasks?(reader: TaskReader): TaskReader
  decide?: DecideRecovery
}

/** Methods of a class live on its prototype, so a spread would lose them. */
export function overlay<T extends object>(base: T, changes: Partial<T>): T {
  return new Proxy(base, {
    get(target, name) {
      const source = (name in changes ? changes : target) as Record<PropertyKey, unknown>
      const value = source[name]
      return typeof value === 'function' ? (value as (...args: unknown[]) => unknown).bind(source) : value
    },
  })
}

/** The disk is full? The change is more important than its record. */
export const logAndGoOn: Policy = {
  journal: (journal) =>
    overlay(journal, {
      start: (intent) => journal.start(intent).catch(() => intent as JournaledIntent),
      taskRunning: (op, upid) => journal.taskRunning(op, upid).catch(() => undefined),
      settle: (op, ending) => journal.settle(op, ending).catch(() => undefined),
    }),
}

/** No clear answer? Ask again. */
export const retryOnUnknown: Policy = {
  writer: (writer) => ({
    dispatch: async (intent, secrets) => {
      try {
        return await writer.dispatch(intent, secrets)
      } catch (error) {
        if (!(error instanceof DispatchError) || error.executed !== 'ambiguous') throw error
        return writer.dispatch(intent, secrets)
      }
    },
  }),
}

/** Proxmox's own default of where to look for tasks: it hides those that run. */
export const searchArchiveOnly: Policy = {
  tasks: (reader) =>
    overlay(reader, {listTasks: (node, filter) => reader.listTasks(node, {...filter, source: 'archive'})}),
}

/** No task is there? Then it never ran, and can be asked for again. */
export const retryOnNone: Policy = {
  decide: (operation, remote, sight, nowMs) => {
    const {type} = operation.intent.body
    const isOnce = type === 'create' || type === 'destroy'
    if (isOnce && (remote.task === 'none' || remote.task === 'unsettled'))
      return {verdict: 'failed', reason: 'no task of it was found'}
    return decideRecovery(operation, remote, sight, nowMs)
  },
}

/** What is open holds up nobody: the newer operation takes the place of the older. */
export const noFreeze: Policy = {
  journal: (journal) =>
    overlay(journal, {
      openOperations: () => [],
      start: async (intent) => {
        const rivals = journal.openOperations().filter((one) => one.intent.target.vmid === intent.target.vmid)
        const ending = {state: 'superseded', by: 'recover', reason: `by ${intent.op}`} as const
        for (const {intent: rival} of rivals) await journal.settle(rival.op, ending)
        return journal.start(intent)
      },
    }),
}

export const WRONG_POLICIES: Readonly<Record<string, Policy>> = {
  'log and go on': logAndGoOn,
  'retry on unknown': retryOnUnknown,
  'search the archive only': searchArchiveOnly,
  'retry on none': retryOnNone,
  'no freeze': noFreeze,
}
