// What a live plan says about signatures. The gate and what it reads are loaded only where somebody may sign and
// something needs it.
import type {ActualCluster} from '../model/actual.ts'
import type {Plan} from '../model/plan.ts'
import type {Settings} from '../settings/settings.ts'
import {withProxmox} from './compose.ts'

/** What more is known of a plan of these guests. */
export type ReviewPlan = (plan: Plan, actual: ActualCluster) => Promise<Plan>

export interface ReviewRequest {
  readonly settings: Settings
  readonly env: NodeJS.ProcessEnv
  readonly warn: (text: string) => void
}

export const reviewSignatures =
  ({settings, env, warn}: ReviewRequest): ReviewPlan =>
  async (plan, actual) => {
    const {dir, genesis} = settings.trust
    const isDestructive = plan.guests.some(({actions}) => actions.some((a) => a.class === 'destructive'))
    if (!isDestructive || (dir === undefined && genesis === undefined)) return plan
    const [{openGateToLook}, {createInspector, showSignatures}] = await Promise.all([
      import('./gate-look.ts'),
      import('./signature-state.ts'),
    ])
    return withProxmox(settings, env, async ({reader}) => {
      const gate = await openGateToLook({settings, warn, snapshots: reader, approvalFiles: []})
      return showSignatures(plan, actual, createInspector(gate, settings))
    })
  }
