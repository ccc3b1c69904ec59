// The gate for those who only look: what it would say now, to a plan or to somebody who is about to sign. No lock is
// taken; nothing is burned and nothing is audited.
import type {ClassRule} from '../../gate/classify.ts'
import type {FullGate, Inspection} from '../../gate/gate.ts'
import type {ApprovalFile, SnapshotReader} from '../../gate/ports.ts'
import type {TrustSnapshot} from '../../gate/trust-snapshot.ts'
import type {ActualCluster} from '../../model/actual.ts'
import {FelhomError} from '../../model/felhom-error.ts'
import type {GuestPlan, Plan, PlannedAction} from '../../model/plan.ts'
import type {Settings} from '../../settings/settings.ts'
import {readInstallId} from '../../store/install-id.ts'
import {readNonces} from '../../store/nonces/read-nonces.ts'
import {systemDisk} from '../../store/system-disk.ts'
import type {ApplyWork} from '../apply/apply-work.ts'
import {warnOfLost} from './carried-approvals.ts'
import {withProxmox} from '../compose.ts'
import {openTrustStore, readTrustStore} from './gate-trust-store.ts'
import {openJournalView} from '../journal/journal-view.ts'
import {openGate} from './open-gate.ts'

export interface LookRequest {
  readonly work: ApplyWork
  readonly settings: Settings
  readonly env: NodeJS.ProcessEnv
  readonly signal: AbortSignal
  /** Named on the command line, absolute. */
  readonly approvalFiles: readonly string[]
  readonly nowMs: number
  readonly warn: (text: string) => void
  /** Of plugins. */
  readonly rules?: readonly ClassRule[]
}

export interface GateEntry {
  readonly guest: GuestPlan
  readonly action: PlannedAction
  readonly inspection: Inspection
}

export interface GateLook {
  /** Every action of the plan, in its order. */
  readonly entries: readonly GateEntry[]
  /** Undefined: nobody may sign. */
  readonly trust: TrustSnapshot | undefined
}

/** Throws trust_unsafe if there is a trust store that does not hold. */
export async function lookAtGate(request: LookRequest): Promise<GateLook> {
  const {work, settings, env, signal, nowMs, warn} = request
  warnOfLost(work, warn)
  const trust = hasTrust(settings) ? await readTrustStore(await openTrustStore(settings), nowMs) : undefined
  const entries = await withProxmox(
    settings,
    env,
    async ({reader}) => {
      const actual = await reader.readCluster()
      const gate = await openGateToLook({...request, snapshots: reader, carried: work.approvals ?? []})
      const {plan} = await work.plan(actual, reader)
      const entries = await inspectPlan(plan, actual, gate)
      // A rule that was not waited for has refused nothing.
      signal.throwIfAborted()
      return entries
    },
    {signal},
  )
  return {entries, trust}
}

export const hasTrust = ({trust: {dir, genesis}}: Settings): boolean =>
  dir !== undefined || genesis !== undefined

export async function openGateToLook({
  settings,
  snapshots,
  approvalFiles,
  warn,
  rules,
  carried,
}: Pick<LookRequest, 'settings' | 'approvalFiles' | 'warn' | 'rules'> & {
  readonly snapshots: SnapshotReader
  /** Approvals that came with the desired state. */
  readonly carried: readonly ApprovalFile[]
}): Promise<FullGate> {
  const [nonces, journal] = await Promise.all([
    readNonces({disk: systemDisk, dir: settings.state}),
    openJournalView(settings),
  ])
  // Before the first use there is no id, and so no approval that could be for it.
  const host = readInstallId(settings.state) ?? ''
  return openGate({
    settings,
    snapshots,
    approvalFiles,
    warn,
    carried,
    ...(rules && {rules}),
    disarmed: () => journal.disarmed(),
    stores: {
      host,
      nonces: {...nonces, burn: refuse, reject: refuse, advance: refuse},
      audit: {append: refuse},
    },
  })
}

const refuse = (): Promise<never> =>
  Promise.reject(new FelhomError('unexpected', 'something was to be written by one who only looks'))

async function inspectPlan(plan: Plan, actual: ActualCluster, gate: FullGate): Promise<GateEntry[]> {
  const live = new Map(actual.guests.map((guest) => [guest.vmid, guest]))
  const asked = plan.guests.flatMap((guest) => guest.actions.map((action) => ({guest, action})))
  return Promise.all(
    asked.map(async ({guest, action}): Promise<GateEntry> => {
      const {kind, vmid, node} = guest
      const inspection =
        node === undefined
          ? {class: action.class}
          : await gate.inspect({action, target: {kind, vmid, node}, guest: live.get(vmid)})
      return {guest, action, inspection}
    }),
  )
}
