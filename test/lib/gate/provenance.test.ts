import {expect} from 'chai'
import {isOfOurMaking} from '../../../src/lib/gate/provenance.ts'
import type {ActualGuest} from '../../../src/lib/model/actual.ts'
import {actualGuest} from '../../support/actual-cluster.ts'
import {plannedAction} from '../../support/planned-action.ts'

const willing = {createdInRun: () => true, isScratch: () => true}
const guestWith = (current: Record<string, string>): ActualGuest =>
  actualGuest(101, {config: {known: true, current, pending: [], digest: 'd'}})
const request = (guest: ActualGuest | undefined, run?: string) => ({
  action: plannedAction({type: 'destroy', volumes: []}),
  target: {kind: 'lxc', vmid: 101, node: 'pve1'} as const,
  guest,
  ...(run !== undefined && {run}),
})

describe('whether a guest is of our own making', () => {
  const own = guestWith({rootfs: 'local-lvm:vm-101-disk-0,size=8G'})

  it('is what the journal says of this very guest', () => {
    expect(isOfOurMaking(request(own, 'r1'), willing)).to.equal(true)
    const asked: unknown[] = []
    const noting = {createdInRun: (...facts: unknown[]) => asked.push(...facts) > 9, isScratch: () => false}
    expect(isOfOurMaking(request(own, 'r1'), noting)).to.equal(false)
    expect(asked).to.deep.equal(['r1', {kind: 'lxc', vmid: 101, ids: ['rootfs:local-lvm:vm-101-disk-0']}])
  })

  it('cannot be proved outside a run but for scratch, nor by a journal that is not there', () => {
    expect(isOfOurMaking(request(own), {...willing, isScratch: () => false})).to.equal(false)
    expect(isOfOurMaking(request(own), {...willing, createdInRun: () => false})).to.equal(true)
    expect(isOfOurMaking(request(own, 'r1'), undefined)).to.equal(false)
  })

  it('is never asked of a guest that nothing tells from others, that was not read, or is not there', () => {
    expect(isOfOurMaking(request(guestWith({hostname: 'x'}), 'r1'), willing)).to.equal(false)
    const unread = actualGuest(101, {config: {known: false, reason: 'forbidden'}})
    expect(isOfOurMaking(request(unread, 'r1'), willing)).to.equal(false)
    expect(isOfOurMaking(request(undefined, 'r1'), willing)).to.equal(false)
  })
})
