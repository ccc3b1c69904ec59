// The plan of an undo over all guests of a run.
import {expect} from 'chai'
import {planUndo, type PlannedUndo} from '../../../../src/lib/app/undo/undo-work.ts'
import type {ActualGuest} from '../../../../src/lib/model/actual.ts'
import type {Operation} from '../../../../src/lib/model/operation.ts'
import {actualCluster, actualGuest} from '../../../support/actual-cluster.ts'
import {intentOf, operationOf, RUN} from '../../../support/operations.ts'

const setMemory = (vmid: number): Operation =>
  operationOf(
    intentOf(
      vmid,
      {type: 'set-config', set: {memory: '2048'}, delete: []},
      {
        target: {kind: 'lxc', vmid, node: 'pve1'},
        identity: {kind: 'lxc', vmid, ids: []},
        before: {run: 'running', options: {memory: '1024'}},
      },
    ),
  )

const guest = (vmid: number, memory: string): ActualGuest =>
  actualGuest(vmid, {config: {known: true, current: {memory}, pending: [], digest: memory}})

const cluster = actualCluster({guests: [101, 102, 103].map((vmid) => guest(vmid, '2048'))})
const undo = (...targets: string[]): PlannedUndo =>
  planUndo(RUN, [setMemory(102), setMemory(101)], cluster, targets)

describe('the plan of an undo', () => {
  it('has the guests of the run, and calls no other unmanaged', () => {
    const {plan} = undo()
    expect(plan.guests.map(({vmid}) => vmid)).to.deep.equal([101, 102])
    expect(plan.unmanaged).to.equal(0)
    expect(plan.guests[0]?.actions[0]?.why).to.equal(`it undoes ${RUN}`)
  })

  it('has only the targets, each of which the run must have touched', () => {
    expect(undo('lxc/102', '102').plan.guests.map(({vmid}) => vmid)).to.deep.equal([102])
    expect(() => undo('103')).to.throw(`${RUN} did nothing to 103`)
    expect(() => undo('qemu/101')).to.throw('did nothing to qemu/101')
  })

  it('is made anew for a guest that has changed meanwhile, and keeps its hands off', () => {
    const planned = undo()
    expect(planned.planAgain(guest(101, '2048'))?.actions).to.have.length(1)
    expect(planned.planAgain(guest(101, '4096'))?.actions).to.deep.equal([])
  })

  it('says nowhere that somebody wrote it into a file', () => {
    const locked = actualCluster({guests: [{...guest(101, '2048'), lock: 'backup'}]})
    const {plan} = planUndo(RUN, [setMemory(101)], locked, [])
    expect(plan.guests[0]?.actions[0]?.blockers.map(({code}) => code)).to.deep.equal(['locked'])
    expect(JSON.stringify(plan)).to.not.contain('"place"')
  })
})
