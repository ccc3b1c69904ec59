// What `felhom plan` does between its first request and its last line: the files, the plan, and its forms. It is
// loaded while the live state is being read.
import type {Plan} from '../../model/plan.ts'
import type {Extensions} from '../../plugin/extensions.ts'
import {escapeLines} from '../../report/escape-text.ts'
import {encodePlan, type PlanJson} from '../../report/plan-json.ts'
import {renderPlanMarkdown} from '../../report/plan-markdown.ts'
import {renderPlan, type PlanTextOptions} from '../../report/plan-text.ts'
import type {LiveRead} from './choose-live-state.ts'
import {openDesired, type DesiredRequest} from '../source/open-desired.ts'
import {planCluster, showOptionValue} from './plan-cluster.ts'
import type {ReviewPlan} from './plan-signatures.ts'
import {useDesired} from '../source/use-desired.ts'

export {exampleDesired} from '../source/open-desired.ts'
export {hasChanges, hasErrors} from './plan-cluster.ts'
export {warnOfFrozen} from './plan-frozen.ts'
export {warnOfSuspended} from './plan-suspended.ts'
export {reviewSignatures} from './plan-signatures.ts'
export {rulesOf} from '../plugins/plugin-rules.ts'
export {writeOutput} from '../write-output.ts'

/** Mistakes in the files are told at once, whatever the network does. */
export async function planDesired(
  request: DesiredRequest & {targets: readonly string[]},
  live: LiveRead,
  review: ReviewPlan = (plan) => Promise.resolve(plan),
): Promise<{plan: Plan; json: PlanJson}> {
  try {
    const provider = openDesired(request)
    const planned = await planCluster({
      loadDesired: () => useDesired(provider),
      readActual: () => live.state,
      targets: request.targets,
    })
    const plan = await review(planned.plan, planned.actual, async () => (await provider.approvals?.()) ?? [])
    return {plan, json: encodePlan(plan)}
  } catch (error) {
    live.abandon()
    throw error
  }
}

/** In a form of our own, or in one of a plugin's. */
export async function renderPlanAs(
  form: string,
  {plan, json}: {readonly plan: Plan; readonly json: PlanJson},
  {toTerminal, ...options}: Omit<PlanTextOptions, 'showValue'> & {readonly toTerminal: boolean},
  extensions: Extensions,
): Promise<string> {
  if (form === 'markdown') return renderPlanMarkdown(plan, showOptionValue)
  if (form === 'text') return renderPlan(plan, {...options, showValue: showOptionValue})
  const {renderWithPlugin} = await import('../plugins/plugin-formats.ts')
  const text = await renderWithPlugin(form, json, extensions, process.cwd())
  // A terminal would obey what a guest's name holds; a file or a program is given what the plugin wrote.
  return toTerminal ? text.split('\t').map(escapeLines).join('\t') : text
}
