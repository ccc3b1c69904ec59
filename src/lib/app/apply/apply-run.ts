// Carries out what was approved, or says without a request what cannot be carried out.
import {randomBytes} from 'node:crypto'
import type {Clock} from '../../engine/ports.ts'
import {runPlan} from '../../engine/run-plan.ts'
import type {Gate} from '../../gate/gate.ts'
import {obstaclesOf, type GuestPlan, type Plan, type PlannedAction} from '../../model/plan.ts'
import type {ActionOutcome, ActionResult, RunEvent} from '../../model/run-event.ts'
import type {JournalStore} from '../../store/open-journal.ts'
import {NO_EXTENSIONS, type Extensions} from '../../plugin/extensions.ts'
import type {Settings} from '../../settings/settings.ts'
import type {ApplyDialogue} from './apply-dialogue.ts'
import type {ApplyWork, PlannedWork} from './apply-work.ts'
import type {WritingAccess} from '../compose.ts'
import {Observers} from '../plugins/plugin-observers.ts'

export interface RunRequest {
  readonly work: ApplyWork
  readonly planned: PlannedWork
  readonly access: WritingAccess
  readonly journal: JournalStore
  readonly gate: Gate
  readonly settings: Settings
  readonly clock: Clock
  /** Whatever the plan becomes by changes of others was approved too. */
  readonly mayAdapt: boolean
  readonly extensions?: Extensions
  /** Absent: of the system. */
  readonly randomHex?: (digits: number) => string
}

/** Who listens, and who may end it. */
export type RunListener = Pick<ApplyDialogue, 'show' | 'stop'>

export interface RunOutcome {
  readonly run: string | undefined
  /** In the order of the plan. */
  readonly results: readonly ActionResult[]
  /** Why the run could not go on; what had ended by then is in the results. */
  readonly failure?: Error
}

export async function carryOut(request: RunRequest, listener: RunListener): Promise<RunOutcome> {
  const {work, planned, access, journal, gate, settings, clock, mayAdapt, randomHex = drawHex} = request
  const run = makeRunId(clock.now(), randomHex)
  const observers = new Observers(request.extensions ?? NO_EXTENSIONS, process.cwd())
  const ended: ActionResult[] = []
  const emit = (event: RunEvent): void => {
    if (event.type === 'action_ended') ended.push(event.result)
    listener.show(event)
    observers.tell(event)
  }
  try {
    const {results} = await runPlan(planned.plan, {
      run,
      tokenId: access.tokenId,
      reader: access.reader,
      writer: access.writer,
      journal,
      gate,
      clock,
      perNode: settings.limits.writesPerNode,
      taskTimeoutMs: settings.limits.taskTimeoutMs,
      stop: AbortSignal.any([listener.stop, observers.failed]),
      emit,
      // Reading them may fail: that is the guest's failure, not the run's.
      secretsFor: (guest, names) => Promise.resolve().then(() => work.readSecrets(guest, names)),
      planAgain: (guest) => planned.planAgain(guest),
      mayAdapt,
      randomHex,
    })
    const failure = await observers.settle()
    return {run, results, ...(failure && {failure})}
  } catch (error) {
    const failure = error instanceof Error ? error : new Error(String(error))
    return {run, results: inPlanOrder(ended), failure}
  }
}

/** Whether the cluster may be otherwise now than before the run. */
export const hasSent = ({results, failure}: RunOutcome): boolean =>
  failure !== undefined || results.some(({op}) => op !== undefined)

const inPlanOrder = (results: readonly ActionResult[]): ActionResult[] =>
  [...results].sort((a, b) => a.guest.vmid - b.guest.vmid)

/** `20261118T060311-3f2a`: sorts by time, and two of one second differ. */
export function makeRunId(nowMs: number, randomHex = drawHex): string {
  const time = new Date(nowMs).toISOString().slice(0, 19).replaceAll(/[-:]/g, '')
  return `${time}-${randomHex(4)}`
}

export const drawHex = (digits: number): string =>
  randomBytes(Math.ceil(digits / 2))
    .toString('hex')
    .slice(0, digits)

/** Actions with nothing in their way; `frozen` are guests with an open operation. */
export const countPossible = (plan: Plan, frozen: ReadonlySet<number>): number =>
  unfrozen(plan, frozen).filter(({blockers}) => blockers.length === 0).length

/** Those too that wait for nothing but a signature. */
export const countTriable = (plan: Plan, frozen: ReadonlySet<number>): number =>
  unfrozen(plan, frozen).filter((action) => obstaclesOf(action).length === 0).length

const unfrozen = ({guests}: Plan, frozen: ReadonlySet<number>): PlannedAction[] =>
  guests.filter(({vmid}) => !frozen.has(vmid)).flatMap(({actions}) => actions)

/** What would come of a plan of which nothing can be carried out now. */
export function resultsWithoutRun({guests}: Plan, frozen: ReadonlySet<number>): ActionResult[] {
  return guests.flatMap((guest) =>
    guest.actions.map((action): ActionResult => {
      const outcome: ActionOutcome = frozen.has(guest.vmid) ? 'frozen' : 'blocked'
      return {...describe(guest), action, outcome, ...reasonOf(action.blockers, outcome)}
    }),
  )
}

const describe = ({kind, vmid, node, name}: GuestPlan): Pick<ActionResult, 'guest' | 'node' | 'name'> => ({
  guest: {kind, vmid},
  node,
  name,
})

const reasonOf = (
  blockers: readonly {readonly message: string}[],
  outcome: ActionOutcome,
): {detail?: string} => {
  if (outcome === 'frozen') return {detail: 'an earlier operation of this guest is open'}
  return blockers.length === 0 ? {} : {detail: blockers.map(({message}) => message).join('; ')}
}
