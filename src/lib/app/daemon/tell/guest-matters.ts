// What a pass says about each guest: whether it still differs from what is desired, what failed, what waits for a
// signature. What the pass itself has put right is nothing to be told: the log and the metrics have it. Pure.
import type {PassReport, Setback} from '../../../model/daemon.ts'
import {formatGuestId, type GuestId} from '../../../model/guest.ts'
import type {PlannedAction} from '../../../model/plan.ts'
import type {ActionOutcome, ActionResult} from '../../../model/run-event.ts'
import {describeWish} from '../../../report/action-words.ts'
import {isDone} from '../../../report/apply-outcomes.ts'
import {describeBody, nameTarget} from '../../../report/journal-words.ts'
import {digest, endSentence, nameGuest, type Matter} from './matter.ts'
import {isUnseenGuest} from '../unseen-guest.ts'

export interface Drift {
  readonly guest: GuestId
  readonly name: string | undefined
  readonly node: string | undefined
  /** What is left to be done. */
  readonly actions: readonly PlannedAction[]
}

/** Whether the guest differs was not seen: it is being changed, or changed while the pass was made. */
const UNSETTLED: readonly ActionOutcome[] = ['in_flight', 'frozen', 'stale', 'not_started']

interface GuestView {
  readonly drift?: Drift
  readonly isUnsettled: boolean
  readonly failed?: ActionResult
}

const views = new WeakMap<PassReport, ReadonlyMap<string, GuestView>>()

/** By `lxc/101`; a guest that is as desired is not there, one that was not seen is. */
export function viewGuests(report: PassReport): ReadonlyMap<string, GuestView> {
  let view = views.get(report)
  if (!view) {
    view = makeView(report)
    views.set(report, view)
  }
  return view
}

function makeView({plan, results}: PassReport): ReadonlyMap<string, GuestView> {
  const own = new Map<string, ActionResult[]>()
  for (const result of results) {
    const id = formatGuestId(result.guest)
    const list = own.get(id)
    if (list) list.push(result)
    else own.set(id, [result])
  }
  const view = new Map<string, GuestView>()
  for (const guestPlan of plan?.guests ?? []) {
    const {kind, vmid, name, node, actions} = guestPlan
    const guest = {kind, vmid}
    const id = formatGuestId(guest)
    const seen = actions.length > 0 && viewGuest({guest, name, node, actions}, own.get(id) ?? [])
    if (isUnseenGuest(guestPlan)) view.set(id, {...(seen || {}), isUnsettled: true})
    else if (seen) view.set(id, seen)
  }
  return view
}

function viewGuest(planned: Drift, results: readonly ActionResult[]): GuestView {
  if (results.length === 0) {
    const isBlocked = planned.actions.every(({blockers}) => blockers.length > 0)
    return isBlocked ? {drift: planned, isUnsettled: false} : {isUnsettled: true}
  }
  const left = results.filter((result) => !isDone(result))
  const failed = left.find(({outcome}) => outcome === 'failed')
  if (left.some(({outcome}) => UNSETTLED.includes(outcome)))
    return {isUnsettled: true, ...(failed && {failed})}
  if (left.length === 0) return {isUnsettled: false}
  return {
    isUnsettled: false,
    drift: {...planned, actions: left.map(({action}) => action)},
    ...(failed && {failed}),
  }
}

/** Guests that differ from the desired state after the pass, as far as that was seen. */
export const findDrift = (report: PassReport): Drift[] =>
  [...viewGuests(report).values()].flatMap(({drift}) => (drift ? [drift] : []))

/** Of a guest that was not seen whole a destruction would be told in other words, and so as another matter. */
const findTellableDrift = (report: PassReport): Drift[] =>
  [...viewGuests(report).values()].flatMap(({drift, isUnsettled}) =>
    drift && !(isUnsettled && drift.actions.some(({type}) => type === 'destroy')) ? [drift] : [],
  )

export const driftMatters = (report: PassReport): Matter[] =>
  findTellableDrift(report).map(({guest, name, actions}) => {
    const wishes = actions.map(describeWish).join('; ')
    const reason = actions.flatMap(({blockers}) => blockers)[0]?.message
    const subject = nameGuest(guest, name)
    return {
      kind: 'drift_found',
      key: `drift_found:${formatGuestId(guest)}:${digest(JSON.stringify(actions.map(describeWork)))}`,
      guest,
      text: `${endSentence(`${subject} differs from the desired state: ${wishes}`)}${reason === undefined ? '' : ` ${endSentence(`Not done: ${reason}`)}`}`,
      over: endSentence(`${subject} no longer differs in this: ${wishes}`),
    }
  })

export const failureMatters = (report: PassReport): Matter[] => [
  ...resultMatters(report),
  ...(report.setbacks ?? []).map(describeSetback),
]

function describeSetback({intent, reason}: Setback): Matter {
  const {kind, vmid} = intent.target
  const guest = {kind, vmid}
  const subject = `${nameTarget(intent)}: ${describeBody(intent.body)}`
  return {
    kind: 'action_failed',
    key: `action_failed:${formatGuestId(guest)}:${digest(`${intent.body.type} later ${normalise(reason)}`)}`,
    guest,
    text: `${endSentence(`${subject} was not done, as was found out later: ${reason}`)} Operation ${intent.op}.`,
    over: `${subject} no longer fails in the same way.`,
  }
}

function resultMatters(report: PassReport): Matter[] {
  return [...viewGuests(report).values()].flatMap(({failed}) => {
    if (!failed) return []
    const {guest, name, action, detail = 'no reason was given'} = failed
    const subject = `${nameGuest(guest, name)}: ${describeWish(action)}`
    return [
      {
        kind: 'action_failed',
        key: `action_failed:${formatGuestId(guest)}:${digest(`${action.type} ${normalise(detail)}`)}`,
        guest,
        text: endSentence(`${subject} failed: ${detail}`),
        over: `${subject} no longer fails in the same way.`,
      },
    ]
  })
}

/** The same failure of another attempt has another task, another operation and other numbers in it. */
const normalise = (detail: string): string =>
  detail
    .replaceAll(/UPID:\S+/g, 'UPID')
    .replaceAll(/\d{8}T\d{6}-\S+/g, 'op')
    .replaceAll(/\d+/g, '0')

export function signatureMatters({plan}: PassReport): Matter[] {
  const seen = (plan?.guests ?? []).filter((guest) => !isUnseenGuest(guest))
  return seen.flatMap(({kind, vmid, name, actions}) =>
    actions.flatMap((action) => {
      const wanted = action.blockers.find(({code}) => code === 'needs_signature')
      if (!wanted) return []
      const guest = {kind, vmid}
      const subject = `${nameGuest(guest, name)}: ${describeWish(action)}`
      return [
        {
          kind: 'signature_pending' as const,
          key: `signature_pending:${formatGuestId(guest)}:${digest(JSON.stringify(describeWork(action)))}`,
          guest,
          text: `${endSentence(`${subject} waits for a signature: ${wanted.message}`)} See: felhom gate pending`,
          over: `${subject} no longer waits for a signature.`,
        },
      ]
    }),
  )
}

/** What is to be done, without what stands in its way and what it would cost at the moment. */
function describeWork(action: PlannedAction): unknown {
  switch (action.type) {
    case 'set-config':
      return [action.type, action.changes.map(({option, before, after}) => [option, before, after])]
    case 'create':
      return [action.type, action.from, action.options.map(({option, after}) => [option, after])]
    // What is undefined is left out of the JSON.
    default: {
      const cost = {why: undefined, impact: undefined, reversible: undefined, class: undefined}
      return {...action, ...cost, needs: undefined, blockers: undefined}
    }
  }
}
