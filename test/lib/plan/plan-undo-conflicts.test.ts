// What the files would have done again after an undo.
import {expect} from 'chai'
import {findConflicts} from '../../../src/lib/plan/plan-undo-conflicts.ts'
import {planChanges} from '../../../src/lib/plan/plan-changes.ts'
import type {DesiredGuest} from '../../../src/lib/model/desired.ts'
import {actualCluster, actualGuest} from '../../support/actual-cluster.ts'
import {desiredGuest, desiredState} from '../../support/desired-guest.ts'

const config = {known: true, current: {memory: '2048', tags: 'web'}, pending: [], digest: 'd'} as const
const cluster = actualCluster({guests: [actualGuest(101, {config})]})
/** An undo that brings these back. */
const undo = planChanges(
  desiredState(desiredGuest(101, {memory: '1024', tags: null}, {run: 'stopped'})),
  cluster,
)

const conflicts = (files: DesiredGuest): string[] => findConflicts(undo, desiredState(files))

describe('conflicts of an undo with the desired state', () => {
  it('are the options and the run state that the files want otherwise', () => {
    const files = desiredGuest(101, {memory: '2048', tags: 'web', cores: '4'}, {run: 'running'})
    expect(conflicts(files)).to.deep.equal(['memory of lxc/101', 'tags of lxc/101', 'run of lxc/101'])
  })

  it('are not what the files want so too, nor what they do not mention', () => {
    expect(conflicts(desiredGuest(101, {memory: '1024'}, {run: 'stopped'}))).to.deep.equal([])
    expect(conflicts(desiredGuest(102, {memory: '2048'}))).to.deep.equal([])
  })
})
