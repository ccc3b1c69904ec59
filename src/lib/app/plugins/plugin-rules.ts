// Rules of plugins, as the gate asks them. They see what an action is and which guest it is for, and no secret; what they
// answer can only make it stricter.
import {findOption} from '../../catalog/option.ts'
import type {ClassRule} from '../../gate/classify.ts'
import type {GateRequest} from '../../gate/gate-request.ts'
import {FelhomError} from '../../model/felhom-error.ts'
import type {GateClass} from '../../model/plan.ts'
import {callPlugin, type CallOptions} from '../../plugin/call-plugin.ts'
import type {Rule, RuleRequest} from '../../plugin/contract.ts'
import type {Extension, Extensions} from '../../plugin/extensions.ts'

const TIMEOUT_MS = 5_000

export const rulesOf = (
  {rules, giveUp}: Pick<Extensions, 'rules' | 'giveUp'>,
  dir: string,
  timeoutMs = TIMEOUT_MS,
): readonly ClassRule[] =>
  rules.map((rule) => {
    const patience = new Patience()
    const options = {point: 'rule', timeoutMs, dir, ...(giveUp && {signal: giveUp})}
    const ask: ClassRule = (request) => patience.await(() => askRule(rule, request, options))
    return Object.assign(ask, {label: `the rule ${rule.name} of the plugin ${rule.plugin}`})
  })

/** One that has just let us wait in vain is not waited for again for each guest of a large cluster. */
class Patience {
  #failed: {readonly error: unknown; readonly untilMs: number} | undefined

  async await<T>(ask: () => Promise<T>): Promise<T> {
    const failed = this.#failed
    if (failed && performance.now() < failed.untilMs) throw failed.error
    const startedMs = performance.now()
    try {
      return await ask()
    } catch (error) {
      const tookMs = performance.now() - startedMs
      this.#failed = {error, untilMs: performance.now() + tookMs * TIMES_WAITED}
      throw error
    }
  }
}

/** A rule that fails at once costs nothing, and is asked again; one that hangs costs a tenth of the time at most. */
const TIMES_WAITED = 9

async function askRule(
  rule: Extension<Rule>,
  request: GateRequest,
  options: CallOptions,
): Promise<GateClass | undefined> {
  const asked = describeRequest(request)
  const answer: unknown = await callPlugin(rule, (run, context) => run(asked, context), options)
  if (answer === undefined || answer === 'benign' || answer === 'destructive') return answer
  throw new FelhomError(
    'plugin_failed',
    `the rule ${rule.name} of the plugin ${rule.plugin} failed: its answer is neither 'benign' nor 'destructive'`,
  )
}

function describeRequest({action, target, guest}: GateRequest): RuleRequest {
  const {type, class: gateClass, impact, reversible} = action
  const options =
    action.type === 'set-config'
      ? action.changes.map(({option}) => option)
      : action.type === 'create'
        ? action.options.map(({option}) => option)
        : []
  const {kind, vmid, node} = target
  return Object.freeze({
    action: Object.freeze({type, class: gateClass, impact, reversible, options: Object.freeze(options)}),
    guest: Object.freeze({
      ...{kind, vmid, node, name: guest?.name, exists: guest !== undefined},
      tags: readTags(guest),
    }),
  })
}

/** Nobody can be told that a guest has no tags only because they could not be read. */
function readTags(guest: GateRequest['guest']): readonly string[] | undefined {
  if (!guest) return Object.freeze([])
  if (!guest.config.known) return undefined
  const text = findOption(guest.kind, 'tags') ? (guest.config.current['tags'] ?? '') : ''
  return Object.freeze(text.split(/[;, ]+/).filter((tag) => tag !== ''))
}
