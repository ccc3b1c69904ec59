// What recover would do, from a journal that is only read. There is nothing in it that could write: neither to
// Proxmox nor to the journal.
import type {Journal} from '../../engine/ports.ts'
import {recover, type RecoverResult} from '../../engine/recover.ts'
import {FelhomError} from '../../model/felhom-error.ts'
import type {Settings} from '../../settings/settings.ts'
import {withProxmox} from '../compose.ts'
import type {JournalView} from './journal-view.ts'
import {systemClock} from '../system-clock.ts'

export interface PreviewRequest {
  readonly settings: Settings
  readonly env: NodeJS.ProcessEnv
  readonly signal: AbortSignal
}

export function previewRecovery(
  view: JournalView,
  {settings, env, signal}: PreviewRequest,
): Promise<RecoverResult> {
  return withProxmox(
    settings,
    env,
    async ({reader, tokenId}) => {
      refuseOther(view, settings, tokenId)
      // Recover has patience with a node that does not answer; with none that does, it would learn nothing.
      await reader.listNodes()
      return recover({
        reader,
        journal: asReadOnly(view),
        clock: systemClock,
        tokenId,
        settleMs: settings.recover.settleMs,
        waitMs: 0,
        signal,
        dryRun: true,
      })
    },
    {signal},
  )
}

/** Another cluster's answers would say nothing about these operations. */
export function refuseOther({identity}: JournalView, {endpoints}: Settings, tokenId: string): void {
  if (!identity || (endpoints.includes(identity.endpoint) && identity.tokenId === tokenId)) return
  throw new FelhomError(
    'journal_mismatch',
    `the journal is about ${identity.endpoint} as ${identity.tokenId}, the settings name ${endpoints.join(', ')} as ${tokenId}`,
    {
      hint: 'Use the settings under which the operations were started, or another state directory.',
      doubt: 'Nothing was changed.',
    },
  )
}

function asReadOnly(view: JournalView): Journal {
  const refuse = (): Promise<never> =>
    Promise.reject(new FelhomError('unexpected', 'a journal that is only read was written to'))
  return {
    openOperations: () => view.openOperations(),
    disarmed: () => view.disarmed(),
    knowsTask: (upid) => view.knowsTask(upid),
    knowsTasksSinceMs: view.knowsTasksSinceMs,
    start: refuse,
    taskRunning: refuse,
    settle: refuse,
    noteAbsence: refuse,
    disarm: refuse,
  }
}
