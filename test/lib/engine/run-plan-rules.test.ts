// Rules of plugins take their time. What others do to the guest meanwhile must not be done to it under an old verdict.
import {expect} from 'chai'
import {createGate, type Gate, type GateRequest, type Weighed} from '../../../src/lib/gate/gate.ts'
import type {ClassRule} from '../../../src/lib/gate/classify.ts'
import {addGuest} from '../../../src/lib/sandbox/guest/registry.ts'
import {desiredGuest} from '../../support/desired-guest.ts'
import {EngineBench, openGate} from '../../support/engine-bench.ts'
import {homelabSeed} from '../../support/homelab-seed.ts'

const bench = (): EngineBench => new EngineBench({seed: homelabSeed})
/** Stopped, unprotected. */
const VICTIM = 150
const gone = desiredGuest(VICTIM, {}, {ensure: 'absent'})

/** Somebody has signed for the guest as it is at first; `meanwhile` is what happens while rules are asked, in turn. */
function gateWith(...meanwhile: (() => unknown)[]): Gate {
  const open = openGate()
  let signed: string | undefined
  const digestOf = ({guest}: GateRequest): string =>
    guest?.config.known === true ? guest.config.digest : 'none'
  return {
    ...open,
    weigh: (request) => {
      signed ??= digestOf(request)
      meanwhile.shift()?.()
      return Promise.resolve({class: request.action.class} as Weighed)
    },
    authorize: (request) =>
      digestOf(request) === signed
        ? open.authorize(request)
        : Promise.resolve({allowed: false, refusal: {code: 'binding_mismatch', message: 'another guest'}}),
  }
}

const outcomes = async (it: EngineBench, gate: Gate): Promise<string[]> => {
  const {results} = await it.apply([gone], {gate})
  return results.map(({action, outcome}) => `${action.type} ${outcome}`)
}

describe('a run whose plugins take their time', () => {
  it('destroys what it was to destroy, if nothing has happened meanwhile', async () => {
    const it = bench()
    expect(await outcomes(it, gateWith())).to.deep.equal(['destroy succeeded'])
  })

  it('does not destroy a disk that was attached meanwhile', async () => {
    const it = bench()
    const attach = (): void => {
      const guest = it.sandbox.cluster.guest(VICTIM)
      if (guest) guest.config['mp5'] = 'local-lvm:vm-150-disk-5,mp=/precious,size=4G'
    }
    expect(await outcomes(it, gateWith(attach))).to.deep.equal(['destroy refused'])
    expect(it.sandbox.cluster.guest(VICTIM)?.config['mp5']).to.contain('/precious')
    expect(it.sent()).to.deep.equal([])
  })

  it('plans again for a guest that was started meanwhile, and destroys nothing that runs', async () => {
    const it = bench()
    const start = (): void => {
      const guest = it.sandbox.cluster.guest(VICTIM)
      if (guest) guest.runtime.status = 'running'
    }
    expect(await outcomes(it, gateWith(start))).to.deep.equal(['shutdown succeeded', 'destroy succeeded'])
  })

  it('begins nothing once it was told to stop, and burns no signature for it', async () => {
    const it = bench()
    const asked: string[] = []
    const gate = gateWith(() => it.stop.abort('SIGINT'))
    const counting: Gate = {
      ...gate,
      authorize: (request, weighed) => {
        asked.push(request.action.type)
        return gate.authorize(request, weighed)
      },
    }
    expect(await outcomes(it, counting)).to.deep.equal(['destroy not_started'])
    expect(asked).to.deep.equal([])
  })

  it('plans a benign change again that somebody has forestalled, and asks each rule once for each try', async () => {
    const it = bench()
    let asked = 0
    const rule: ClassRule = () => {
      if (++asked === 1) void it.sandbox.put('/nodes/pve1/lxc/101/config', {memory: '1024'})
      return undefined
    }
    const {results} = await it.apply([desiredGuest(101, {memory: '1024', cores: '3'})], {
      gate: createGate({rules: [rule]}),
    })
    expect(results.map(({action, outcome}) => `${action.type} ${outcome}`)).to.deep.equal([
      'set-config succeeded',
    ])
    expect(results[0]?.action).to.have.nested.property('changes.length', 1)
    expect(asked).to.equal(2)
  })

  it('creates nothing under a number that was taken meanwhile', async () => {
    const it = bench()
    const place = {file: 'guests.yaml', line: 1, column: 1}
    const create = {from: {clone: VICTIM}, storage: 'local-lvm', place}
    const rule = (): undefined => {
      addGuest(it.sandbox.cluster, 'lxc', 777, 'pve1', {})
    }
    const wish = desiredGuest(777, {}, {nodes: ['pve1'], create})
    const {results} = await it.apply([wish], {gate: createGate({rules: [rule]})})
    expect(results[0]).to.include({outcome: 'stale', detail: 'number 777 is taken by now'})
    expect(it.sent()).to.deep.equal([])
  })
})
