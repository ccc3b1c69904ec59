// Steps 8 to 13: what the statement says, validly signed throughout, so that only the step in question can stop it.
import {expect} from 'chai'
import {actionDigest} from '../../../src/lib/gate/digests.ts'
import type {ActualGuest} from '../../../src/lib/model/actual.ts'
import type {BoundAction} from '../../../src/lib/model/approval.ts'
import {
  anna,
  bert,
  DAY_MS,
  GateBench,
  HOUR_MS,
  MINUTE_MS,
  NOW_MS,
  rita,
  showTime,
  signer,
  toyGuest,
  trustFile,
  type Fields,
} from '../../support/gate-bench.ts'
import {optionChange} from '../../support/planned-action.ts'

const at = (ms: number): string => showTime(NOW_MS + ms)

describe('expired', () => {
  const TIMES: Readonly<Record<string, Fields>> = {
    'a second late': {iat: at(-HOUR_MS), exp: at(-1000)},
    'a day late': {iat: at(-2 * DAY_MS), exp: at(-DAY_MS)},
    'issued 10 minutes ahead': {iat: at(10 * MINUTE_MS), exp: at(HOUR_MS)},
    'issued 61 seconds ahead': {iat: at(61_000), exp: at(HOUR_MS)},
    'valid only from 61 seconds ahead': {iat: at(-MINUTE_MS), nbf: at(61_000), exp: at(HOUR_MS)},
    'issued 10 minutes ahead, though valid before that': {
      iat: at(10 * MINUTE_MS),
      nbf: at(-HOUR_MS),
      exp: at(HOUR_MS),
    },
    'a lifetime of 10 years': {iat: at(-MINUTE_MS), exp: '2036-11-18T12:00:00Z'},
    'a lifetime of 24 hours and a second': {iat: at(-MINUTE_MS), exp: at(-MINUTE_MS + DAY_MS + 1000)},
    'an end before its beginning': {iat: at(30_000), exp: at(20_000)},
    'an end at its beginning': {iat: at(30_000), exp: at(30_000)},
  }
  for (const [name, times] of Object.entries(TIMES)) {
    it(name, async () => {
      const bench = await GateBench.open()
      expect(await bench.decide({payload: bench.payload(times)})).to.equal('expired')
    })
  }

  const GOOD: Readonly<Record<string, Fields>> = {
    'in its last second': {iat: at(-HOUR_MS), exp: at(0)},
    'issued 60 seconds ahead, for an operator’s clock may be': {iat: at(60_000), exp: at(HOUR_MS)},
    'valid from 60 seconds ahead': {iat: at(-MINUTE_MS), nbf: at(60_000), exp: at(HOUR_MS)},
    'of exactly 24 hours': {iat: at(-MINUTE_MS), exp: at(-MINUTE_MS + DAY_MS)},
  }
  for (const [name, times] of Object.entries(GOOD)) {
    it(`is not an approval ${name}`, async () => {
      const bench = await GateBench.open()
      expect(await bench.decide({payload: bench.payload(times)})).to.equal('allow')
    })
  }
})

describe('wrong_host', () => {
  it('an approval for another installation', async () => {
    const bench = await GateBench.open()
    expect(await bench.decide({payload: bench.payload({host: 'install-4f1d2d'})})).to.equal('wrong_host')
  })
})

describe('role_denied', () => {
  it('a recovery key on a destroy', async () => {
    const bench = await GateBench.open()
    expect(await bench.decide({keys: [rita]})).to.equal('role_denied')
  })

  it('an operational key on a rotation of recovery keys', async () => {
    const bench = await GateBench.open()
    const bound = {...bench.bound(), op: 'trust.rotate_recovery'} as const
    bench.lay(bench.seal({payload: bench.payload({}, bound)}))
    expect(await bench.askJob(bound)).to.equal('role_denied')
  })

  it('mixed signers on a destroy', async () => {
    const bench = await GateBench.open()
    expect(await bench.decide({keys: [anna, rita]})).to.equal('role_denied')
    expect(await bench.decide({keys: [rita, anna]})).to.equal('role_denied')
  })

  it('mixed signers on a rotation that either role may sign for: roles do not add up', async () => {
    const bench = await GateBench.open()
    const bound = {...bench.bound(), op: 'trust.rotate_operational'} as const
    bench.lay(bench.seal({payload: bench.payload({}, bound), keys: [anna, rita]}))
    expect(await bench.askJob(bound)).to.equal('role_denied')
  })

  it('a recovery key on every operation but rotations', async () => {
    for (const op of ['guest.template', 'snapshot.delete', 'volume.remove', 'storage.wipe'] as const) {
      const bench = await GateBench.open()
      const bound = {...bench.bound(), op}
      bench.lay(bench.seal({payload: bench.payload({}, bound), keys: [rita]}))
      expect(await bench.askJob(bound), op).to.equal('role_denied')
    }
  })
})

describe('binding_mismatch: the statement', () => {
  type Change = (bound: BoundAction) => Fields
  /** With the digest of what the statement says itself. */
  const honest = (bound: BoundAction, change: Fields): Fields => ({
    ...change,
    action: actionDigest({...bound, ...change}),
  })
  const CHANGES: Readonly<Record<string, Change>> = {
    'vmid as text': (bound) => honest(bound, {target: {...bound.target, vmid: '104'}}),
    'another vmid': (bound) => honest(bound, {target: {...bound.target, vmid: 105}}),
    'another kind': (bound) => honest(bound, {target: {...bound.target, kind: 'qemu'}}),
    'another node': (bound) => honest(bound, {target: {...bound.target, node: 'pve2'}}),
    'another identity': (bound) =>
      honest(bound, {target: {...bound.target, identity: `sha256:${'0'.repeat(64)}`}}),
    'another operation': (bound) => honest(bound, {op: 'guest.template'}),
    'an extra parameter': (bound) => honest(bound, {params: {purge: true, force: true}}),
    'a parameter that is false where it is true': (bound) => honest(bound, {params: {purge: false}}),
    'a parameter that is absent': (bound) => honest(bound, {params: {}}),
    'a parameter as text': (bound) => honest(bound, {params: {purge: 'true'}}),
    'a parameter as a number': (bound) => honest(bound, {params: {purge: 1}}),
    'the right digest over a forged vmid': (bound) => ({target: {...bound.target, vmid: 105}}),
    'the right digest over a forged kind': (bound) => ({target: {...bound.target, kind: 'qemu'}}),
    'the right digest over a forged node': (bound) => ({target: {...bound.target, node: 'pve2'}}),
    'the right digest over a forged identity': (bound) => ({
      target: {...bound.target, identity: `sha256:${'0'.repeat(64)}`},
    }),
    'the right digest over forged parameters': () => ({params: {purge: false}}),
    'the right digest over a forged operation': () => ({op: 'snapshot.delete'}),
    'the digest of another action over the right fields': (bound) => ({
      action: actionDigest({...bound, params: {}}),
    }),
    'another state of the guest': () => ({observed: `sha256:${'0'.repeat(64)}`}),
    'an older version of the trust store': () => ({trust: 7}),
  }
  for (const [name, change] of Object.entries(CHANGES)) {
    it(name, async () => {
      const bench = await GateBench.open()
      expect(await bench.decide({payload: bench.payload(change(bench.bound()))})).to.equal('binding_mismatch')
    })
  }

  it('absent versus false, the other way round', async () => {
    const bench = await GateBench.open()
    const bound = {...bench.bound(), params: {}}
    bench.lay(bench.seal({payload: bench.payload({}, {...bound, params: {force: false}})}))
    expect(await bench.askJob(bound)).to.equal('binding_mismatch')
  })

  it('made under the version of the trust store before', async () => {
    const bench = await GateBench.open()
    const envelope = bench.seal()
    const [first] = bench.trust
    const signers = [signer('anna', anna), signer('bert', bert), signer('rita', rita, 'recovery')]
    const next = trustFile({version: 2, prev: bench.genesis, signers}, [rita])
    bench.trust = first ? [first, next] : []
    expect(await bench.decide(envelope)).to.equal('binding_mismatch')
    expect(await bench.decide()).to.equal('allow')
  })
})

describe('binding_mismatch: the guest', () => {
  const withOptions = (
    options: Readonly<Record<string, string>>,
    change: Partial<ActualGuest> = {},
  ): ActualGuest => {
    const {config} = toyGuest()
    if (!config.known) throw new Error('unreachable')
    return toyGuest({config: {...config, current: {...config.current, ...options}}, ...change})
  }
  const GUESTS: Readonly<Record<string, ActualGuest>> = {
    'recreated under the same vmid': withOptions({net0: 'name=eth0,bridge=vmbr0,hwaddr=BC:24:11:99:99:99'}),
    'with a disk attached after signing': withOptions({mp1: 'local-lvm:vm-104-disk-3,mp=/more,size=4G'}),
    'renamed after signing': withOptions({hostname: 'database'}),
    'locked after signing': toyGuest({lock: 'backup'}),
    'with a change that waits since': (() => {
      const {config} = toyGuest()
      if (!config.known) throw new Error('unreachable')
      return toyGuest({config: {...config, pending: [{option: 'memory', kind: 'set', value: '512'}]}})
    })(),
  }
  for (const [name, guest] of Object.entries(GUESTS)) {
    it(name, async () => {
      const bench = await GateBench.open()
      const envelope = bench.seal()
      bench.guest = guest
      expect(await bench.decide(envelope)).to.equal('binding_mismatch')
    })
  }

  const SNAPSHOTS = {
    'with a snapshot more': [
      {name: 'before', snaptime: 1_700_000_000, vmstate: false},
      {name: 'after', parent: 'before', snaptime: 1_700_000_100, vmstate: false},
    ],
    'with a snapshot less': [],
    'with a snapshot of the same name made anew': [{name: 'before', snaptime: 1_700_000_001, vmstate: false}],
    'with a snapshot under another parent': [
      {name: 'before', parent: 'root', snaptime: 1_700_000_000, vmstate: false},
    ],
  }
  for (const [name, snapshots] of Object.entries(SNAPSHOTS)) {
    it(name, async () => {
      const bench = await GateBench.open()
      const envelope = bench.seal()
      bench.snapshots = snapshots
      expect(await bench.decide(envelope)).to.equal('binding_mismatch')
    })
  }

  it('the same but for the digest of its file and whether it runs', async () => {
    const bench = await GateBench.open()
    const envelope = bench.seal()
    const {config} = toyGuest()
    bench.guest = toyGuest({config: {...config, digest: 'd2'} as ActualGuest['config'], run: 'running'})
    expect(await bench.decide(envelope)).to.equal('allow')
  })
})

describe('binding_mismatch: one signed change used for another', () => {
  const remove = (option: string) =>
    ({type: 'set-config', changes: [optionChange(option, 'x', undefined)]}) as const
  const OTHERS = [
    ['a detached volume for another option', remove('mp0'), remove('rootfs')],
    ['a detached volume for the removal of an unused one', remove('mp0'), remove('unused0')],
    [
      'a snapshot’s deletion for a rollback',
      {type: 'snapshot-delete', snapshot: 'a'},
      {type: 'snapshot-rollback', snapshot: 'a'},
    ],
    [
      'a snapshot’s deletion for that of another',
      {type: 'snapshot-delete', snapshot: 'a'},
      {type: 'snapshot-delete', snapshot: 'b'},
    ],
    ['protection switched off for a destroy', remove('protection'), {type: 'destroy', volumes: []}],
  ] as const
  for (const [name, signed, asked] of OTHERS) {
    it(name, async () => {
      const bench = await GateBench.open()
      const payload = bench.payload({}, bench.bound(signed))
      expect(await bench.decide({payload}, bench.request(asked))).to.equal('binding_mismatch')
      expect(await bench.ask(bench.request(signed))).to.equal('allow')
    })
  }
})
