// What a live plan says about signatures. The gate and what it reads are loaded only where somebody may sign and
// something needs it.
import type {ClassRule} from '../gate/classify.ts'
import type {ApprovalFile} from '../gate/ports.ts'
import type {ActualCluster} from '../model/actual.ts'
import type {Plan} from '../model/plan.ts'
import type {Settings} from '../settings/settings.ts'
import {withProxmox} from './compose.ts'

/** What more is known of a plan of these guests. `readApprovals`: those that came with the desired state. */
export type ReviewPlan = (
  plan: Plan,
  actual: ActualCluster,
  readApprovals: () => Promise<readonly ApprovalFile[]>,
) => Promise<Plan>

export interface ReviewRequest {
  readonly settings: Settings
  readonly env: NodeJS.ProcessEnv
  readonly warn: (text: string) => void
  /** Of plugins. */
  readonly rules?: readonly ClassRule[]
}

export const reviewSignatures =
  ({settings, env, warn, rules = []}: ReviewRequest): ReviewPlan =>
  async (plan, actual, readApprovals) => {
    const {dir, genesis} = settings.trust
    const isDestructive = plan.guests.some(({actions}) => actions.some((a) => a.class === 'destructive'))
    const isTrusting = dir !== undefined || genesis !== undefined
    if (rules.length === 0 && !(isDestructive && isTrusting)) return plan
    const [{openGateToLook}, {createInspector, showSignatures}] = await Promise.all([
      import('./gate-look.ts'),
      import('./signature-state.ts'),
    ])
    return withProxmox(settings, env, async ({reader}) => {
      const carried = await readApprovals()
      const look = {settings, warn, snapshots: reader, approvalFiles: [], rules, carried}
      const gate = await openGateToLook(look)
      return showSignatures(plan, actual, createInspector(gate, settings, rules))
    })
  }
