// What a live plan says about signatures. The gate and what it reads are loaded only where somebody may sign and
// something needs it.
import type {ClassRule} from '../../gate/classify.ts'
import type {ApprovalFile, SnapshotReader} from '../../gate/ports.ts'
import type {ActualCluster} from '../../model/actual.ts'
import type {Plan} from '../../model/plan.ts'
import type {Settings} from '../../settings/settings.ts'
import {withProxmox} from '../compose.ts'

/** What more is known of a plan of these guests. `readApprovals`: those that came with the desired state. */
export type ReviewPlan = (
  plan: Plan,
  actual: ActualCluster,
  readApprovals: () => Promise<readonly ApprovalFile[]>,
) => Promise<Plan>

export interface ReviewRequest {
  readonly settings: Settings
  readonly warn: (text: string) => void
  /** Of plugins. */
  readonly rules?: readonly ClassRule[]
  /** Named on the command line, absolute. */
  readonly approvalFiles?: readonly string[]
}

/** Asks Proxmox only where there is something to ask. */
export const reviewSignatures =
  ({env, ...request}: ReviewRequest & {readonly env: NodeJS.ProcessEnv}): ReviewPlan =>
  async (plan, ...rest) => {
    if (!isWorthAsking(plan, request)) return plan
    const {settings} = request
    return withProxmox(settings, env, ({reader}) => reviewThrough(reader, request)(plan, ...rest))
  }

/** For who has a connection already. */
export const reviewThrough =
  (snapshots: SnapshotReader, request: ReviewRequest): ReviewPlan =>
  async (plan, actual, readApprovals) => {
    if (!isWorthAsking(plan, request)) return plan
    const {settings, warn, rules = [], approvalFiles = []} = request
    const [{openGateToLook}, {createInspector, showSignatures}] = await Promise.all([
      import('../gate/gate-look.ts'),
      import('../gate/signature-state.ts'),
    ])
    const carried = await readApprovals()
    const gate = await openGateToLook({settings, warn, snapshots, approvalFiles, rules, carried})
    return showSignatures(plan, actual, createInspector(gate, settings, rules))
  }

function isWorthAsking(plan: Plan, {settings: {trust}, rules = []}: ReviewRequest): boolean {
  const isDestructive = plan.guests.some(({actions}) => actions.some((a) => a.class === 'destructive'))
  const isTrusting = trust.dir !== undefined || trust.genesis !== undefined
  return rules.length > 0 || (isDestructive && isTrusting)
}
