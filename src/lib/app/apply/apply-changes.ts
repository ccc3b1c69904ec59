// The use case behind `felhom apply`: the state directory locked, interrupted work settled first, then plan, word of
// the operator, run. Until the run begins nothing is sent; what it sends is in the journal before it leaves.
import type {Clock} from '../../engine/ports.ts'
import {recover, type RecoverResult} from '../../engine/recover.ts'
import type {ClassRule} from '../../gate/classify.ts'
import type {FullGate} from '../../gate/gate.ts'
import type {ErrorCode} from '../../model/error-codes.ts'
import {frozenVmids} from '../../model/operation.ts'
import {NO_EXTENSIONS, type Extensions} from '../../plugin/extensions.ts'
import type {Reader} from '../../pve/read.ts'
import type {Settings} from '../../settings/settings.ts'
import type {ApplyDialogue} from './apply-dialogue.ts'
import {carryOut, countPossible, countTriable, resultsWithoutRun, type RunOutcome} from './apply-run.ts'
import type {ApplyWork, PlannedWork} from './apply-work.ts'
import {openProxmoxForWriting, type WritingAccess} from '../compose.ts'
import {judgeApply} from './judge-apply.ts'
import {withState, type OpenState} from '../state/open-state.ts'
import {hasChanges} from '../plan/plan-cluster.ts'
import {findUnseen, refuseMistakes} from '../plan/plan-errors.ts'
import {rulesOf} from '../plugins/plugin-rules.ts'
import {warnOfSuspended} from '../plan/plan-suspended.ts'
import {createInspector, showSignatures, type Inspector} from '../gate/signature-state.ts'
import {systemClock} from '../system-clock.ts'

export interface ApplyRequest {
  readonly work: ApplyWork
  readonly settings: Settings
  readonly env: NodeJS.ProcessEnv
  readonly lockTimeoutMs: number
  readonly autoApprove: boolean
  /** Approvals named on the command line, absolute; those of the approvals directory are looked at anyway. */
  readonly approvalFiles?: readonly string[]
  readonly extensions?: Extensions
  /** What this is, for those who have to wait for it; absent: `felhom apply`. */
  readonly holder?: string
}

export interface ApplyOutcome extends RunOutcome {
  /** Whether there was anything to do. */
  readonly hadChanges: boolean
  /** What keeps it from being a plain success. */
  readonly verdict: ErrorCode | undefined
}

const RECOVER_WAIT_MS = 60_000

export async function applyChanges(request: ApplyRequest, dialogue: ApplyDialogue): Promise<ApplyOutcome> {
  const {settings, env, lockTimeoutMs, holder = 'felhom apply'} = request
  const access = await openProxmoxForWriting(settings, env)
  // Only before the run: what runs is awaited, and its answers must come through.
  const cutOff = (): void => void access.close()
  dialogue.giveUp.addEventListener('abort', cutOff)
  try {
    const state = {
      dir: settings.state,
      identity: {endpoint: access.endpoint, tokenId: access.tokenId},
      holder,
      lockTimeoutMs,
      warn: (text: string) => {
        dialogue.warn(text)
      },
      onWait: (other: string) => {
        dialogue.waitingForLock(other)
      },
      signal: dialogue.giveUp,
    }
    return await withState(state, (opened) => applyIn(opened, access, request, dialogue))
  } catch (error) {
    // Whatever broke because of the signal is told as the signal.
    dialogue.giveUp.throwIfAborted()
    throw error
  } finally {
    dialogue.giveUp.removeEventListener('abort', cutOff)
    await access.close()
  }
}

async function applyIn(
  state: OpenState,
  access: WritingAccess,
  request: ApplyRequest,
  dialogue: ApplyDialogue,
): Promise<ApplyOutcome> {
  const {work, settings, autoApprove} = request
  const {journal} = state
  const clock = systemClock
  const {extensions = NO_EXTENSIONS} = request
  const rules = rulesOf(extensions, process.cwd())
  const gate = await openGateOf(state, access, {...request, rules}, dialogue)
  const recovery = await recoverFirst(journal, access, settings, clock, dialogue)
  const planned = await planWork(work, access.reader, createInspector(gate, settings, rules))
  dialogue.showPlan(planned.plan)
  for (const text of warnOfSuspended(settings, planned.plan, clock.now())) dialogue.warn(text)
  refuseMistakes(planned.plan)
  const frozen = frozenVmids(recovery.open)
  const possible = countPossible(planned.plan, frozen)
  const total = planned.plan.guests.flatMap(({actions}) => actions).length
  if (possible > 0 && !work.isSaved && !autoApprove) await dialogue.approve(possible, total)
  dialogue.beginRun()
  // What lacks a signature is tried too: the gate decides, and the audit keeps what it said.
  const outcome =
    countTriable(planned.plan, frozen) === 0
      ? {run: undefined, results: resultsWithoutRun(planned.plan, frozen)}
      : await carryOut(
          {
            ...{work, planned, access, journal, gate, settings, clock, extensions},
            mayAdapt: autoApprove && !work.isSaved,
          },
          dialogue,
        )
  const unseen = findUnseen(planned.plan)
  if (unseen.length > 0) dialogue.warn(`Left alone, because a node is away: ${unseen.join(', ')}.`)
  const isOpen = journal.openOperations().length > 0
  const verdict = judgeApply(outcome.results, {isOpen, isBlind: unseen.length > 0})
  return {...outcome, hadChanges: hasChanges(planned.plan), verdict}
}

async function openGateOf(
  state: OpenState,
  {reader}: WritingAccess,
  {settings, work, approvalFiles = [], rules}: ApplyRequest & {readonly rules: readonly ClassRule[]},
  dialogue: ApplyDialogue,
): Promise<FullGate> {
  // Cryptography is loaded by those alone who ask the gate.
  const [{openGate}, {warnOfLost}] = await Promise.all([
    import('../gate/open-gate.ts'),
    import('../gate/carried-approvals.ts'),
  ])
  const warn = (text: string): void => {
    dialogue.warn(text)
  }
  warnOfLost(work, warn)
  return openGate({
    settings,
    stores: state,
    snapshots: reader,
    approvalFiles,
    rules,
    ...(work.approvals && {carried: work.approvals}),
    disarmed: () => state.journal.disarmed(),
    journal: state.journal,
    warn,
  })
}

async function planWork(work: ApplyWork, reader: Reader, inspector: Inspector): Promise<PlannedWork> {
  const actual = await reader.readCluster()
  const planned = await work.plan(actual, reader)
  const plan = await showSignatures(planned.plan, actual, inspector)
  return {plan, planAgain: (guest) => planned.planAgain(guest)}
}

async function recoverFirst(
  journal: OpenState['journal'],
  {reader, tokenId}: WritingAccess,
  settings: Settings,
  clock: Clock,
  dialogue: ApplyDialogue,
): Promise<RecoverResult> {
  const open = journal.openOperations().length
  if (open > 0) dialogue.recovering(open)
  const result = await recover({
    reader,
    journal,
    clock,
    tokenId,
    settleMs: settings.recover.settleMs,
    waitMs: RECOVER_WAIT_MS,
    signal: dialogue.giveUp,
  })
  if (result.decisions.length + result.open.length + result.disarmed.length > 0) dialogue.recovered(result)
  return result
}
