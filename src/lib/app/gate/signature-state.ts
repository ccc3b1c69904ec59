// What a plan says about signatures, as the gate would decide now: whoever looks at it sees which of its actions are
// allowed, and of the others what is still missing. It decides nothing; that is done in the lane, once more.
import type {ClassRule} from '../../gate/classify.ts'
import type {FullGate, Inspection} from '../../gate/gate.ts'
import type {TrustSnapshot} from '../../gate/trust-snapshot.ts'
import type {ActualCluster, ActualGuest} from '../../model/actual.ts'
import type {Blocker, GuestPlan, Plan, PlannedAction} from '../../model/plan.ts'
import {blockTogether} from '../../plan/find-blockers.ts'
import type {Settings} from '../../settings/settings.ts'

export interface Inspector extends Pick<FullGate, 'inspect'> {
  /** Who may sign; undefined: nobody, or it is not known. Asked only where a signature is wanting. */
  readTrust(): Promise<Pick<TrustSnapshot, 'thresholdFor'> | undefined>
  /** Rules of plugins may want signatures for what loses nothing: then everything is asked about. */
  readonly hasRules?: boolean
}

export const createInspector = (
  gate: FullGate,
  settings: Settings,
  rules: readonly ClassRule[] = [],
): Inspector => ({
  hasRules: rules.length > 0,
  inspect: (request) => gate.inspect(request),
  readTrust: async () => {
    // Cryptography is loaded by those alone who need it.
    const {findTrust} = await import('./gate-trust-store.ts')
    return findTrust(settings, Date.now())
  },
})

export async function showSignatures(
  plan: Plan,
  {guests}: ActualCluster,
  inspector: Inspector,
): Promise<Plan> {
  const live = new Map(guests.map((guest) => [guest.vmid, guest]))
  const shown: GuestPlan[] = []
  for (const guest of plan.guests) shown.push(await showGuest(guest, live.get(guest.vmid), inspector))
  return {...plan, guests: shown}
}

async function showGuest(
  plan: GuestPlan,
  guest: ActualGuest | undefined,
  inspector: Inspector,
): Promise<GuestPlan> {
  const {kind, vmid, node} = plan
  // What a rule has been asked once it is not asked again: it may take its time.
  const inspections = new Map<number, Promise<Inspection>>()
  const inspect = (index: number, action: PlannedAction): Promise<Inspection> => {
    const known = inspections.get(index)
    if (known) return known
    const asked = inspector.inspect({action, target: {kind, vmid, node: node ?? ''}, guest})
    inspections.set(index, asked)
    return asked
  }
  const raised = inspector.hasRules ? await raiseClasses(plan, inspect) : plan
  const {actions} = raised
  if (node === undefined || !actions.some(isWanting)) return raised
  const missing = new Map<PlannedAction, Blocker>()
  for (const [index, action] of actions.entries()) {
    if (!isWanting(action)) continue
    const blocker = await describeMissing(await inspect(index, action), inspector)
    if (blocker) missing.set(action, blocker)
  }
  // What serves another waits with it.
  const all = [...missing.values()]
  return {
    ...raised,
    actions: actions.map((action) => {
      const own = missing.get(action)
      return replaceBlockers(action, action.class === 'destructive' ? (own ? [own] : []) : all)
    }),
  }
}

const isWanting = (action: PlannedAction): boolean => action.class === 'destructive' && isUnsigned(action)

/** What a rule wants a signature for is from here on as what can lose data. */
async function raiseClasses(
  plan: GuestPlan,
  inspect: (index: number, action: PlannedAction) => Promise<Inspection>,
): Promise<GuestPlan> {
  const actions: PlannedAction[] = []
  for (const [index, action] of plan.actions.entries()) {
    const isRaised = action.class === 'benign' && (await inspect(index, action)).class === 'destructive'
    actions.push(isRaised ? demandSignature(action, RAISED) : action)
  }
  return {...plan, actions: blockTogether(actions)}
}

const RAISED = 'a rule of a plugin wants a signature for it'

export const demandSignature = (action: PlannedAction, message: string): PlannedAction => ({
  ...action,
  class: 'destructive',
  blockers: [...action.blockers, {code: 'needs_signature', message}],
})

async function describeMissing(
  {refusal, need}: Inspection,
  inspector: Inspector,
): Promise<Blocker | undefined> {
  if (!refusal) return undefined
  const {message, signed} = refusal
  const needed = need && (await inspector.readTrust())?.thresholdFor(need.bound.op)
  const people = signed ?? (needed === undefined ? undefined : {people: 0, needed})
  return {code: 'needs_signature', message, ...(people && {signed: people})}
}

const isUnsigned = ({blockers}: PlannedAction): boolean =>
  blockers.some(({code}) => code === 'needs_signature')

function replaceBlockers(action: PlannedAction, signatures: readonly Blocker[]): PlannedAction {
  if (!isUnsigned(action)) return action
  const others = action.blockers.filter(({code}) => code !== 'needs_signature')
  return {...action, blockers: [...others, ...signatures]}
}
