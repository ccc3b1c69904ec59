// What a pass amounts to for whoever waits for its end: cron, and `systemctl start` of the oneshot unit.
import type {PassReport} from '../../model/daemon.ts'
import type {ErrorCode} from '../../model/error-codes.ts'
import type {BlockerCode} from '../../model/plan.ts'
import type {ActionResult} from '../../model/run-event.ts'
import {judgeApply} from '../judge-apply.ts'
import {hasChanges} from '../plan-cluster.ts'
import {findMistakes, findUnseen} from '../plan-errors.ts'

/** Left undone on purpose: that is no failure. */
const DELIBERATE: ReadonlySet<BlockerCode> = new Set(['withheld', 'suspended', 'backing_off'])

/** Undefined: all that was to be done was done. */
export function judgePass(report: PassReport): ErrorCode | undefined {
  const {problem, plan, results, open, jobs, source} = report
  if (problem) return problem.code
  const isBlind = plan !== undefined && findUnseen(plan).length > 0
  const tried = results.filter((result) => !isDeliberate(result))
  const verdict = judgeApply(tried, {isOpen: open.length > 0, isBlind})
  if (verdict !== undefined) return verdict
  if (jobs.some(({outcome}) => outcome === 'failed')) return 'apply_failed'
  if (plan && findMistakes(plan).length > 0) return 'desired_invalid'
  if (source.state === 'refused') return 'source_refused'
  return source.state === 'away' && source.revision === undefined ? 'source_away' : undefined
}

const isDeliberate = ({outcome, action}: ActionResult): boolean =>
  outcome === 'blocked' && action.blockers.some(({code}) => DELIBERATE.has(code))

/** Whether anything is left to do. */
export function hasDrift({plan, results}: PassReport): boolean {
  if (!plan || !hasChanges(plan)) return false
  return results.some(({outcome}) => outcome !== 'succeeded' && outcome !== 'satisfied')
}
