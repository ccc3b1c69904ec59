// The plan as JSON: the shape of Terraform's JSON plan for tools that know it, and beside it the steps exactly as
// felhom planned them. What is written here can be read back.
import type {GuestPlan, Plan, PlannedAction} from '../model/plan.ts'
import {countPlan, describeCost, type PlanCounts} from './plan-words.ts'

export const PLAN_FORMAT_VERSION = '1.0'

export interface PlanJson {
  format_version: typeof PLAN_FORMAT_VERSION
  resource_changes: ResourceChange[]
  summary: PlanCounts & {unmanaged: number; unchanged: number}
  problems: Plan['problems']
}

export interface ResourceChange {
  address: string
  type: GuestPlan['kind']
  vmid: number
  name: string | null
  node: string | null
  exists: boolean
  run: GuestPlan['run']
  change: {
    /** As in Terraform: create, update, delete, no-op. */
    actions: string[]
    before: Record<string, string> | null
    after: Record<string, string> | null
    /** In words: `live · reversible`. */
    impact: string
    reversible: boolean
  }
  gate: {class: 'benign' | 'destructive'; needs_signature: boolean}
  live_digest: string | null
  steps: readonly PlannedAction[]
  unchanged_options: number
  problems: GuestPlan['problems']
}

export function encodePlan(plan: Plan): PlanJson {
  return {
    format_version: PLAN_FORMAT_VERSION,
    resource_changes: plan.guests.map(encodeGuest),
    summary: {...countPlan(plan), unmanaged: plan.unmanaged, unchanged: plan.unchanged},
    problems: plan.problems,
  }
}

function encodeGuest(guest: GuestPlan): ResourceChange {
  const destructive = guest.actions.some((action) => action.class === 'destructive')
  return {
    address: `${guest.kind}/${guest.vmid}`,
    type: guest.kind,
    vmid: guest.vmid,
    name: guest.name ?? null,
    node: guest.node ?? null,
    exists: guest.exists,
    run: guest.run,
    change: {
      actions: terraformActions(guest),
      ...beforeAndAfter(guest),
      impact: guest.actions.length === 0 ? '' : describeCost(guest),
      reversible: guest.actions.every((action) => action.reversible),
    },
    gate: {class: destructive ? 'destructive' : 'benign', needs_signature: destructive},
    live_digest: guest.liveDigest ?? null,
    steps: guest.actions,
    unchanged_options: guest.unchangedOptions,
    problems: guest.problems,
  }
}

function terraformActions({actions}: GuestPlan): string[] {
  if (actions.length === 0) return ['no-op']
  if (actions.some((a) => a.type === 'create')) return ['create']
  return actions.some((a) => a.type === 'destroy') ? ['delete'] : ['update']
}

/** The options that change, the run state among them; null where there is no guest. */
function beforeAndAfter(guest: GuestPlan): Pick<ResourceChange['change'], 'before' | 'after'> {
  const before: Record<string, string> = {}
  const after: Record<string, string> = {}
  for (const action of guest.actions) collectValues(action, guest, before, after)
  const isDestroyed = guest.actions.some((a) => a.type === 'destroy')
  return {before: guest.exists ? before : null, after: isDestroyed ? null : after}
}

function collectValues(
  action: PlannedAction,
  guest: GuestPlan,
  before: Record<string, string>,
  after: Record<string, string>,
): void {
  switch (action.type) {
    case 'set-config':
    case 'create':
      for (const change of action.type === 'create' ? action.options : action.changes) {
        if (change.before !== undefined) before[change.option] = change.before
        if (change.after !== undefined) after[change.option] = change.after
      }
      return
    case 'resize':
      before[`${action.disk}.size`] = String(action.fromBytes)
      after[`${action.disk}.size`] = String(action.toBytes)
      return
    case 'destroy':
      for (const {option, text} of action.volumes) before[option] = text
      return
    case 'migrate':
      before['node'] = guest.node ?? ''
      after['node'] = action.to.join(',')
      return
    case 'snapshot-delete':
    case 'snapshot-rollback':
      before['snapshot'] = action.snapshot
      return
    default:
      before['run'] = guest.run
      after['run'] = action.type === 'shutdown' ? 'stopped' : 'running'
  }
}
