// Envelopes and what is decided on them: payloads are validly signed, so that only the intended check can stop them.
import type {BoundAction, CanonicalValue} from '../../../src/lib/model/approval.ts'
import {actionDigest} from '../../../src/lib/gate/digests.ts'
import type {SigningChoice} from '../sshsig-forge.ts'
import {forgeSshsig} from '../sshsig-forge.ts'
import type {TrustPerson} from '../trust-lab.ts'
import {ACTION, FACTS, MALFORMED_PAYLOADS, payload} from './statement-vectors.ts'
import {anna, annaToo, bert, cora, late, rita, stranger} from './trust-vectors.ts'
import type {DecisionFacts, DecisionVector, DecisionVectors} from './vector-types.ts'

const sign = (text: string, people: readonly TrustPerson[], choice: SigningChoice = {}): string[] =>
  people.map(({key}) => forgeSshsig(key, text, choice))

const wrap = (text: string, signatures: readonly string[]): string =>
  JSON.stringify({v: 1, payload: Buffer.from(text).toString('base64'), signatures})

interface Draft {
  readonly text?: string
  readonly people?: readonly TrustPerson[]
  readonly choice?: SigningChoice
  readonly facts?: Partial<DecisionFacts>
}

const seal = ({text = payload(), people = [anna], choice = {}}: Draft = {}): string =>
  wrap(text, sign(text, people, choice))

const vector = (title: string, expect: string, draft: Draft = {}): DecisionVector => ({
  title,
  ...draft.facts,
  envelope: seal(draft),
  expect,
})
const raw = (title: string, expect: string, envelope: string): DecisionVector => ({title, envelope, expect})

const rotation = (op: 'trust.rotate_operational' | 'trust.rotate_recovery'): Draft => {
  const action: BoundAction = {...ACTION, op, params: {}}
  return {text: payload({op, params: {}, action: actionDigest(action)}), facts: {action}}
}
const target = (change: Readonly<Record<string, CanonicalValue>>): string =>
  payload({target: {...ACTION.target, ...change}})
const twoOfThree = {trust: 'two of three must sign'}
const removed = 'an operator removed by the recovery role, and revoked'
const good = payload()

const ALLOWED: readonly DecisionVector[] = [
  vector('valid', 'allow'),
  vector('by an ECDSA key', 'allow', {people: [annaToo]}),
  vector('by a security key, with touch and PIN', 'allow', {people: [cora], choice: {flags: 5}}),
  vector('two people, two needed', 'allow', {people: [anna, bert], facts: twoOfThree}),
  vector('three signatures of two people, two needed for a destroy', 'allow', {
    people: [anna, bert, annaToo],
    facts: {trust: 'two must sign for a destroy'},
  }),
  vector('in its last second', 'allow', {facts: {now: '2026-06-01T13:00:00Z'}}),
  vector('issued 60 seconds ahead', 'allow', {facts: {now: '2026-06-01T11:58:00Z'}}),
  vector('a lifetime of 24 hours', 'allow', {text: payload({exp: '2026-06-02T11:59:00Z'})}),
  vector('planned rotation by an operator', 'allow', rotation('trust.rotate_operational')),
  vector('rotation of the recovery role by itself', 'allow', {
    ...rotation('trust.rotate_recovery'),
    people: [rita],
  }),
  raw('white space and another order in the envelope', 'allow', respell(seal())),
]

function respell(envelope: string): string {
  const {v, payload: base64, signatures} = JSON.parse(envelope) as Record<string, CanonicalValue>
  return `${JSON.stringify({signatures, v, payload: base64}, null, 2)}\n`
}

const SIGNERS: readonly DecisionVector[] = [
  raw('nobody has signed', 'pending_signature', wrap(good, [])),
  vector('one person, two needed', 'pending_signature', {facts: twoOfThree}),
  vector('one person twice, two needed', 'pending_signature', {people: [anna, anna], facts: twoOfThree}),
  vector('one person with two keys, two needed', 'pending_signature', {
    people: [anna, annaToo],
    facts: twoOfThree,
  }),
  vector('a key that is not pinned', 'unknown_signer', {people: [stranger]}),
  vector('a good key and one that is not pinned', 'unknown_signer', {people: [anna, stranger]}),
  vector('a key past its window', 'unknown_signer', {
    people: [late],
    facts: {trust: 'one key is past its window'},
  }),
  vector('a key that was revoked since', 'unknown_signer', {people: [bert], facts: {trust: removed}}),
  vector('for git', 'wrong_namespace', {choice: {namespace: 'git'}}),
  vector('for trust files', 'wrong_namespace', {choice: {namespace: 'felhom-trust-v1@felhom'}}),
  raw('over other bytes', 'bad_signature', wrap(good, sign(`${good}\n`, [anna]))),
  raw(
    'a bit of the payload flipped',
    'bad_signature',
    wrap(good.replace('left', 'lefu'), sign(good, [anna])),
  ),
  vector('a security key without touch', 'bad_signature', {people: [cora], choice: {flags: 4}}),
  vector('a security key without PIN', 'bad_signature', {people: [cora], choice: {flags: 1}}),
  vector('the recovery role on a destroy', 'role_denied', {people: [rita]}),
  vector('an operator on the recovery role', 'role_denied', rotation('trust.rotate_recovery')),
  vector('an operator and the recovery role on a destroy', 'role_denied', {people: [anna, rita]}),
]

const TIMES: readonly DecisionVector[] = [
  vector('a second late', 'expired', {facts: {now: '2026-06-01T13:00:01Z'}}),
  vector('issued 10 minutes ahead', 'expired', {facts: {now: '2026-06-01T11:49:00Z'}}),
  vector('not valid yet', 'expired', {text: payload({nbf: '2026-06-01T12:10:00Z'})}),
  vector('a lifetime of ten years', 'expired', {text: payload({exp: '2036-06-01T12:00:00Z'})}),
  vector('a lifetime of 24 hours and a second', 'expired', {text: payload({exp: '2026-06-02T11:59:01Z'})}),
  vector('another host', 'wrong_host', {text: payload({host: 'another-installation'})}),
  vector('burned before', 'replay', {text: payload({nonce: FACTS.burned[0] ?? ''})}),
  vector('rejected before', 'replay', {text: payload({nonce: FACTS.rejected[0] ?? ''})}),
]

const BINDING: readonly DecisionVector[] = [
  vector('the vmid as text', 'binding_mismatch', {text: target({vmid: '104'})}),
  vector('another vmid', 'binding_mismatch', {text: target({vmid: 105})}),
  vector('another node', 'binding_mismatch', {text: target({node: 'pve2'})}),
  vector('another kind', 'binding_mismatch', {text: target({kind: 'qemu'})}),
  vector('another guest under the same vmid', 'binding_mismatch', {
    text: target({identity: `sha256:${'0'.repeat(64)}`}),
  }),
  vector('another operation', 'binding_mismatch', {text: payload({op: 'guest.template'})}),
  vector('a parameter more', 'binding_mismatch', {text: payload({params: {purge: true, force: true}})}),
  vector('a parameter absent', 'binding_mismatch', {text: payload({params: {}})}),
  vector('a parameter false', 'binding_mismatch', {text: payload({params: {purge: false}})}),
  vector('the digest of another action', 'binding_mismatch', {
    text: payload({action: actionDigest({...ACTION, params: {}})}),
  }),
  vector('a guest that was changed since', 'binding_mismatch', {
    facts: {observed: `sha256:${'1'.repeat(64)}`},
  }),
  vector('a trust store that was changed since', 'binding_mismatch', {facts: {trust: removed}}),
]

const base64 = Buffer.from(good).toString('base64')
const ENVELOPES: readonly DecisionVector[] = [
  raw('of version 2', 'malformed', seal().replace('"v":1', '"v":2')),
  raw('of version 1.0', 'malformed', seal().replace('"v":1', '"v":1.0')),
  raw('with a duplicate key', 'malformed', seal().replace('{', '{"v":1,')),
  raw('with an unknown field', 'malformed', seal().replace('{', '{"w":1,')),
  raw('with 9 signatures', 'malformed', wrap(good, Array<string>(9).fill(sign(good, [anna])[0] ?? ''))),
  raw(
    'with white space in its payload',
    'malformed',
    seal().replace(base64, `${base64.slice(0, 8)} ${base64.slice(8)}`),
  ),
  raw('with text after a signature', 'malformed', wrap(good, [`${sign(good, [anna])[0] ?? ''}x`])),
  raw('with a signature that is no text', 'malformed', seal().replace('"signatures":[', '"signatures":[1,')),
  raw('that is no JSON', 'malformed', seal().slice(1)),
]

export function makeDecisionVectors(): DecisionVectors {
  const payloads = Object.entries(MALFORMED_PAYLOADS).map(([title, text]) =>
    vector(`a payload with ${title}`, 'malformed', {text}),
  )
  const envelopes = ENVELOPES.map((one) => ({...one, title: `an envelope ${one.title}`}))
  const untrusted = [
    'expired',
    'rolled back',
    'a key of small order',
    'another first version than is pinned',
  ].map((trust) => vector(`under the trust store "${trust}"`, 'trust_error', {facts: {trust}}))
  return {
    facts: FACTS,
    cases: [...ALLOWED, ...SIGNERS, ...TIMES, ...BINDING, ...envelopes, ...payloads, ...untrusted],
  }
}
