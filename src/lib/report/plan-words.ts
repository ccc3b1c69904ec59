// The words of a plan, shared by the text for terminals and the Markdown for pull requests.
import type {GuestPlan, Impact, OptionChange, Plan, PlannedAction, PlanProblem} from '../model/plan.ts'
import {plural} from './plural.ts'

/** How a value of an option reads to people; the catalog knows, so the caller brings it along. */
export type ShowValue = (kind: GuestPlan['kind'], option: string, text: string) => string

export type Symbol = '+' | '~' | '-'

export function symbolOf(guest: GuestPlan): Symbol {
  if (guest.actions.some((a) => a.type === 'create')) return '+'
  return guest.actions.some((a) => a.type === 'destroy') ? '-' : '~'
}

/** `will be updated in place and started`. */
export function describeFate(guest: GuestPlan): string {
  const types = new Set(guest.actions.map((action) => action.type))
  const verbs: string[] = []
  if (types.has('create')) verbs.push('created')
  if (types.has('set-config') || types.has('resize')) verbs.push('updated in place')
  if (types.has('migrate')) verbs.push('moved')
  if (types.has('snapshot-delete')) verbs.push('rid of a snapshot')
  if (types.has('snapshot-rollback')) verbs.push('rolled back')
  if (types.has('restart')) verbs.push('restarted')
  if (types.has('start')) verbs.push('started')
  if (types.has('destroy')) verbs.push('destroyed')
  else if (types.has('shutdown')) verbs.push('stopped')
  return `will be ${joinWords(verbs)}`
}

const joinWords = (words: readonly string[]): string =>
  words.length <= 1 ? words.join('') : `${words.slice(0, -1).join(', ')} and ${words.at(-1) ?? ''}`

const IMPACT_WORDS: Record<Impact, string> = {
  none: 'no outage',
  live: 'live',
  restart: 'needs a restart',
  outage: 'outage',
}
const IMPACT_ORDER: readonly Impact[] = ['none', 'live', 'restart', 'outage']

/** `live · reversible`, or what is worse. */
export function describeCost(guest: GuestPlan): string {
  if (guest.actions.some(({blockers}) => blockers.some(({code}) => code === 'cannot_be_signed')))
    return 'cannot be allowed'
  if (guest.actions.some(isUnsigned)) return `needs signature${countSignatures(guest.actions)}`
  if (guest.actions.some((a) => a.class === 'destructive')) return 'signed · cannot be undone'
  const way = guest.actions.every((a) => a.reversible) ? 'reversible' : 'cannot be undone'
  return `${IMPACT_WORDS[worstImpact(guest)]} · ${way}`
}

const isUnsigned = (action: PlannedAction): boolean =>
  action.class === 'destructive' && action.blockers.some(({code}) => code === 'needs_signature')

/** ` (1/2)`: signatures that are there of those that the guest's actions take; nothing where that is not known. */
function countSignatures(actions: readonly PlannedAction[]): string {
  const wanting = actions
    .filter(isUnsigned)
    .flatMap(({blockers}) => blockers.filter(({code}) => code === 'needs_signature'))
  let [people, needed] = [0, 0]
  for (const {signed} of wanting) {
    if (!signed) return ''
    people += signed.people
    needed += signed.needed
  }
  return ` (${people}/${needed})`
}

const worstImpact = (guest: GuestPlan): Impact =>
  guest.actions.reduce<Impact>(
    (worst, {impact: next}) => (IMPACT_ORDER.indexOf(next) > IMPACT_ORDER.indexOf(worst) ? next : worst),
    'none',
  )

/** What a reader must know about one change, behind it. */
export function remarkOn(change: OptionChange, guest: GuestPlan): string {
  // Of a family the note says more: "kept as unused".
  const others = (change.sideEffects ?? []).filter((option) => !option.endsWith('[n]'))
  return joinRemarks([
    describeImpact(change.impact, guest),
    change.note ?? '',
    change.reversible ? '' : 'cannot be undone',
    others.length > 0 ? `also changes ${others.join(', ')}` : '',
  ])
}

export function remarkOnGrowth({impact}: PlannedAction, guest: GuestPlan): string {
  return joinRemarks([describeImpact(impact, guest), 'grows', 'cannot be undone'])
}

const joinRemarks = (remarks: readonly string[]): string =>
  [...new Set(remarks.filter((remark) => remark !== ''))].join('; ')

/** `live` is said of a single change only where the heading says something worse of the guest. */
function describeImpact(impact: Impact, guest: GuestPlan): string {
  if (impact === 'live') return worstImpact(guest) === 'live' ? '' : 'live'
  if (impact !== 'restart') return ''
  return guest.actions.some((action) => action.type === 'restart')
    ? 'takes effect with the restart'
    : 'pending until a restart'
}

export function describePower(
  action: PlannedAction,
  guest: GuestPlan,
): {after: string; before: string; remark: string} | undefined {
  switch (action.type) {
    case 'start':
      return {before: guest.exists ? guest.run : '', after: 'running', remark: ''}
    case 'shutdown': {
      const seconds = `${Math.round(action.timeoutMs / 1000)}s`
      const remark = action.force
        ? `shutdown, after ${seconds} a hard stop`
        : `shutdown within ${seconds}, no hard stop`
      return {before: guest.run, after: 'stopped', remark}
    }
    case 'restart':
      return {before: '', after: 'running (restarts)', remark: action.why}
    default:
      return undefined
  }
}

/** What stands in the way, each said once; it names the actions it is about unless it is about all. */
export function describeBlockers({actions}: GuestPlan): string[] {
  const held = new Map<string, PlannedAction[]>()
  for (const action of actions) {
    for (const {message} of action.blockers) held.set(message, [...(held.get(message) ?? []), action])
  }
  return [...held].map(([message, about]) =>
    about.length === actions.length
      ? `not carried out now: ${message}`
      : `not carried out now (${about.map(nameAction).join(', ')}): ${message}`,
  )
}

function nameAction(action: PlannedAction): string {
  if (action.type === 'set-config') return action.changes.map(({option}) => option).join(', ')
  return action.type === 'resize' ? action.disk : action.type
}

export interface PlanCounts {
  create: number
  change: number
  destroy: number
  start: number
  stop: number
  signatures: number
  /** Actions that something else than a missing signature stands in the way of. */
  blocked: number
}

export function countPlan(plan: Plan): PlanCounts {
  const actions = plan.guests.flatMap((guest) => guest.actions)
  const guestsWith = (...types: PlannedAction['type'][]): number =>
    plan.guests.filter((guest) => guest.actions.some((action) => types.includes(action.type))).length
  const destroyed = plan.guests.filter((guest) => guest.actions.some((a) => a.type === 'destroy'))
  return {
    create: guestsWith('create'),
    change: guestsWith('set-config', 'resize', 'migrate', 'restart'),
    destroy: destroyed.length,
    start: guestsWith('start'),
    stop: plan.guests.filter((g) => !destroyed.includes(g) && g.actions.some((a) => a.type === 'shutdown'))
      .length,
    signatures: actions.filter(isUnsigned).length,
    blocked: actions.filter((action) => action.blockers.some(({code}) => code !== 'needs_signature')).length,
  }
}

export function summarize(plan: Plan, isPendingListed = true): string[] {
  const {create, change, destroy, start, stop, signatures, blocked} = countPlan(plan)
  const lines = [
    `Plan: ${create} to create, ${change} to change, ${destroy} to destroy, ${start} to start, ${stop} to stop.`,
  ]
  if (signatures > 0) {
    const where = isPendingListed ? ': felhom gate pending' : ''
    lines.push(`${plural(signatures, 'action')} ${signatures === 1 ? 'needs' : 'need'} a signature${where}.`)
  }
  if (blocked > 0)
    lines.push(`${plural(blocked, 'action')} cannot be carried out now: see the lines that begin with '!'.`)
  return lines
}

export function describeNoChanges({guests}: Plan, problems: readonly PlanProblem[]): string {
  if (problems.some((problem) => problem.severity === 'error'))
    return 'No changes can be planned before this is mended.'
  return guests.length > 0
    ? 'No changes. But for the warnings, your guests match the desired state.'
    : 'No changes. Your guests match the desired state.'
}

export function describeUnmanaged({unmanaged}: Plan): string | undefined {
  if (unmanaged === 0) return undefined
  return unmanaged === 1
    ? '1 guest is not in the desired state and is left alone.'
    : `${unmanaged} guests are not in the desired state and are left alone.`
}
