// What the gate would say to each action of a plan, for people and for --json.
import type {Refusal} from '../../model/approval.ts'
import {formatGuestId} from '../../model/guest.ts'
import {describeWish} from '../../report/action-words.ts'
import type {GateItem} from '../../report/gate-check-text.ts'
import type {TrustSnapshot} from '../../gate/trust-snapshot.ts'
import type {GateEntry, GateLook} from './gate-look.ts'

const ID_DIGITS = 16

export const describeEntries = ({entries, trust}: GateLook): GateItem[] =>
  entries.map((entry) => describeEntry(entry, trust))

/** The action's short name: the beginning of its digest. */
export const shortId = (action: string): string => action.slice('sha256:'.length).slice(0, ID_DIGITS)

function describeEntry({guest, action, inspection}: GateEntry, trust: TrustSnapshot | undefined): GateItem {
  const {need, refusal} = inspection
  const needed = need && trust?.thresholdFor(need.bound.op)
  return {
    guest: formatGuestId(guest),
    node: guest.node ?? null,
    name: guest.name ?? null,
    action: describeWish(action),
    class: inspection.class,
    id: need ? shortId(need.action) : null,
    op: need?.bound.op ?? null,
    role: need ? 'operational' : null,
    people: needed === undefined ? null : {signed: countSigned(entryOf(inspection), needed), needed},
    state: judgeState(inspection),
    refusal: refusal ? {code: refusal.code, message: refusal.message} : null,
  }
}

const entryOf = ({approved, refusal}: GateEntry['inspection']): {approved: boolean; refusal?: Refusal} => ({
  approved: approved !== undefined,
  ...(refusal && {refusal}),
})

const countSigned = ({approved, refusal}: {approved: boolean; refusal?: Refusal}, needed: number): number =>
  approved ? needed : (refusal?.signed?.people ?? 0)

function judgeState({approved, refusal, need, class: gateClass}: GateEntry['inspection']): GateItem['state'] {
  if (approved) return 'signed'
  if (!refusal) return gateClass === 'benign' ? 'allowed' : 'refused'
  if (refusal.code !== 'pending_signature') return 'refused'
  return need ? 'pending' : 'unsignable'
}

/** It would not be carried out as things are. */
export const isHeldBack = ({state}: GateItem): boolean => state !== 'allowed' && state !== 'signed'
