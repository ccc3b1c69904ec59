// What the gate says ahead of an action and at its beginning: withheld, disarmed, beyond a limit, or for a signature.
import {expect} from 'chai'
import type {GateOptions, Verdict} from '../../../src/lib/gate/gate.ts'
import {anna, GateBench, stranger} from '../../support/gate-bench.ts'
import {optionChange} from '../../support/planned-action.ts'

const START = {type: 'start'} as const
const benign = {class: 'benign'} as const
const refusalOf = (verdict: Verdict): unknown => !verdict.allowed && verdict.refusal

describe('what is withheld', () => {
  const withhold: NonNullable<GateOptions['withhold']> = ({type}, gateClass) =>
    type === 'start' ? `${gateClass} starts wait for the night` : undefined
  const withheld = {code: 'withheld', message: 'benign starts wait for the night'}

  it('is refused whatever its class, ahead of it and at its beginning, and audited', async () => {
    const bench = await GateBench.open({gate: {withhold}})
    const request = bench.request(START, benign)
    expect(await bench.gate.preview(request)).to.deep.equal(withheld)
    expect(refusalOf(await bench.gate.authorize(request))).to.deep.equal(withheld)
    const entry = {op: 'start', class: 'benign', vmid: 104, signers: [], decision: 'refuse'}
    const audited = {...entry, refusal: 'withheld', message: withheld.message}
    expect(bench.decisions).to.deep.equal([audited, audited])
  })

  it('may be so for one guest alone', async () => {
    for (const [vmid, decision] of [
      [104, 'withheld'],
      [105, 'allow'],
    ] as const) {
      const ofOne: typeof withhold = (_, _class, target) =>
        target.vmid === vmid ? 'this guest is suspended' : undefined
      const bench = await GateBench.open({gate: {withhold: ofOne}})
      expect(await bench.ask(bench.request(START, benign))).to.equal(decision)
    }
  })

  it('is nothing else', async () => {
    const bench = await GateBench.open({gate: {withhold}})
    expect(await bench.gate.preview(bench.request({type: 'restart'}, benign))).to.equal(undefined)
    expect(await bench.ask(bench.request({type: 'restart'}, benign))).to.equal('allow')
  })
})

describe('the gate ahead of an action', () => {
  it('says nothing of what it would allow, and neither burns nor audits', async () => {
    const bench = await GateBench.open()
    const nonce = bench.newNonce()
    bench.lay(bench.seal({payload: bench.payload({nonce})}))
    expect(await bench.gate.preview(bench.request())).to.equal(undefined)
    expect(await bench.gate.preview(bench.request(START, benign))).to.equal(undefined)
    expect(bench.nonces.state(nonce)).to.equal('fresh')
    expect(bench.decisions).to.deep.equal([])
  })

  it('says what it would refuse, and audits it with what was proved', async () => {
    const bench = await GateBench.open()
    bench.lay(bench.seal({payload: bench.payload({host: 'another'})}))
    expect(await bench.gate.preview(bench.request())).to.include({code: 'wrong_host'})
    const [decision] = bench.decisions
    expect(decision).to.include({op: 'guest.destroy', class: 'destructive', vmid: 104, decision: 'refuse'})
    expect(decision?.action).to.match(/^sha256:/)
    expect(decision?.signers.map(({principal}) => principal)).to.deep.equal(['anna'])
  })

  it('says of what nobody can sign for why, under the name of the action', async () => {
    const bench = await GateBench.open()
    const refusal = await bench.gate.preview(bench.request({type: 'migrate', to: ['pve2']}))
    expect(refusal?.message).to.equal(
      'it can lose data, and no signature can allow it: no operation that can be signed for does what migrate does here',
    )
    expect(bench.decisions).to.have.length(1)
    expect(bench.decisions[0]).to.include({op: 'migrate', decision: 'refuse'})
    expect(bench.decisions[0]).to.not.have.property('action')
  })
})

describe('a limit of guests that may be destroyed', () => {
  const message = 'as many guests are destroyed as gate.max_destroy allows in one run'
  const provenance = {createdInRun: () => false, isScratch: () => true}

  it('counts those of our own making as well, each guest once, and nothing but destructions', async () => {
    const bench = await GateBench.open({gate: {provenance, maxDestroy: 1}})
    const ask = (vmid: number): Promise<Verdict> => {
      const {action, guest} = bench.request()
      if (!guest) throw new Error('it is there')
      return bench.gate.authorize({
        action,
        target: {kind: 'lxc', vmid, node: 'pve1'},
        guest: {...guest, vmid},
      })
    }
    expect(await bench.gate.preview(bench.request())).to.equal(undefined)
    for (const vmid of [104, 104]) expect((await ask(vmid)).allowed).to.equal(true)
    expect(refusalOf(await ask(105))).to.deep.equal({code: 'limit_reached', message})
    const {guest, ...request} = bench.request()
    const other = {...request, target: {...request.target, vmid: 105}, guest: guest && {...guest, vmid: 105}}
    expect(await bench.gate.preview(other)).to.deep.equal({code: 'limit_reached', message})
    const start = {...bench.request(START, benign), target: other.target, guest: other.guest}
    expect(await bench.gate.preview(start)).to.equal(undefined)
    expect((await bench.gate.authorize(start)).allowed).to.equal(true)
  })

  it('holds for what is signed, and leaves the nonce as it is', async () => {
    const bench = await GateBench.open({gate: {maxDestroy: 0}})
    const nonce = bench.newNonce()
    expect(await bench.decide({payload: bench.payload({nonce})})).to.equal('limit_reached')
    expect(bench.nonces.state(nonce)).to.equal('fresh')
    const body = {type: 'set-config', changes: [optionChange('mp0', 'x', undefined)]} as const
    const payload = bench.payload({}, bench.bound(body))
    expect(await bench.decide({payload}, bench.request(body))).to.equal('allow')
  })
})

describe('a gate that is not armed', () => {
  it('refuses what can lose data while there are tasks that the journal does not know', async () => {
    const tasks: string[] = []
    const bench = await GateBench.open({gate: {disarmed: () => tasks}})
    expect(await bench.decide()).to.equal('allow')
    tasks.push('UPID:pve1:…')
    bench.lay(bench.seal({keys: [anna]}))
    expect(refusalOf(await bench.gate.authorize(bench.request()))).to.deep.equal({
      code: 'disarmed',
      message: 'Proxmox shows tasks of our token that the journal does not know: felhom journal rearm',
    })
    expect(await bench.ask(bench.request(START, benign))).to.equal('allow')
  })

  it('has nobody to allow anything where no signer is pinned', async () => {
    const bench = await GateBench.open()
    const gate = bench.createGate({signing: undefined as never})
    const refusal = {
      code: 'pending_signature',
      message: 'it can lose data and needs the signature of an operator; no signer is pinned',
    }
    expect(refusalOf(await gate.authorize(bench.request()))).to.deep.equal(refusal)
    expect(await gate.inspect(bench.request())).to.deep.equal({class: 'destructive', refusal})
  })
})

describe('the marks of time and of the trust store', () => {
  it('move with one signature that holds, whatever else lies there', async () => {
    const bench = await GateBench.open()
    bench.lay(bench.seal({payload: bench.payload({host: 'another'})}))
    bench.lay(bench.seal({keys: [stranger]}))
    expect(await bench.ask()).to.equal('wrong_host')
    expect([bench.nonces.clockMarkMs, bench.nonces.trustMark]).to.deep.equal([bench.nowMs, 1])
  })

  it('stay where they are when they are near enough, and then nothing is written', async () => {
    const bench = await GateBench.open()
    await bench.decide()
    const {seq, marked} = {seq: bench.machine.names('/state/nonces').length, marked: bench.nowMs}
    const writes: string[] = []
    bench.machine.onCall = ({name, path}) => {
      if (name === 'write' && path.includes('/nonces/')) writes.push(path)
      return undefined
    }
    bench.nowMs += 60_000
    expect(await bench.decide({payload: bench.payload({host: 'another'})})).to.equal('wrong_host')
    expect([bench.nonces.clockMarkMs, writes]).to.deep.equal([marked, []])
    bench.nowMs += 1
    expect(await bench.decide({payload: bench.payload({host: 'another'})})).to.equal('wrong_host')
    expect(bench.nonces.clockMarkMs).to.equal(bench.nowMs)
    expect(bench.machine.names('/state/nonces')).to.have.length(seq)
  })

  it('do not move for a signature that does not hold, but for the trust store that was read', async () => {
    const bench = await GateBench.open()
    expect(await bench.decide({keys: [stranger]})).to.equal('unknown_signer')
    expect([bench.nonces.clockMarkMs, bench.nonces.trustMark]).to.deep.equal([0, 1])
  })
})
