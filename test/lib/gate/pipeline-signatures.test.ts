// Steps 1 to 6: who signed, for what, and whether the signatures hold.
import {expect} from 'chai'
import type {ActionBody} from '../../../src/lib/model/plan.ts'
import {forgeKey} from '../../support/forge-keys.ts'
import {
  anna,
  annaToo,
  bert,
  DAY_MS,
  GateBench,
  HOUR_MS,
  NOW_MS,
  rita,
  signer,
  stranger,
  toyGuest,
  trustFile,
} from '../../support/gate-bench.ts'
import {optionChange} from '../../support/planned-action.ts'
import {forgeSshsig} from '../../support/sshsig-forge.ts'

const TWO_OF_N = {default: 1, recovery: 1, 'guest.destroy': 2}
const recovery = signer('rita', rita, 'recovery')

describe('pending_signature', () => {
  it('no approval at all', async () => {
    const bench = await GateBench.open()
    expect(await bench.ask()).to.equal('pending_signature')
  })

  it('an empty list of signatures', async () => {
    const bench = await GateBench.open()
    expect(await bench.decide({keys: []})).to.equal('pending_signature')
  })

  it('an operation that nobody knows, even beside an approval', async () => {
    const bench = await GateBench.open()
    const request = bench.request({type: 'wipe'} as unknown as ActionBody, {class: 'benign'})
    expect(await bench.decide({}, request)).to.equal('pending_signature')
    const verdict = await bench.gate.authorize(request)
    expect(!verdict.allowed && verdict.refusal.message).to.match(/no signature can allow it/)
  })

  it('a scratch tag and a description that came with the guest', async () => {
    const bench = await GateBench.open()
    const {config} = toyGuest()
    if (!config.known) throw new Error('unreachable')
    const current = {...config.current, tags: 'scratch', description: 'felhom: scratch'}
    bench.guest = toyGuest({tags: ['scratch'], config: {...config, current}})
    expect(await bench.ask()).to.equal('pending_signature')
  })

  it('a plan that calls a destroy benign', async () => {
    const bench = await GateBench.open()
    expect(await bench.ask(bench.request(undefined, {class: 'benign'}))).to.equal('pending_signature')
  })

  it('a creation of another run', async () => {
    const provenance = {createdInRun: (run: string) => run === 'r1', isScratch: () => false}
    const bench = await GateBench.open({gate: {provenance}})
    expect(await bench.ask({...bench.request(), run: 'r2'})).to.equal('pending_signature')
    expect(await bench.ask()).to.equal('pending_signature')
  })

  it('a journal that proves where a guest came from which nothing tells from others', async () => {
    const provenance = {createdInRun: () => true, isScratch: () => true}
    const bench = await GateBench.open({gate: {provenance}})
    bench.guest = toyGuest({config: {known: true, current: {hostname: 'x'}, pending: [], digest: 'd'}})
    expect(await bench.ask()).to.equal('pending_signature')
  })

  it('a rule of a plugin that raises what the journal proves to be ours', async () => {
    const provenance = {createdInRun: () => true, isScratch: () => true}
    const rules = [() => 'destructive' as const, () => 'benign' as const]
    const bench = await GateBench.open({gate: {provenance, rules}})
    expect(await bench.ask()).to.equal('pending_signature')
  })

  it('a rule of a plugin that would lower a destroy', async () => {
    const bench = await GateBench.open({gate: {rules: [() => 'benign']}})
    expect(await bench.ask()).to.equal('pending_signature')
  })

  it('one of two people, and says so', async () => {
    const bench = await GateBench.open({trust: [trustFile({thresholds: TWO_OF_N})]})
    expect(await bench.decide({keys: [anna]})).to.equal('pending_signature')
    const verdict = await bench.gate.authorize(bench.request())
    expect(!verdict.allowed && verdict.refusal.signed).to.deep.equal({people: 1, needed: 2})
  })

  it('the same signature twice on two of n', async () => {
    const bench = await GateBench.open({trust: [trustFile({thresholds: TWO_OF_N})]})
    expect(await bench.decide({keys: [anna, anna]})).to.equal('pending_signature')
  })

  it('one person with two keys on two of n', async () => {
    const bench = await GateBench.open({trust: [trustFile({thresholds: TWO_OF_N})]})
    expect(await bench.decide({keys: [anna, annaToo]})).to.equal('pending_signature')
  })

  it('two envelopes of one signature each on two of n: they do not add up', async () => {
    const bench = await GateBench.open({trust: [trustFile({thresholds: TWO_OF_N})]})
    const payload = bench.payload()
    bench.lay(bench.seal({payload, keys: [anna]}))
    bench.lay(bench.seal({payload, keys: [bert]}))
    expect(await bench.ask()).to.equal('pending_signature')
  })

  it('a change that no operation can be signed for: a volume of somebody else', async () => {
    const bench = await GateBench.open()
    const changes = [optionChange('mp1', undefined, 'local-lvm:vm-100-disk-0,mp=/theirs')]
    expect(await bench.decide({}, bench.request({type: 'set-config', changes}))).to.equal('pending_signature')
  })

  it('two changes at once, one of which can lose data', async () => {
    const bench = await GateBench.open()
    const changes = [optionChange('memory', '512', '1024'), optionChange('mp0', 'x', undefined)]
    expect(await bench.decide({}, bench.request({type: 'set-config', changes}))).to.equal('pending_signature')
  })

  it('a guest whose config could not be read', async () => {
    const bench = await GateBench.open()
    const envelope = bench.seal()
    bench.guest = toyGuest({config: {known: false, reason: 'forbidden'}})
    expect(await bench.decide(envelope)).to.equal('pending_signature')
  })

  it('a guest that nothing tells from another of the same number', async () => {
    const bench = await GateBench.open()
    const envelope = bench.seal()
    bench.guest = toyGuest({config: {known: true, current: {hostname: 'x'}, pending: [], digest: 'd'}})
    expect(await bench.decide(envelope)).to.equal('pending_signature')
  })

  it('an approval for another guest that only lies there', async () => {
    const bench = await GateBench.open()
    const target = {...bench.bound().target, vmid: 105}
    bench.lay(bench.seal({payload: bench.payload({}, {...bench.bound(), target})}), {})
    expect(await bench.ask()).to.equal('pending_signature')
  })

  it('anything destructive where no signer is pinned', async () => {
    const bench = await GateBench.open()
    const gate = bench.createGate({signing: undefined as never})
    bench.lay(bench.seal())
    const verdict = await gate.authorize(bench.request())
    expect(!verdict.allowed && verdict.refusal.message).to.match(/no signer is pinned/)
  })
})

describe('disarmed and limit_reached', () => {
  it('disarmed: Proxmox shows tasks of our token that the journal does not know', async () => {
    const bench = await GateBench.open({gate: {disarmed: () => ['UPID:pve1:…']}})
    const nonce = bench.newNonce()
    expect(await bench.decide({payload: bench.payload({nonce})})).to.equal('disarmed')
    expect(bench.nonces.state(nonce)).to.equal('fresh')
    expect(await bench.ask(bench.request({type: 'start'}, {class: 'benign'}))).to.equal('allow')
  })

  it('limit_reached: more guests than gate.max_destroy in one run, without wasting the signature', async () => {
    const bench = await GateBench.open({gate: {maxDestroy: 1}})
    expect(await bench.decide()).to.equal('allow')
    bench.guest = toyGuest({vmid: 105})
    const envelope = bench.seal()
    expect(await bench.decide(envelope)).to.equal('limit_reached')
    bench.gate = bench.createGate()
    expect(await bench.decide(envelope)).to.equal('allow')
  })

  it('limit_reached: two guests at the same moment', async () => {
    const bench = await GateBench.open({gate: {maxDestroy: 1}})
    const requests = [104, 105].map((vmid) => {
      bench.guest = toyGuest({vmid})
      bench.lay(bench.seal())
      return bench.request()
    })
    const words = await Promise.all(requests.map((request) => bench.ask(request)))
    expect(words.sort()).to.deep.equal(['allow', 'limit_reached'])
  })

  it('limit_reached: scratch guests count too', async () => {
    const provenance = {createdInRun: () => false, isScratch: () => true}
    const bench = await GateBench.open({gate: {maxDestroy: 1, provenance}})
    expect(await bench.ask()).to.equal('allow')
    bench.guest = toyGuest({vmid: 105})
    expect(await bench.ask()).to.equal('limit_reached')
  })

  it('a destroy that was refused does not count', async () => {
    const bench = await GateBench.open({gate: {maxDestroy: 1}})
    expect(await bench.decide({payload: bench.payload({host: 'another'})})).to.equal('wrong_host')
    expect(await bench.gate.preview(bench.request())).to.include({code: 'wrong_host'})
    bench.guest = toyGuest({vmid: 105})
    expect(await bench.decide()).to.equal('allow')
  })

  it('a preview takes the place of its guest, and burns nothing', async () => {
    const bench = await GateBench.open({gate: {maxDestroy: 1}})
    const nonce = bench.newNonce()
    bench.lay(bench.seal({payload: bench.payload({nonce})}))
    expect(await bench.gate.preview(bench.request())).to.equal(undefined)
    expect(bench.nonces.state(nonce)).to.equal('fresh')
    const first = bench.request()
    bench.guest = toyGuest({vmid: 105})
    bench.lay(bench.seal())
    expect(await bench.gate.preview(bench.request())).to.include({code: 'limit_reached'})
    expect(await bench.ask(first)).to.equal('allow')
  })
})

describe('unknown_signer', () => {
  it('a key that is not pinned', async () => {
    const bench = await GateBench.open()
    expect(await bench.decide({keys: [stranger]})).to.equal('unknown_signer')
  })

  it('a good signature beside one of a key that is not pinned', async () => {
    const bench = await GateBench.open()
    expect(await bench.decide({keys: [anna, stranger]})).to.equal('unknown_signer')
  })

  it('a key of the same kind that differs in its last byte', async () => {
    const bench = await GateBench.open()
    const blob = Buffer.from(anna.blob)
    blob.writeUInt8((blob.at(-1) ?? 0) ^ 1, blob.length - 1)
    const payload = bench.payload()
    const code = await bench.decide({payload, signatures: [forgeSshsig(anna, payload, {}, {key: blob})]})
    expect(['unknown_signer', 'malformed']).to.include(code)
  })

  it('a key that was removed between signing and applying', async () => {
    const bench = await GateBench.open()
    const envelope = bench.seal()
    const [first] = bench.trust
    const signers = [signer('bert', bert), recovery]
    const next = trustFile({version: 2, prev: bench.genesis, signers}, [rita])
    bench.trust = first ? [first, next] : []
    expect(await bench.decide(envelope)).to.equal('unknown_signer')
  })

  it('a key that was revoked', async () => {
    const bench = await GateBench.open()
    const envelope = bench.seal()
    const [first] = bench.trust
    const signers = [signer('bert', bert), recovery]
    const next = trustFile({version: 2, prev: bench.genesis, signers, revoked: [{keyText: anna.line}]}, [
      rita,
    ])
    bench.trust = first ? [first, next] : []
    expect(await bench.decide(envelope)).to.equal('unknown_signer')
  })

  const windows: readonly [string, Parameters<typeof signer>[3]][] = [
    ['past its window', {notAfterMs: NOW_MS - HOUR_MS}],
    ['whose window ends in this second', {notAfterMs: NOW_MS}],
    ['before its window', {notBeforeMs: NOW_MS + 1000}],
  ]
  for (const [name, window] of windows) {
    it(`a key ${name}`, async () => {
      const signers = [signer('anna', anna, 'operational', window), signer('bert', bert), recovery]
      const bench = await GateBench.open({trust: [trustFile({signers}, [anna, bert, rita])]})
      expect(await bench.decide({keys: [anna]})).to.equal('unknown_signer')
      expect(await bench.decide({keys: [bert]})).to.equal('allow')
    })
  }

  it('allows the last second of a window', async () => {
    const signers = [
      signer('anna', anna, 'operational', {notBeforeMs: NOW_MS, notAfterMs: NOW_MS + 1000}),
      recovery,
    ]
    const bench = await GateBench.open({trust: [trustFile({signers}, [anna, rita])]})
    expect(await bench.decide({keys: [anna]})).to.equal('allow')
  })
})

describe('wrong_namespace', () => {
  for (const namespace of [
    'git',
    'file',
    'felhom-trust-v1@felhom',
    'felhom-op-v2@felhom',
    'felhom-op-v1@felhom.',
  ]) {
    it(`a valid signature made for ${namespace}`, async () => {
      const bench = await GateBench.open()
      expect(await bench.decide({choice: {namespace}})).to.equal('wrong_namespace')
    })
  }

  it('a good signature beside one made for git', async () => {
    const bench = await GateBench.open()
    const payload = bench.payload()
    const signatures = [forgeSshsig(anna, payload), forgeSshsig(bert, payload, {namespace: 'git'})]
    expect(await bench.decide({payload, signatures})).to.equal('wrong_namespace')
  })
})

describe('bad_signature', () => {
  it('the namespace rewritten in the blob', async () => {
    const bench = await GateBench.open()
    const payload = bench.payload()
    const altered = forgeSshsig(anna, payload, {namespace: 'git'}, {namespace: 'felhom-op-v1@felhom'})
    expect(await bench.decide({payload, signatures: [altered]})).to.equal('bad_signature')
  })

  it('a bit of the payload flipped', async () => {
    const bench = await GateBench.open()
    const payload = bench.payload()
    const signatures = [forgeSshsig(anna, payload)]
    const flipped = Buffer.from(payload)
    flipped.writeUInt8((flipped.at(40) ?? 0) ^ 1, 40)
    expect(await bench.decide({payload: flipped, signatures})).to.equal('bad_signature')
  })

  it('a newline after the payload that was signed', async () => {
    const bench = await GateBench.open()
    const payload = bench.payload()
    const signatures = [forgeSshsig(anna, payload)]
    expect(await bench.decide({payload: `${payload.toString()}\n`, signatures})).to.equal('bad_signature')
  })

  it('the key of one person over the signature of another', async () => {
    const bench = await GateBench.open()
    const payload = bench.payload()
    const swapped = forgeSshsig(stranger, payload, {}, {key: anna.blob})
    expect(await bench.decide({payload, signatures: [swapped]})).to.equal('bad_signature')
  })

  it('a good signature beside one that does not hold', async () => {
    const bench = await GateBench.open()
    const payload = bench.payload()
    const signatures = [forgeSshsig(anna, payload), forgeSshsig(bert, 'something else')]
    expect(await bench.decide({payload, signatures})).to.equal('bad_signature')
  })

  const SK = forgeKey('sk-ed25519', 'token')
  const withToken = async (change: Parameters<typeof signer>[3] = {}): Promise<GateBench> => {
    const signers = [signer('tove', SK, 'operational', change), recovery]
    return GateBench.open({trust: [trustFile({signers}, [SK, rita], {flags: 5})]})
  }

  it('a security key that was not touched', async () => {
    const bench = await withToken()
    expect(await bench.decide({keys: [SK], choice: {flags: 4}})).to.equal('bad_signature')
    expect(await bench.decide({keys: [SK], choice: {flags: 1}})).to.equal('allow')
  })

  it('a security key without its PIN, where its signer requires it', async () => {
    const bench = await withToken({requireUv: true})
    expect(await bench.decide({keys: [SK], choice: {flags: 1}})).to.equal('bad_signature')
    expect(await bench.decide({keys: [SK], choice: {flags: 5}})).to.equal('allow')
  })

  it('a security key that signed for a web origin', async () => {
    const bench = await withToken()
    expect(await bench.decide({keys: [SK], choice: {application: 'https://bank.example'}})).to.equal(
      'bad_signature',
    )
  })

  it('ed25519 with the order of the curve added to S', async () => {
    const bench = await GateBench.open()
    const payload = bench.payload()
    const armoured = forgeSshsig({...anna, sign: (data) => addOrder(anna.sign(data))}, payload)
    expect(await bench.decide({payload, signatures: [armoured]})).to.equal('bad_signature')
  })
})

/** The same signature to whoever does not check that S is reduced. */
function addOrder(signature: Buffer): Buffer {
  const order = 2n ** 252n + 27742317777372353535851937790883648493n
  const s = BigInt(`0x${Buffer.from(signature.subarray(32)).reverse().toString('hex')}`) + order
  const bytes = Buffer.from(s.toString(16).padStart(64, '0'), 'hex').reverse()
  return Buffer.concat([signature.subarray(0, 32), bytes])
}

describe('clock_error', () => {
  it('a clock that was turned back behind a time that a signature has proved', async () => {
    const bench = await GateBench.open()
    expect(await bench.decide()).to.equal('allow')
    bench.nowMs -= 2 * HOUR_MS
    expect(await bench.decide()).to.equal('clock_error')
  })

  it('grants a minute', async () => {
    const bench = await GateBench.open()
    await bench.nonces.advance({clockMs: NOW_MS + 60_000})
    expect(await bench.decide()).to.equal('allow')
    await bench.nonces.advance({clockMs: NOW_MS + 60_001})
    expect(await bench.decide()).to.equal('clock_error')
  })

  it('an expired approval that a turned-back clock would make good again', async () => {
    const bench = await GateBench.open()
    const kept = bench.seal()
    bench.nowMs += DAY_MS
    expect(await bench.decide()).to.equal('allow')
    bench.nowMs -= DAY_MS
    expect(await bench.decide(kept)).to.equal('clock_error')
  })

  it('nobody moves the mark whose signature does not hold', async () => {
    const bench = await GateBench.open()
    bench.nowMs += 5 * DAY_MS
    expect(await bench.decide({keys: [stranger]})).to.equal('unknown_signer')
    const payload = bench.payload()
    expect(await bench.decide({payload, signatures: [forgeSshsig(anna, 'else')]})).to.equal('bad_signature')
    expect(bench.nonces.clockMarkMs).to.equal(0)
    expect(await bench.decide({payload: bench.payload({host: 'another'})})).to.equal('wrong_host')
    expect(bench.nonces.clockMarkMs).to.equal(bench.nowMs)
  })

  it('a clock that was years ahead once moves the mark by a week at most', async () => {
    const bench = await GateBench.open()
    expect(await bench.decide()).to.equal('allow')
    bench.nowMs += 300 * DAY_MS
    expect(await bench.decide()).to.equal('allow')
    expect(bench.nonces.clockMarkMs).to.equal(NOW_MS + 7 * DAY_MS)
  })

  it('goes on after the operator has reset the mark', async () => {
    const bench = await GateBench.open()
    await bench.nonces.advance({clockMs: NOW_MS + DAY_MS})
    expect(await bench.decide()).to.equal('clock_error')
    await bench.nonces.resetClock(NOW_MS)
    expect(await bench.decide()).to.equal('allow')
  })
})
