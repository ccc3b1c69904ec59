import {expect} from 'chai'
import {findStale} from '../../../../src/lib/app/apply/find-stale.ts'
import type {ActualCluster, ActualGuest} from '../../../../src/lib/model/actual.ts'
import type {GuestPlan, Plan} from '../../../../src/lib/model/plan.ts'
import {planStart} from '../../../../src/lib/plan/plan-run-state.ts'
import {actualCluster, actualGuest} from '../../../support/actual-cluster.ts'

const DIGEST = 'a'.repeat(40)
const config = {known: true, current: {}, pending: [], digest: DIGEST} as const
const live = (change: Partial<ActualGuest> = {}): ActualGuest =>
  actualGuest(101, {run: 'stopped', config, ...change})

const plan = (change: Partial<GuestPlan> = {}): Plan => ({
  guests: [
    {
      kind: 'lxc',
      vmid: 101,
      name: 'a',
      node: 'pve1',
      exists: true,
      run: 'stopped',
      liveDigest: DIGEST,
      actions: [planStart(101)],
      unchangedOptions: 0,
      problems: [],
      ...change,
    },
  ],
  unmanaged: 0,
  unchanged: 0,
  problems: [],
})

const incomplete: Partial<ActualCluster> = {
  completeness: {complete: false, reasons: [{code: 'node_offline', message: 'pve2 is offline'}]},
}

describe('a saved plan', () => {
  const stale = (saved: Plan, guests: ActualGuest[], change: Partial<ActualCluster> = {}): string[] =>
    findStale(saved, actualCluster({guests, ...change}))

  it('holds while its guests are as they were, whatever becomes of others', () => {
    expect(stale(plan(), [live(), actualGuest(102)])).to.deep.equal([])
    expect(stale(plan({exists: false, liveDigest: undefined}), [])).to.deep.equal([])
    expect(stale(plan({liveDigest: undefined}), [live({config: {known: false, reason: ''}})])).to.deep.equal(
      [],
    )
  })

  const cases: [string, ActualGuest[], string][] = [
    ['the config', [live({config: {...config, digest: 'b'.repeat(40)}})], 'has another config now'],
    ['that the config can be read', [live({config: {known: false, reason: ''}})], 'has another config now'],
    ['the run state', [live({run: 'running'})], 'was stopped and is running now'],
    ['the node', [live({node: 'pve2'})], 'is on pve2 now'],
    ['the kind', [live({kind: 'qemu'})], 'is a virtual machine now'],
    ['the guest itself', [], 'does not exist any more'],
  ]
  for (const [what, guests, why] of cases) {
    it(`is stale when another has changed ${what}`, () => {
      expect(stale(plan(), guests)).to.deep.equal([`lxc/101 ${why}`])
    })
  }

  it('is stale when what it would make exists, or may exist', () => {
    const create = plan({exists: false, liveDigest: undefined})
    expect(stale(create, [live()])).to.deep.equal(['lxc/101 exists now'])
    expect(stale(create, [], incomplete)[0]).to.contain('was not seen')
  })

  it('has nothing to say of guests without steps', () => {
    expect(stale(plan({actions: []}), [])).to.deep.equal([])
  })
})
