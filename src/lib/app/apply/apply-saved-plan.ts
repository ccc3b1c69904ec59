// A saved plan as work. Nothing that it says about itself is believed: it must fit the cluster as it is now, and
// its steps are planned again, so that their class, their needs and what stands in their way are felhom's own word, unless
// what the plan says of them is stricter.
import type {ActualCluster, ActualGuest} from '../../model/actual.ts'
import type {DesiredGuest, DesiredState} from '../../model/desired.ts'
import {FelhomError} from '../../model/felhom-error.ts'
import {formatGuestId, type GuestId} from '../../model/guest.ts'
import type {GuestPlan, Plan} from '../../model/plan.ts'
import {heldPrivileges} from '../../plan/held-privileges.ts'
import {makeHoldCopied} from '../../plan/hold-copied.ts'
import {planGuest} from '../../plan/plan-changes.ts'
import type {ApplyWork, PlannedWork} from './apply-work.ts'
import {desiredFromPlan} from './desired-from-plan.ts'
import {findStale} from './find-stale.ts'
import {keepStricter} from './keep-stricter.ts'
import {readSecrets, secretSource} from '../source/read-secrets.ts'
import {areSameSteps} from './same-steps.ts'

export interface SavedPlan {
  readonly plan: Plan
  /** For messages. */
  readonly file: string
  /** Where the secrets of its new guests are kept; read only if it has any. */
  readonly desired: DesiredState | undefined
}

/** Whether it makes guests with secrets: then the files that say where those are kept are needed too. */
export const needsSecrets = (plan: Plan): boolean => plan.guests.some((guest) => secretsOf(guest).length > 0)

export function workFromPlan({plan: saved, file, desired}: SavedPlan, env: NodeJS.ProcessEnv): ApplyWork {
  const holders = new Map(desired?.guests.map((guest) => [guest.vmid, guest]))
  for (const guest of saved.guests) checkSecrets(guest, holders.get(guest.vmid))
  const plan = (actual: ActualCluster): PlannedWork => {
    refuseStale(saved, actual)
    const held = actual.privileges && heldPrivileges(actual.privileges)
    const wish = (own: GuestPlan, guest: ActualGuest | undefined): DesiredGuest => {
      const holder = holders.get(own.vmid)
      return desiredFromPlan({plan: own, file, guest, sourceOf: (o) => holder && secretSource(holder, o)})
    }
    const hold = makeHoldCopied(saved.guests)
    const replan = (own: GuestPlan, guest: ActualGuest | undefined): GuestPlan =>
      keepStricter(own, hold(planGuest(wish(own, guest), guest, actual, held && {held})))
    const live = new Map(actual.guests.map((guest) => [guest.vmid, guest]))
    const byVmid = new Map(saved.guests.map((guest) => [guest.vmid, guest]))
    const guests = saved.guests.map((own) => verify(own, replan(own, live.get(own.vmid)), file))
    return {
      plan: {...saved, guests},
      planAgain: (guest) => {
        const own = byVmid.get(guest.vmid)
        return own && replan(own, guest)
      },
    }
  }
  return {
    isSaved: true,
    plan,
    readSecrets: ({vmid}: GuestId, options) => {
      const holder = holders.get(vmid)
      return holder ? readSecrets(holder, options, env) : {}
    },
  }
}

const secretsOf = ({actions}: GuestPlan): string[] =>
  actions.flatMap((action) =>
    action.type === 'create' ? action.options.filter(({secret}) => secret).map(({option}) => option) : [],
  )

function checkSecrets(guest: GuestPlan, holder: DesiredGuest | undefined): void {
  const missing = secretsOf(guest).filter((option) => !holder || secretSource(holder, option) === undefined)
  if (missing.length === 0) return
  throw new FelhomError(
    'secret_missing',
    `the plan makes ${formatGuestId(guest)} with a secret (${missing.join(', ')}), and no file says where it is kept`,
    {
      hint: 'A plan never holds secrets: name the files that it was made from with --desired.',
      doubt: 'Nothing was sent.',
    },
  )
}

const MOST_NAMED = 8

function refuseStale(saved: Plan, actual: ActualCluster): void {
  const stale = findStale(saved, actual)
  if (stale.length === 0) return
  const named = stale.slice(0, MOST_NAMED).join('; ')
  const more = stale.length > MOST_NAMED ? `; and ${stale.length - MOST_NAMED} more` : ''
  throw new FelhomError('plan_stale', `the saved plan no longer fits: ${named}${more}`, {
    hint: 'Make a new one with felhom plan --out FILE, and look at it.',
    doubt: 'Nothing was sent and nothing was changed.',
  })
}

/** The steps stay those that were looked at, with felhom's own judgement of them. */
function verify(saved: GuestPlan, fresh: GuestPlan, file: string): GuestPlan {
  if (saved.actions.length === 0) return saved
  if (areSameSteps(saved.actions, fresh.actions)) return {...saved, actions: fresh.actions}
  throw new FelhomError(
    'usage',
    `the saved plan ${file} cannot be used: its steps for ${formatGuestId(saved)} are not those that felhom would take`,
    {
      hint: 'It was made by another version, or changed by hand. Make a new one with: felhom plan --out FILE',
      doubt: 'Nothing was sent and nothing was changed.',
    },
  )
}
