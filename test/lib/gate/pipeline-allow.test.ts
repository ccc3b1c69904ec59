import {expect} from 'chai'
import type {Provenance} from '../../../src/lib/gate/ports.ts'
import type {GuestIdentity} from '../../../src/lib/model/identity.ts'
import {forgeKey, KEY_KINDS} from '../../support/forge-keys.ts'
import {anna, annaToo, bert, GateBench, rita, signer, toyGuest, trustFile} from '../../support/gate-bench.ts'
import {FILE_KEY_KINDS, realKey, signWithSshKeygen} from '../../support/gate-keys.ts'
import {optionChange} from '../../support/planned-action.ts'

const SK = forgeKey('sk-ed25519', 'token')

const provenance = (answer: Partial<Record<keyof Provenance, boolean>>): Provenance => ({
  createdInRun: (run, {ids}: GuestIdentity) => run === 'r1' && ids.length > 0 && answer.createdInRun === true,
  isScratch: ({ids}) => ids.length > 0 && answer.isScratch === true,
})

describe('what the gate allows', () => {
  it('a destroy with a valid signature, whose nonce becomes the key of the operation', async () => {
    const bench = await GateBench.open()
    const nonce = bench.newNonce()
    bench.lay(bench.seal({payload: bench.payload({nonce})}))
    const verdict = await bench.gate.authorize(bench.request())
    if (!verdict.allowed) throw new Error(verdict.refusal.message)
    expect(verdict.authorized.key).to.equal(nonce)
    expect(verdict.authorized.class).to.equal('destructive')
    expect(bench.nonces.state(nonce)).to.equal('burned')
  })

  for (const kind of FILE_KEY_KINDS) {
    it(`a signature that stock ssh-keygen made with a key of the kind ${kind}`, async () => {
      const key = realKey(kind)
      const pinned = signer('olga', {line: key.line.split(' ').slice(0, 2).join(' ')})
      const draft = {signers: [pinned, signer('rita', rita, 'recovery')]}
      const own = trustFile(draft, [rita])
      const signatures = [
        ...readSignatures(own.signatures),
        signWithSshKeygen(key, own.bytes, 'felhom-trust-v1@felhom'),
      ]
      const trust = {...own, signatures: Buffer.from(`${JSON.stringify({v: 1, signatures})}\n`)}
      const bench = await GateBench.open({trust: [trust]})
      const payload = bench.payload()
      expect(await bench.decide({payload, signatures: [signWithSshKeygen(key, payload)]})).to.equal('allow')
    })
  }

  for (const kind of KEY_KINDS) {
    it(`a key of the kind ${kind}`, async () => {
      const key = forgeKey(kind, 'of a kind')
      const signers = [signer('olga', key), signer('rita', rita, 'recovery')]
      const bench = await GateBench.open({trust: [trustFile({signers}, [key, rita])]})
      expect(await bench.decide({keys: [key]})).to.equal('allow')
    })
  }

  it('a security key with touch and PIN, where its signer requires the PIN', async () => {
    const signers = [signer('tove', SK, 'operational', {requireUv: true}), signer('rita', rita, 'recovery')]
    const bench = await GateBench.open({trust: [trustFile({signers}, [SK, rita], {flags: 5})]})
    expect(await bench.decide({keys: [SK], choice: {flags: 5}})).to.equal('allow')
  })

  it('a rotation of the recovery keys by the recovery role', async () => {
    const bench = await GateBench.open()
    const bound = {...bench.bound(), op: 'trust.rotate_recovery', params: {to: 2}} as const
    bench.lay(bench.seal({payload: bench.payload({}, bound), keys: [rita]}))
    expect(await bench.askJob(bound)).to.equal('allow')
  })

  for (const [name, key] of [
    ['operational', anna],
    ['recovery', rita],
  ] as const) {
    it(`a planned rotation of operational keys by the ${name} role`, async () => {
      const bench = await GateBench.open()
      const bound = {...bench.bound(), op: 'trust.rotate_operational', params: {to: 2}} as const
      bench.lay(bench.seal({payload: bench.payload({}, bound), keys: [key]}))
      expect(await bench.askJob(bound)).to.equal('allow')
    })
  }

  it('a job that only an injected executor knows: a storage wiped, a host decommissioned, a guest overwritten', async () => {
    for (const op of [
      'storage.wipe',
      'host.decommission',
      'guest.restore_over',
      'volume.move_delete',
    ] as const) {
      const bench = await GateBench.open()
      const bound = {...bench.bound(), op, params: {storage: 'tank'}}
      bench.lay(bench.seal({payload: bench.payload({}, bound)}))
      expect(await bench.askJob(bound), op).to.equal('allow')
    }
  })

  it('two people where the threshold is two', async () => {
    const bench = await GateBench.open({
      trust: [trustFile({thresholds: {default: 1, recovery: 1, 'guest.destroy': 2}})],
    })
    expect(await bench.decide({keys: [anna, bert]})).to.equal('allow')
  })

  it('one person with two keys where the threshold is one', async () => {
    const bench = await GateBench.open()
    expect(await bench.decide({keys: [anna, annaToo]})).to.equal('allow')
  })

  it('a good retry after a binding failure, for the nonce was not burned by it', async () => {
    const bench = await GateBench.open()
    const envelope = bench.seal()
    const before = bench.guest
    bench.guest = toyGuest({lock: 'backup'})
    expect(await bench.decide(envelope)).to.equal('binding_mismatch')
    bench.guest = before
    expect(await bench.decide(envelope)).to.equal('allow')
  })

  it('what is benign, without any signature', async () => {
    const bench = await GateBench.open()
    expect(await bench.ask(bench.request({type: 'start'}, {class: 'benign'}))).to.equal('allow')
    const changes = [optionChange('memory', undefined, '1024')]
    expect(await bench.ask(bench.request({type: 'set-config', changes}, {class: 'benign'}))).to.equal('allow')
  })

  it('a guest that the own journal recorded as scratch when it was created', async () => {
    const bench = await GateBench.open({gate: {provenance: provenance({isScratch: true})}})
    expect(await bench.ask()).to.equal('allow')
  })

  it('a guest that this same run has created', async () => {
    const bench = await GateBench.open({gate: {provenance: provenance({createdInRun: true})}})
    expect(await bench.ask({...bench.request(), run: 'r1'})).to.equal('allow')
    expect(await bench.ask({...bench.request(), run: 'r2'})).to.equal('pending_signature')
  })

  const signed: readonly [string, Parameters<GateBench['request']>[0]][] = [
    ['protection switched off', {type: 'set-config', changes: [optionChange('protection', '1', '0')]}],
    ['protection deleted', {type: 'set-config', changes: [optionChange('protection', '1', undefined)]}],
    ['conversion to a template', {type: 'set-config', changes: [optionChange('template', undefined, '1')]}],
    ['a volume detached', {type: 'set-config', changes: [optionChange('mp0', 'x', undefined)]}],
    ['an unused volume removed', {type: 'set-config', changes: [optionChange('unused0', 'x', undefined)]}],
    ['a snapshot deleted', {type: 'snapshot-delete', snapshot: 'before'}],
    ['a rollback to a snapshot', {type: 'snapshot-rollback', snapshot: 'before'}],
  ]
  for (const [name, body] of signed) {
    it(`${name}, if it is signed for, and once`, async () => {
      const bench = await GateBench.open()
      const request = bench.request(body, {class: 'benign'})
      expect(await bench.ask(request)).to.equal('pending_signature')
      const draft = {payload: bench.payload({}, bench.bound(body))}
      expect(await bench.decide(draft, request)).to.equal('allow')
      expect(await bench.ask(request)).to.equal('replay')
    })
  }

  it('the one that holds among several approvals, whatever else lies there', async () => {
    const bench = await GateBench.open()
    bench.lay(Buffer.from('{'), {})
    bench.lay(bench.seal({payload: bench.payload({exp: '2026-11-18T11:59:59Z'})}))
    bench.lay(bench.seal({keys: []}))
    bench.lay(bench.seal(), {})
    bench.lay(Buffer.from('not JSON'))
    expect(await bench.ask()).to.equal('allow')
  })
})

const readSignatures = (bytes: Uint8Array): string[] =>
  (JSON.parse(Buffer.from(bytes).toString()) as {signatures: string[]}).signatures
