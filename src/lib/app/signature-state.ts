// What a plan says about signatures, as the gate would decide now: whoever looks at it sees which of its actions are
// allowed, and of the others what is still missing. It decides nothing; that is done in the lane, once more.
import type {FullGate} from '../gate/gate.ts'
import type {ActualCluster, ActualGuest} from '../model/actual.ts'
import type {Blocker, GuestPlan, Plan, PlannedAction} from '../model/plan.ts'

type Inspector = Pick<FullGate, 'inspect'>

export async function showSignatures(plan: Plan, {guests}: ActualCluster, gate: Inspector): Promise<Plan> {
  const live = new Map(guests.map((guest) => [guest.vmid, guest]))
  const shown: GuestPlan[] = []
  for (const guest of plan.guests) shown.push(await showGuest(guest, live.get(guest.vmid), gate))
  return {...plan, guests: shown}
}

async function showGuest(
  plan: GuestPlan,
  guest: ActualGuest | undefined,
  gate: Inspector,
): Promise<GuestPlan> {
  const {kind, vmid, node, actions} = plan
  const unsigned = actions.filter((action) => action.class === 'destructive' && isUnsigned(action))
  if (unsigned.length === 0 || node === undefined) return plan
  const missing = new Map<PlannedAction, Blocker>()
  for (const action of unsigned) {
    const {refusal} = await gate.inspect({action, target: {kind, vmid, node}, guest})
    if (refusal) missing.set(action, {code: 'needs_signature', message: refusal.message})
  }
  // What serves another waits with it.
  const all = [...missing.values()]
  return {
    ...plan,
    actions: actions.map((action) => {
      const own = missing.get(action)
      return replaceBlockers(action, action.class === 'destructive' ? (own ? [own] : []) : all)
    }),
  }
}

const isUnsigned = ({blockers}: PlannedAction): boolean =>
  blockers.some(({code}) => code === 'needs_signature')

function replaceBlockers(action: PlannedAction, signatures: readonly Blocker[]): PlannedAction {
  if (!isUnsigned(action)) return action
  const others = action.blockers.filter(({code}) => code !== 'needs_signature')
  return {...action, blockers: [...others, ...signatures]}
}
