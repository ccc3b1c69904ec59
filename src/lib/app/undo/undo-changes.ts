// The use case behind `felhom undo`: an apply of the way back of an earlier run. What that way is, is decided under
// the lock, from the journal and the cluster as they are then.
import type {ActualCluster} from '../../model/actual.ts'
import type {Operation} from '../../model/operation.ts'
import type {Plan} from '../../model/plan.ts'
import type {UndoAccount} from '../../model/undo.ts'
import {findConflicts} from '../../plan/plan-undo-conflicts.ts'
import {NO_EXTENSIONS, type Extensions} from '../../plugin/extensions.ts'
import type {Settings} from '../../settings/settings.ts'
import {applyChanges, type ApplyOutcome, type ApplyRequest} from '../apply/apply-changes.ts'
import type {ApplyDialogue} from '../apply/apply-dialogue.ts'
import type {PlannedWork} from '../apply/apply-work.ts'
import {withProxmox} from '../compose.ts'
import {openJournalView, type JournalView} from '../journal/journal-view.ts'
import {openDesired} from '../source/open-desired.ts'
import {reviewThrough} from '../plan/plan-signatures.ts'
import {rulesOf} from '../plugins/plugin-rules.ts'
import {refuseOther} from '../journal/recover-preview.ts'
import {findLatestRun, findNamedRun} from './undo-find.ts'
import {planUndo, type PlannedUndo} from './undo-work.ts'
import {useDesired} from '../source/use-desired.ts'

export interface UndoRequest {
  /** The run, or the beginning or the end of its name; undefined: the latest that has something to undo. */
  readonly name: string | undefined
  readonly targets: readonly string[]
  readonly cwd: string
  readonly settings: Settings
  readonly env: NodeJS.ProcessEnv
  readonly approvalFiles?: readonly string[]
  readonly extensions?: Extensions
}

export interface UndoListener {
  /** Told before the plan is shown. */
  about(account: UndoAccount): void
}

export async function undoChanges(
  request: UndoRequest & Pick<ApplyRequest, 'lockTimeoutMs' | 'autoApprove'>,
  dialogue: ApplyDialogue & UndoListener,
): Promise<ApplyOutcome> {
  const {settings, env, lockTimeoutMs, autoApprove, approvalFiles = [], extensions} = request
  // A name that means nothing is told at once, whoever holds the lock.
  const name = await nameRun(request)
  const plan = async (actual: ActualCluster): Promise<PlannedWork> => {
    const {account, planned} = await planFromJournal({...request, name}, actual, dialogue.giveUp)
    dialogue.about(account)
    return planned
  }
  const work = {isSaved: false, plan, readSecrets: () => ({})}
  const rest = {settings, env, lockTimeoutMs, autoApprove, approvalFiles, ...(extensions && {extensions})}
  return applyChanges({work, ...rest, holder: 'felhom undo'}, dialogue)
}

/** Reads only, and takes no lock. */
export async function previewUndo(
  request: UndoRequest,
  dialogue: ApplyDialogue & UndoListener,
): Promise<ApplyOutcome> {
  const {settings, env, cwd, approvalFiles = [], extensions = NO_EXTENSIONS} = request
  const name = await nameRun(request)
  const warn = (text: string): void => {
    dialogue.warn(text)
  }
  return withProxmox(
    settings,
    env,
    async ({reader, tokenId}) => {
      refuseOther(await openJournalView(settings), settings, tokenId)
      const actual = await reader.readCluster()
      const {account, planned} = await planFromJournal({...request, name}, actual, dialogue.giveUp)
      const review = reviewThrough(reader, {settings, warn, approvalFiles, rules: rulesOf(extensions, cwd)})
      const plan = await review(planned.plan, actual, () => Promise.resolve([]))
      dialogue.about(account)
      dialogue.showPlan(plan)
      return {run: undefined, results: [], hadChanges: false, verdict: undefined}
    },
    {signal: dialogue.giveUp},
  ).catch((error: unknown) => {
    // Whatever broke because of the signal is told as the signal.
    dialogue.giveUp.throwIfAborted()
    throw error
  })
}

const nameRun = async ({name, settings}: UndoRequest): Promise<string | undefined> =>
  name === undefined ? undefined : findNamedRun(await openJournalView(settings), name)

async function planFromJournal(
  request: UndoRequest,
  actual: ActualCluster,
  signal: AbortSignal,
): Promise<{account: UndoAccount; planned: PlannedUndo}> {
  const {name, targets, settings} = request
  const view = await openJournalView(settings)
  const {run, newer} = name === undefined ? await findLatestRun(view) : {run: name, newer: undefined}
  const operations = run === undefined ? [] : await readRun(view, run)
  const planned = planUndo(run ?? 'nothing', operations, actual, run === undefined ? [] : targets)
  const hasActions = planned.plan.guests.some(({actions}) => actions.length > 0)
  return {
    planned,
    account: {
      run,
      atMs: operations.length === 0 ? undefined : Math.min(...operations.map(({intent}) => intent.atMs)),
      newer: run === undefined ? undefined : newer,
      remarks: planned.remarks,
      conflicts: hasActions ? await findDesiredConflicts(request, planned.plan, signal) : [],
    },
  }
}

async function readRun(view: JournalView, run: string): Promise<Operation[]> {
  const operations: Operation[] = []
  for await (const operation of view.operations({run})) operations.push(operation)
  return operations
}

/** The files serve a warning here: what is wrong with them is no reason against the undo. */
async function findDesiredConflicts(
  {cwd, settings, env, extensions}: UndoRequest,
  plan: Plan,
  signal: AbortSignal,
): Promise<readonly string[] | undefined> {
  try {
    const {desired: setting, secrets} = settings
    const desired = await useDesired(
      openDesired({cwd, paths: [], setting, secrets, env, signal, ...(extensions && {extensions})}),
    )
    return findConflicts(plan, desired)
  } catch {
    signal.throwIfAborted()
    return undefined
  }
}
