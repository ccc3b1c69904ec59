import {expect} from 'chai'
import type {Gate} from '../../../src/lib/gate/gate.ts'
import type {Plan} from '../../../src/lib/model/plan.ts'
import {planSnapshot, type SnapshotWish} from '../../../src/lib/plan/plan-snapshot.ts'
import {desiredGuest} from '../../support/desired-guest.ts'
import {EngineBench, once, openGate} from '../../support/engine-bench.ts'
import {homelabSeed} from '../../support/homelab-seed.ts'

/** On ZFS, of which only the latest snapshot can be rolled back to. */
const VMID = 120
const PATH = '/nodes/pve3/lxc/120/snapshot'

/** A guest with two snapshots of itself. */
async function bench(): Promise<EngineBench> {
  const made = new EngineBench({seed: homelabSeed})
  for (const name of ['first', 'second']) {
    const taken = await made.sandbox.outcome(made.sandbox.post(PATH, {snapname: name}))
    expect(taken).to.equal('OK')
  }
  return made
}

async function planFor(it: EngineBench, wish: SnapshotWish): Promise<Plan> {
  const cluster = await it.read()
  const guest = cluster.guests.find(({vmid}) => vmid === VMID)
  if (!guest) throw new Error('no guest')
  return {
    guests: [planSnapshot(wish, guest, cluster, undefined)],
    unmanaged: 0,
    unchanged: 0,
    problems: [],
  }
}

const names = (it: EngineBench): string[] => Object.keys(it.sandbox.cluster.guest(VMID)?.snapshots ?? {})

const deletion: SnapshotWish = {type: 'snapshot-delete', snapshot: 'first'}
const rollback: SnapshotWish = {type: 'snapshot-rollback', snapshot: 'second'}

describe('a snapshot that is signed for', () => {
  it('is deleted without force, under the key of its approval, and seen to be gone', async () => {
    const it = await bench()
    const {results} = await it.carryOut(await planFor(it, deletion), {gate: openGate()})
    expect(results.map(({outcome}) => outcome)).to.deep.equal(['succeeded'])
    expect(names(it)).to.deep.equal(['second'])
    expect(it.sent()).to.deep.equal([`DELETE ${PATH}/first`])
    expect(it.connection.requests.find(({method}) => method === 'DELETE')?.params).to.equal('')
    expect([...it.journal.operations.values()][0]?.intent).to.include({key: 'key-1', class: 'destructive'})
  })

  it('is rolled back to, and the guest is not started again', async () => {
    const it = await bench()
    const {results} = await it.carryOut(await planFor(it, rollback), {gate: openGate()})
    expect(results.map(({outcome}) => outcome)).to.deep.equal(['succeeded'])
    expect(it.sent()).to.deep.equal([`POST ${PATH}/second/rollback`])
    expect(it.sandbox.cluster.guest(VMID)?.runtime.status).to.equal('stopped')
  })

  it('is left alone by the gate without a signature, and nothing is sent', async () => {
    const it = await bench()
    for (const wish of [deletion, rollback]) {
      const {results} = await it.carryOut(await planFor(it, wish))
      expect(results.map(({outcome, refusal}) => `${outcome} ${String(refusal)}`)).to.deep.equal([
        'refused pending_signature',
      ])
    }
    expect(it.sent()).to.deep.equal([])
    expect(names(it)).to.deep.equal(['first', 'second'])
  })

  it('is not asked for once it is gone: deleted already, or nothing to go back to', async () => {
    const it = await bench()
    const plans = [await planFor(it, deletion), await planFor(it, {...rollback, snapshot: 'first'})]
    await it.sandbox.outcome(it.sandbox.delete(`${PATH}/first`))
    const outcomes = []
    for (const [i, plan] of plans.entries()) {
      const {results} = await it.carryOut(plan, {gate: openGate(), run: `r${String(i)}`})
      outcomes.push(...results.map(({outcome}) => outcome))
    }
    expect(outcomes).to.deep.equal(['satisfied', 'stale'])
    expect(it.sent()).to.deep.equal([])
  })

  it('is awaited by its task if the answer was lost, and sent once', async () => {
    for (const wish of [deletion, rollback]) {
      const it = await bench()
      const method = wish.type === 'snapshot-delete' ? 'DELETE' : 'POST'
      it.fault = once(method, /snapshot/, {kind: 'reset', when: 'after'})
      const {results} = await it.carryOut(await planFor(it, wish), {gate: openGate()})
      expect(
        results.map(({outcome}) => outcome),
        wish.type,
      ).to.deep.equal(['succeeded'])
      expect(it.sent()).to.have.length(1)
    }
  })

  it('stays open if it cannot be told whether the request arrived', async () => {
    for (const wish of [deletion, rollback]) {
      const it = await bench()
      const method = wish.type === 'snapshot-delete' ? 'DELETE' : 'POST'
      it.fault = once(method, /snapshot/, {kind: 'reset', when: 'before'})
      const {results} = await it.carryOut(await planFor(it, wish), {gate: openGate()})
      expect(
        results.map(({outcome}) => outcome),
        wish.type,
      ).to.deep.equal(['in_flight'])
      expect(it.sent()).to.have.length(1)
    }
  })

  it('has failed, and the guest is free, where Proxmox refused before it touched anything', async () => {
    const it = await bench()
    const before = it.sandbox.cluster.guest(VMID)?.runtime.status
    const {results} = await it.carryOut(await planFor(it, {...rollback, snapshot: 'first'}), {
      gate: openGate(),
    })
    expect(results.map(({outcome, detail}) => `${outcome}: ${String(detail)}`)[0]).to.match(
      /^failed: .*not most recent snapshot/,
    )
    expect(it.sandbox.cluster.guest(VMID)?.runtime.status).to.equal(before)
    expect(it.journal.openOperations()).to.deep.equal([])
  })

  it('stays open where the task failed and the guest is not as it was', async () => {
    const it = await bench()
    const plan = await planFor(it, rollback)
    it.fault = (request) => {
      if (request.method === 'POST') delete it.sandbox.cluster.guest(VMID)?.snapshots['second']
      return undefined
    }
    const {results} = await it.carryOut(plan, {gate: openGate()})
    expect(results.map(({outcome}) => outcome)).to.deep.equal(['in_flight'])
  })

  it('is not touched while the guest is locked', async () => {
    const it = await bench()
    const plan = await planFor(it, deletion)
    const guest = it.sandbox.cluster.guest(VMID)
    if (guest) guest.config['lock'] = 'backup'
    const {results} = await it.carryOut(plan, {gate: openGate()})
    expect(results.map(({outcome}) => outcome)).to.deep.equal(['blocked'])
    expect(it.sent()).to.deep.equal([])
  })
})

describe('a guest that shall be destroyed', () => {
  const wish = desiredGuest(101, {}, {ensure: 'absent'})

  it('is not shut down for a destruction that the gate would refuse', async () => {
    const it = new EngineBench({seed: homelabSeed})
    const {results} = await it.apply([wish])
    expect(results.map(({action, outcome}) => `${action.type} ${outcome}`)).to.deep.equal([
      'shutdown skipped',
      'destroy refused',
    ])
    expect(results[1]?.refusal).to.equal('pending_signature')
    expect(it.sent()).to.deep.equal([])
    expect(it.sandbox.cluster.guest(101)?.runtime.status).to.equal('running')
  })

  it('is shut down and destroyed once the gate lets it pass', async () => {
    const it = new EngineBench({seed: homelabSeed})
    const {results} = await it.apply([wish], {gate: openGate()})
    expect(results.map(({action, outcome}) => `${action.type} ${outcome}`)).to.deep.equal([
      'shutdown succeeded',
      'destroy succeeded',
    ])
  })

  it('is asked about twice: before the shutdown without effect, and before the destruction in earnest', async () => {
    const it = new EngineBench({seed: homelabSeed})
    const open = openGate()
    const asked: string[] = []
    const gate: Gate = {
      authorize: (request) => {
        asked.push(`authorize ${request.action.type} ${String(request.guest?.run)}`)
        return open.authorize(request)
      },
      preview: (request) => {
        asked.push(`preview ${request.action.type} ${String(request.guest?.run)}`)
        return open.preview(request)
      },
    }
    await it.apply([wish], {gate})
    expect(asked).to.deep.equal([
      'preview destroy running',
      'authorize shutdown running',
      'authorize destroy stopped',
    ])
  })
})
