// To which guest, and to which of its volumes, an action is bound.
import {expect} from 'chai'
import {bindAction} from '../../../src/lib/gate/bind-action.ts'
import {classifyAction} from '../../../src/lib/gate/classify.ts'
import {identityDigest} from '../../../src/lib/gate/digests.ts'
import {observeGuest} from '../../../src/lib/gate/observe-guest.ts'
import type {ActualGuest, PendingChange} from '../../../src/lib/model/actual.ts'
import {identifyGuest} from '../../../src/lib/model/identity.ts'
import {actualGuest} from '../../support/actual-cluster.ts'
import {optionChange, plannedAction} from '../../support/planned-action.ts'

const target = {kind: 'lxc', vmid: 104, node: 'pve1'} as const
const NET = {net0: 'name=eth0,bridge=vmbr0,hwaddr=BC:24:11:00:01:04'}
const DATA = 'local-lvm:vm-104-disk-1,mp=/data'

const guestWith = (
  current: Record<string, string>,
  pending: readonly PendingChange[] = [],
  change: Partial<ActualGuest> = {},
): ActualGuest =>
  actualGuest(104, {config: {known: true, current: {...NET, ...current}, pending, digest: 'd'}, ...change})

const remove = (option: string) =>
  ({type: 'set-config', changes: [optionChange(option, undefined, undefined)]}) as const

describe('an action bound to a guest', () => {
  it('carries its number, kind and node, and the digest of who it is', () => {
    const identity = identityDigest(identifyGuest({kind: 'lxc', vmid: 104}, NET))
    expect(bindAction({type: 'destroy', volumes: []}, target, guestWith({}))).to.deep.equal({
      op: 'guest.destroy',
      params: {purge: true},
      target: {kind: 'lxc', node: 'pve1', vmid: 104, identity},
    })
  })

  it('is none where the guest is another, for whatever reason', () => {
    const unsupported = 'it is another guest than the one that was read'
    for (const change of [{vmid: 105}, {node: 'pve2'}, {kind: 'qemu'}] as const)
      expect(bindAction({type: 'destroy', volumes: []}, target, guestWith({}, [], change))).to.deep.equal({
        unsupported,
      })
  })

  it('says no more than why it is none', () => {
    expect(bindAction({type: 'migrate', to: ['pve2']}, target, guestWith({}))).to.deep.equal({
      unsupported: 'no operation that can be signed for does what migrate does here',
    })
  })

  it('names the volume of its own option, whatever waits for others', () => {
    const others: readonly PendingChange[] = [
      {option: 'mp1', kind: 'set', value: 'local-lvm:vm-104-disk-9,mp=/other'},
    ]
    expect(bindAction(remove('mp0'), target, guestWith({mp0: DATA}, others))).to.deep.include({
      params: {option: 'mp0', volume: 'local-lvm:vm-104-disk-1'},
    })
  })

  it('names the volume of a machine', () => {
    const machine = guestWith(
      {vmgenid: '6b1b1ee1-8a0b-4a3e-9a5c-1a9d3ab3f104', scsi0: 'local-lvm:vm-104-disk-0,size=8G'},
      [],
      {
        kind: 'qemu',
      },
    )
    const bound = bindAction(remove('scsi0'), {...target, kind: 'qemu'}, machine)
    expect(bound).to.deep.include({params: {option: 'scsi0', volume: 'local-lvm:vm-104-disk-0'}})
  })
})

describe('a guest as it was observed', () => {
  it('is none whose config is not known', () => {
    const unread = actualGuest(104, {config: {known: false, reason: 'forbidden'}})
    expect(() => observeGuest(unread, []))
      .to.throw('a guest was observed whose config is not known')
      .with.property('code', 'unexpected')
  })
})

describe('the class of a change where something waits', () => {
  const writes = (option: string, after: string | undefined, guest: ActualGuest): string => {
    const body = {type: 'set-config', changes: [optionChange(option, undefined, after)]} as const
    return classifyAction({action: plannedAction(body), target, guest})
  }

  it('is not weighed by what waits for other options', () => {
    const guest = guestWith({}, [{option: 'mp1', kind: 'set', value: DATA}])
    expect(writes('mp0', undefined, guest)).to.equal('benign')
    expect(writes('mp1', undefined, guest)).to.equal('destructive')
  })

  it('is benign for a guest that moves', () => {
    const action = plannedAction({type: 'migrate', to: ['pve2']})
    expect(classifyAction({action, target, guest: guestWith({})})).to.equal('benign')
  })
})
