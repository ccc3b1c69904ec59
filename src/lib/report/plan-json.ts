// The plan as JSON: the shape of Terraform's JSON plan for tools that know it, and beside it the steps exactly as
// felhom planned them. What is written can be read back; a saved plan is read as strictly as any input.
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
    default:
      before['run'] = guest.run
      after['run'] = action.type === 'shutdown' ? 'stopped' : 'running'
  }
}

/** Reads a saved plan back, or says what is wrong with it. */
export function decodePlan(json: unknown): {plan: Plan} | {problem: string} {
  if (!isObject(json)) return {problem: 'it is not a JSON object'}
  if (json['format_version'] !== PLAN_FORMAT_VERSION) {
    return {
      problem: `its format_version is ${JSON.stringify(json['format_version'])}; this felhom reads ${PLAN_FORMAT_VERSION}`,
    }
  }
  const {resource_changes: changes, summary, problems} = json
  if (!Array.isArray(changes) || !isObject(summary) || !Array.isArray(problems))
    return {problem: 'resource_changes, summary or problems is missing'}
  const guests: GuestPlan[] = []
  for (const [i, change] of (changes as unknown[]).entries()) {
    const guest = decodeGuest(change)
    if (!guest) return {problem: `resource_changes[${i}] is not a change as felhom writes it`}
    guests.push(guest)
  }
  return {
    plan: {
      guests,
      unmanaged: whole(summary['unmanaged']),
      unchanged: whole(summary['unchanged']),
      problems: problems as Plan['problems'],
    },
  }
}

const isObject = (value: unknown): value is Record<string, unknown> =>
  typeof value === 'object' && value !== null && !Array.isArray(value)

const whole = (value: unknown): number =>
  typeof value === 'number' && Number.isInteger(value) && value >= 0 ? value : 0

const STEP_TYPES = new Set([
  'set-config',
  'resize',
  'create',
  'destroy',
  'migrate',
  'start',
  'shutdown',
  'restart',
])
const RUN_STATES = new Set(['running', 'stopped', 'paused', 'unknown'])

function decodeGuest(value: unknown): GuestPlan | undefined {
  if (!isObject(value)) return undefined
  const {
    type,
    vmid,
    name,
    node,
    exists,
    run,
    live_digest: digest,
    steps,
    unchanged_options: unchanged,
    problems,
  } = value
  const isText = (text: unknown): text is string | null => text === null || typeof text === 'string'
  if ((type !== 'lxc' && type !== 'qemu') || typeof vmid !== 'number' || typeof exists !== 'boolean')
    return undefined
  if (!isText(name) || !isText(node) || !isText(digest) || !RUN_STATES.has(String(run))) return undefined
  if (!Array.isArray(steps) || !Array.isArray(problems) || !(steps as unknown[]).every(isStep))
    return undefined
  return {
    kind: type,
    vmid,
    name: name ?? undefined,
    node: node ?? undefined,
    exists,
    run: run as GuestPlan['run'],
    liveDigest: digest ?? undefined,
    actions: steps as PlannedAction[],
    unchangedOptions: whole(unchanged),
    problems: problems as GuestPlan['problems'],
  }
}

function isStep(value: unknown): boolean {
  if (!isObject(value) || !STEP_TYPES.has(String(value['type']))) return false
  const lists = [value['needs'], value['blockers']]
  if (!lists.every(Array.isArray)) return false
  if (value['type'] === 'set-config') return isChangeList(value['changes'])
  if (value['type'] === 'create') return isObject(value['from']) && isChangeList(value['options'])
  if (value['type'] === 'destroy') return Array.isArray(value['volumes'])
  if (value['type'] === 'migrate') return Array.isArray(value['to'])
  return true
}

const isChangeList = (value: unknown): boolean =>
  Array.isArray(value) &&
  (value as unknown[]).every((change) => isObject(change) && typeof change['option'] === 'string')
