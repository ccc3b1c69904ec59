// Trust stores: those that are believed, and one for each rule that can be broken.
import {hashTrust} from '../../../src/lib/gate/trust-document.ts'
import type {TrustFile} from '../../../src/lib/gate/ports.ts'
import {writeTimestamp} from '../../../src/lib/gate/timestamp.ts'
import {
  DAY_MS,
  draftVersion,
  follow,
  genesisOf,
  NOW_MS,
  operational,
  recovery,
  sealVersion,
  signTrust,
  type DraftChoice,
} from '../trust-lab.ts'
import {wireString} from '../wire-string.ts'
import {encodeTrustSignatures} from '../../../src/lib/gate/trust-signatures.ts'
import type {TrustVector} from './vector-types.ts'

export const anna = operational('anna')
export const annaToo = operational('anna', {kind: 'ecdsa-256', seed: 'anna too'})
export const bert = operational('bert')
export const cora = operational('cora', {kind: 'sk-ed25519', requireUv: true})
export const late = operational('late', {notAfterMs: NOW_MS - DAY_MS})
export const rita = recovery('rita')
export const stranger = operational('stranger')
const eve = operational('eve')

const everybody = [anna, annaToo, bert, cora, rita]
/** With touch and PIN, where there are such. */
const genesisOfAll = (choice: DraftChoice = {}): TrustFile => {
  const bytes = draftVersion(everybody, choice)
  const signatures = everybody.map((person) => signTrust(bytes, person, {flags: 5}))
  return {version: 1, bytes, signatures: encodeTrustSignatures(signatures)}
}
const first = genesisOfAll()
const small = [anna, bert, rita]
const one = genesisOf(small)
const withoutBert = [anna, rita]

const store = (
  title: string,
  files: readonly TrustFile[],
  why?: string,
  change: Partial<Pick<TrustVector, 'now' | 'genesis' | 'mark'>> = {},
): TrustVector => ({
  title,
  now: writeTimestamp(NOW_MS),
  genesis: files[0] ? hashTrust(files[0].bytes) : `sha256:${'0'.repeat(64)}`,
  mark: 0,
  files: files.map(({version, bytes, signatures}) => ({
    version,
    document: Buffer.from(bytes).toString(),
    signatures: Buffer.from(signatures).toString(),
  })),
  ...change,
  ...(why === undefined ? {expect: 'believed' as const} : {expect: 'trust_error' as const, why}),
})

/** Version 1 with its text changed, signed again by everybody. */
const rewritten = (from: string, to: string): TrustFile => {
  const text = Buffer.from(one.bytes).toString()
  if (!text.includes(from)) throw new Error(`${from} is not in the trust file`)
  return sealVersion(Buffer.from(text.replace(from, () => to)), small)
}

const smallOrder = `ssh-ed25519 ${Buffer.concat([wireString('ssh-ed25519'), wireString(Buffer.alloc(32))]).toString('base64')}`

export function makeTrustVectors(): TrustVector[] {
  const second = follow(one, [...small, eve], [anna, eve])
  return [
    store('one version', [first]),
    store('two of three must sign', [genesisOfAll({thresholds: {default: 2, recovery: 1}})]),
    store('two must sign for a destroy', [
      genesisOfAll({thresholds: {default: 1, recovery: 1, 'guest.destroy': 2}}),
    ]),
    store('one key is past its window', [genesisOf([anna, late, rita])]),
    store('an operator added by an operator', [one, second]),
    store('an operator removed by the recovery role, and revoked', [
      one,
      follow(one, withoutBert, [rita, anna], {revoked: [bert]}),
    ]),
    store('no version at all', [], 'missing'),
    store('another first version than is pinned', [one], 'genesis', {genesis: hashTrust(first.bytes)}),
    store('rolled back', [one], 'rolled_back', {mark: 2}),
    store('expired', [genesisOf(small, {expiresMs: NOW_MS - 1000})], 'expired'),
    store(
      'version 1 not signed by everybody in it',
      [sealVersion(draftVersion(small), [anna, rita])],
      'unsigned',
    ),
    store(
      'version 2 does not follow',
      [one, sealVersion(draftVersion(small, {version: 2, prev: hashTrust(first.bytes)}, one), [anna], 2)],
      'chain',
    ),
    store('a new key that has not signed', [one, follow(one, [...small, eve], [anna])], 'unsigned'),
    store(
      'the recovery key replaced by an operator',
      [one, follow(one, [anna, bert, recovery('robin')], [anna, bert, recovery('robin')])],
      'not_permitted',
    ),
    store(
      'signed for operations',
      [
        {
          ...one,
          signatures: encodeTrustSignatures(
            small.map((person) => signTrust(one.bytes, person, {namespace: 'felhom-op-v1@felhom'})),
          ),
        },
      ],
      'bad_signature',
    ),
    store('a threshold of 0', [genesisOf(small, {thresholds: {default: 0, recovery: 1}})], 'threshold'),
    store(
      'a threshold above the number of people',
      [genesisOf([anna, annaToo, rita], {thresholds: {default: 2, recovery: 1}})],
      'threshold',
    ),
    store('nobody in the recovery role', [genesisOf([anna, bert])], 'role_empty'),
    store('a key of small order', [rewritten(bert.key.line, smallOrder)], 'weak_key'),
    store(
      'a key twice',
      [genesisOf([anna, operational('bert', {keyText: anna.key.line}), rita])],
      'duplicate_key',
    ),
    store('white space', [rewritten('"expires":', '"expires": ')], 'malformed'),
    store('an unknown field', [rewritten('"expires":', '"exp":1,"expires":')], 'malformed'),
  ]
}
