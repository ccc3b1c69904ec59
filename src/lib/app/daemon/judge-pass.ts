// What a pass amounts to for whoever waits for its end: cron, and `systemctl start` of the oneshot unit.
import type {PassReport} from '../../model/daemon.ts'
import type {ErrorCode} from '../../model/error-codes.ts'
import type {BlockerCode, PlannedAction} from '../../model/plan.ts'
import type {ActionResult} from '../../model/run-event.ts'
import {judgeApply} from '../apply/judge-apply.ts'
import {hasChanges} from '../plan/plan-cluster.ts'
import {findMistakes, findUnseen} from '../plan/plan-errors.ts'

/** Left undone on purpose: that is no failure. */
const DELIBERATE: ReadonlySet<BlockerCode> = new Set(['withheld', 'suspended', 'backing_off'])

/** Undefined: all that was to be done was done. */
export function judgePass(report: PassReport): ErrorCode | undefined {
  const {problem, plan, results, open, jobs, areJobsSeen, source} = report
  if (problem) return problem.code
  // Nothing but a signal keeps a pass without a problem from the rest of them.
  if (areJobsSeen === false) return 'interrupted'
  const isBlind = plan !== undefined && findUnseen(plan).length > 0
  const verdict = judgeApply(leaveOutDeliberate(results), {isOpen: open.length > 0, isBlind})
  if (verdict !== undefined && verdict !== 'signature_pending') return verdict
  if (jobs.some(({outcome}) => outcome === 'failed')) return 'apply_failed'
  if (plan && findMistakes(plan).length > 0) return 'desired_invalid'
  if (source?.state === 'refused') return 'source_refused'
  if (source?.state === 'away' && source.revision === undefined) return 'source_away'
  return verdict ?? (isSignaturePending(report) ? 'signature_pending' : undefined)
}

/** Whatever the daemon may do, and whether or not the gate was asked again: as alerts and metrics count them. */
const isSignaturePending = ({plan, jobs}: PassReport): boolean =>
  (plan?.guests ?? []).some(({actions}) => actions.some(isPending)) ||
  jobs.some(({outcome, refusal}) => outcome === 'refused' && refusal === 'pending_signature')

/** Nobody is waited for on a guest that somebody has suspended. */
const isPending = ({blockers}: PlannedAction): boolean =>
  blockers.some(({code}) => code === 'needs_signature') && !blockers.some(({code}) => code === 'suspended')

function leaveOutDeliberate(results: readonly ActionResult[]): ActionResult[] {
  const withheld = new Set(results.filter(isWithheld).map(({guest}) => guest.vmid))
  // What was left out for the sake of something that was withheld.
  const isServant = ({outcome, guest}: ActionResult): boolean =>
    outcome === 'skipped' && withheld.has(guest.vmid)
  return results.filter((result) => !isDeliberate(result) && !isWithheld(result) && !isServant(result))
}

const isDeliberate = ({outcome, action}: ActionResult): boolean =>
  outcome === 'blocked' && action.blockers.some(({code}) => DELIBERATE.has(code))

/** By the gate, when it was about to begin: a window has closed, or somebody has suspended the guest. */
const isWithheld = ({outcome, refusal}: ActionResult): boolean =>
  outcome === 'refused' && refusal === 'withheld'

/** Whether anything is left to do. */
export function hasDrift({plan, results}: PassReport): boolean {
  if (!plan || !hasChanges(plan)) return false
  return results.some(({outcome}) => outcome !== 'succeeded' && outcome !== 'satisfied')
}
