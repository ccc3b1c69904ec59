// Payloads: the right one, and one for each way to be malformed that survives being written as JSON text.
import {writeCanonical} from '../../../src/lib/gate/canonical-json.ts'
import {
  actionDigest,
  identityDigest,
  observedDigest,
  type ObservedGuest,
} from '../../../src/lib/gate/digests.ts'
import {SIGNED_OPERATIONS, type BoundAction, type CanonicalValue} from '../../../src/lib/model/approval.ts'
import type {DecisionFacts, DigestVectors, IdentityVector, StatementVector} from './vector-types.ts'

const IDENTITIES: readonly IdentityVector[] = [
  {kind: 'lxc', vmid: 104, ids: ['hwaddr:BC:24:11:00:01:04', 'rootfs:local-lvm:vm-104-disk-0']},
  {
    kind: 'qemu',
    vmid: 200,
    ids: ['uuid:6b1b1b9e-7c8c-4f5e-9a57-3c1f2d0e4a11', 'vmgenid:1f0e7d5c-0000-4000-8000-2b3c4d5e6f70'],
  },
]

const GUEST: ObservedGuest = {
  config: {
    hostname: 'files',
    mp0: 'local-lvm:vm-104-disk-1,mp=/data,size=100G',
    net0: 'name=eth0,bridge=vmbr0,hwaddr=BC:24:11:00:01:04',
    rootfs: 'local-lvm:vm-104-disk-0,size=8G',
  },
  pending: [
    {option: 'cores', kind: 'delete', force: false},
    {option: 'memory', kind: 'set', value: '1024'},
  ],
  snapshots: [
    {name: 'before', snaptime: 1_780_000_000},
    {name: 'later', parent: 'before', snaptime: 1_790_000_000},
  ],
  lock: undefined,
}

const identity = identityDigest(IDENTITIES[0] ?? {kind: 'lxc', vmid: 0, ids: []})
export const ACTION: BoundAction = {
  op: 'guest.destroy',
  params: {purge: true},
  target: {kind: 'lxc', node: 'pve1', vmid: 104, identity},
}

export const FACTS: DecisionFacts = {
  host: 'Zk3vJp0Qe1yq3nT8w2b5Xg',
  now: '2026-06-01T12:00:00Z',
  action: ACTION,
  observed: observedDigest(GUEST),
  trust: 'one version',
  burned: ['YnVybmVkLWJ1cm5lZC1idQ'],
  rejected: ['cmVqZWN0ZWQtcmVqZWN0ZQ'],
}

export const FIELDS: Readonly<Record<string, CanonicalValue>> = {
  type: 'felhom.op.v1',
  host: FACTS.host,
  op: ACTION.op,
  target: {...ACTION.target},
  params: ACTION.params,
  action: actionDigest(ACTION),
  observed: FACTS.observed,
  nonce: 'ZmVsaG9tLWZlbGhvbS1mZQ',
  iat: '2026-06-01T11:59:00Z',
  exp: '2026-06-01T13:00:00Z',
  trust: 1,
  reason: 'the customer has left',
}

/** Canonical text of the right statement, but for `change`; undefined leaves a field out. */
export const payload = (change: Readonly<Record<string, CanonicalValue | undefined>> = {}): string =>
  writeCanonical({...FIELDS, ...change} as CanonicalValue)

function rewrite(from: string, to: string): string {
  const text = payload()
  if (!text.includes(from)) throw new Error(`${from} is not in the payload`)
  return text.replace(from, () => to)
}

const nest = (depth: number): string => '['.repeat(depth) + ']'.repeat(depth)

const GOOD: Readonly<Record<string, string>> = {
  'as it should be': payload(),
  'with nbf': payload({nbf: '2026-06-01T11:59:30Z'}),
  'with letters beyond ASCII': payload({reason: 'az ügyfél elköltözött'}),
  'on the 29th of February of a leap year': payload({iat: '2028-02-29T12:00:00Z'}),
  ...Object.fromEntries(SIGNED_OPERATIONS.map((op) => [`for ${op}`, payload({op})])),
}

export const MALFORMED_PAYLOADS: Readonly<Record<string, string>> = {
  'white space': rewrite('{"action":', '{ "action":'),
  'an end of line after it': `${payload()}\n`,
  'keys in another order': JSON.stringify(FIELDS),
  'a duplicate key': rewrite('"op":', '"op":"guest.template","op":'),
  'a duplicate key, escaped': rewrite('"op":', '"\\u006fp":"guest.template","op":'),
  'an escape that is not needed': rewrite('"host":', '"\\u0068ost":'),
  '104.0': rewrite('104', '104.0'),
  '1.04e2': rewrite('104', '1.04e2'),
  '2^53 + 1': rewrite('"trust":1', '"trust":9007199254740993'),
  '-0': rewrite('"trust":1', '"trust":-0'),
  __proto__: rewrite('"purge":true', '"__proto__":1,"purge":true'),
  constructor: payload({params: {constructor: 1}}),
  toJSON: payload({params: {toJSON: 1}}),
  'a text not in normal form': payload({reason: 'cafe\u0301'}),
  'half a surrogate pair': rewrite('the customer', '\\ud800'),
  'a bidi override': payload({reason: 'a\u202eb'}),
  'a zero-width space': payload({reason: 'a\u200bb'}),
  'a control character': payload({reason: 'a\u0007b'}),
  'a mark of the byte order': `\ufeff${payload()}`,
  'an unknown field': payload({note: 'x'}),
  'an unknown field of the target': payload({target: {...ACTION.target, name: 'files'}}),
  'no reason': payload({reason: undefined}),
  'another type': payload({type: 'felhom.op.v2'}),
  'an operation that is not known': payload({op: 'guest.start'}),
  'nesting 5,000': rewrite('"purge":true', `"purge":${nest(5000)}`),
  'nesting 9': payload({params: {deep: JSON.parse(nest(7)) as CanonicalValue}}),
  '17 KiB': payload({params: {long: 'x'.repeat(17 * 1024)}}),
  'a time with an offset': payload({iat: '2026-06-01T13:59:00+02:00'}),
  'the 30th of February': payload({exp: '2026-02-30T12:00:00Z'}),
  'the hour 24': payload({exp: '2026-06-01T24:00:00Z'}),
  'a time with milliseconds': payload({iat: '2026-06-01T11:59:00.000Z'}),
  'a nonce of 120 bits': payload({nonce: 'ZmVsaG9tLWZlbGhvbS1m'}),
  'a padded nonce': payload({nonce: 'ZmVsaG9tLWZlbGhvbS1mZQ=='}),
  'a nonce with stray bits': payload({nonce: 'ZmVsaG9tLWZlbGhvbS1mZR'}),
  'a digest in capitals': payload({observed: FACTS.observed.toUpperCase().replace('SHA', 'sha')}),
  'a version of the trust store as text': payload({trust: '1'}),
}

export function makeStatementVectors(): StatementVector[] {
  const list = (group: Readonly<Record<string, string>>, expect: 'good' | 'malformed'): StatementVector[] =>
    Object.entries(group).map(([title, text]) => ({title, payload: text, expect}))
  return [...list(GOOD, 'good'), ...list(MALFORMED_PAYLOADS, 'malformed')]
}

export function makeDigestVectors(): DigestVectors {
  const actions: BoundAction[] = [
    ACTION,
    {...ACTION, op: 'snapshot.delete', params: {snapshot: 'before'}},
    {...ACTION, op: 'volume.detach', params: {option: 'mp0', volume: 'local-lvm:vm-104-disk-1'}},
  ]
  const bare: ObservedGuest = {...GUEST, pending: [], snapshots: []}
  const guests: ObservedGuest[] = [GUEST, {...GUEST, lock: 'backup'}, bare]
  const show = (guest: ObservedGuest): CanonicalValue => ({
    config: guest.config,
    pending: guest.pending.map((change) => ({...change})),
    snapshots: guest.snapshots.map(({name, parent = null, snaptime = null}) => ({name, parent, snaptime})),
    lock: guest.lock ?? null,
  })
  return {
    actions: actions.map((action) => ({action, digest: actionDigest(action)})),
    identities: IDENTITIES.map((one) => ({identity: one, digest: identityDigest(one)})),
    observed: guests.map((guest) => ({guest: show(guest), digest: observedDigest(guest)})),
  }
}
