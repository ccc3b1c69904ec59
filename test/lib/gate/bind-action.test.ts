import {expect} from 'chai'
import {bindAction} from '../../../src/lib/gate/bind-action.ts'
import type {ActualGuest, PendingChange} from '../../../src/lib/model/actual.ts'
import type {ActionBody} from '../../../src/lib/model/plan.ts'
import {actualGuest} from '../../support/actual-cluster.ts'
import {optionChange} from '../../support/planned-action.ts'

const NET = 'name=eth0,bridge=vmbr0,hwaddr=BC:24:11:00:01:04'
const target = {kind: 'lxc', vmid: 104, node: 'pve1'} as const

const guestWith = (
  options: Record<string, string> = {},
  pending: readonly PendingChange[] = [],
): ActualGuest =>
  actualGuest(104, {config: {known: true, current: {net0: NET, ...options}, pending, digest: 'd'}})

const wordsOf = (body: ActionBody, guest: ActualGuest | undefined = guestWith()): unknown => {
  const bound = bindAction(body, target, guest)
  return 'unsupported' in bound ? bound.unsupported : {op: bound.op, params: bound.params}
}

const write = (option: string, after: string | undefined): ActionBody => ({
  type: 'set-config',
  changes: [optionChange(option, undefined, after)],
})

describe('an action in the words of a signature', () => {
  it('names the operation and its parameters', () => {
    const guest = guestWith({mp0: 'local-lvm:vm-104-disk-1,mp=/data', unused0: 'local-lvm:vm-104-disk-2'})
    expect(wordsOf({type: 'destroy', volumes: []})).to.deep.equal({
      op: 'guest.destroy',
      params: {purge: true},
    })
    expect(wordsOf({type: 'snapshot-delete', snapshot: 's1'})).to.deep.equal({
      op: 'snapshot.delete',
      params: {snapshot: 's1'},
    })
    expect(wordsOf({type: 'snapshot-rollback', snapshot: 's1'})).to.deep.equal({
      op: 'snapshot.rollback',
      params: {snapshot: 's1'},
    })
    expect(wordsOf(write('protection', '0'))).to.deep.equal({op: 'guest.unprotect', params: {}})
    expect(wordsOf(write('protection', undefined))).to.deep.equal({op: 'guest.unprotect', params: {}})
    expect(wordsOf(write('template', '1'))).to.deep.equal({op: 'guest.template', params: {}})
    expect(wordsOf(write('mp0', undefined), guest)).to.deep.equal({
      op: 'volume.detach',
      params: {option: 'mp0', volume: 'local-lvm:vm-104-disk-1'},
    })
    expect(wordsOf(write('unused0', undefined), guest)).to.deep.equal({
      op: 'volume.remove',
      params: {option: 'unused0', volume: 'local-lvm:vm-104-disk-2'},
    })
  })

  it('names what loses nothing too, for a rule that wants a signature', () => {
    expect(wordsOf({type: 'shutdown', timeoutMs: 1, force: false})).to.deep.equal({
      op: 'guest.change',
      params: {action: 'shutdown', force: false, timeout_ms: 1},
    })
    const words = wordsOf({
      type: 'set-config',
      changes: [optionChange('memory', '1', '2'), optionChange('description', undefined, 'a\nb')],
    })
    expect(words).to.have.property('op', 'guest.change')
    expect(words).to.have.nested.property('params.options').that.deep.equals(['description', 'memory'])
    const other = wordsOf({
      type: 'set-config',
      changes: [optionChange('memory', '1', '3'), optionChange('description', undefined, 'a\nb')],
    })
    expect(words).to.not.deep.equal(other)
  })

  it('never names a change that can lose data as one that loses nothing', () => {
    const guest = guestWith({mp0: 'local-lvm:vm-104-disk-1,mp=/data'})
    const change = {...optionChange('mp0', 'x', 'local-lvm:vm-100-disk-0,mp=/data'), class: 'benign' as const}
    const lie = wordsOf({type: 'set-config', changes: [change, optionChange('memory', '1', '2')]}, guest)
    expect(lie).to.be.a('string')
  })

  it('names the volume that the guest has, wherever it stands in the text', () => {
    const written = guestWith({mp0: 'mp=/data,volume=local-lvm:vm-104-disk-1'})
    expect(wordsOf(write('mp0', undefined), written)).to.deep.equal({
      op: 'volume.detach',
      params: {option: 'mp0', volume: 'local-lvm:vm-104-disk-1'},
    })
  })

  it('names a volume that only waits to be attached, or is about to be', () => {
    const waiting = guestWith({}, [{option: 'mp0', kind: 'set', value: 'local-lvm:vm-104-disk-1,mp=/data'}])
    const params = {option: 'mp0', volume: 'local-lvm:vm-104-disk-1'}
    expect(wordsOf(write('mp0', undefined), waiting)).to.deep.equal({op: 'volume.detach', params})
    const current = {mp0: 'local-lvm:vm-104-disk-1,mp=/data'}
    const moved = guestWith(current, [
      {option: 'mp0', kind: 'set', value: 'local-lvm:vm-104-disk-1,mp=/other'},
    ])
    expect(wordsOf(write('mp0', undefined), moved)).to.deep.equal({op: 'volume.detach', params})
    const leaving = guestWith(current, [{option: 'mp0', kind: 'delete', force: false}])
    expect(wordsOf(write('mp0', undefined), leaving)).to.deep.equal({op: 'volume.detach', params})
  })

  it('is none where two volumes could be meant, or none is there', () => {
    const two = guestWith({mp0: 'local-lvm:vm-104-disk-1,mp=/data'}, [
      {option: 'mp0', kind: 'set', value: 'local-lvm:vm-104-disk-9,mp=/data'},
    ])
    expect(wordsOf(write('mp0', undefined), two)).to.match(/which volume/)
    expect(wordsOf(write('mp0', undefined))).to.match(/which volume/)
    expect(wordsOf(write('mp0', undefined), guestWith({mp0: ',,='}))).to.match(/which volume/)
  })

  it('is none for what has no operation', () => {
    expect(wordsOf({type: 'migrate', to: ['pve2']})).to.match(/migrate/)
    expect(wordsOf(write('protection', '1'))).to.match(/not switched off/)
    expect(wordsOf(write('template', undefined))).to.match(/template/)
    expect(wordsOf(write('template', '0'))).to.match(/template/)
    expect(wordsOf(write('mp1', 'local-lvm:vm-100-disk-0,mp=/theirs'))).to.match(/mp1/)
    expect(wordsOf(write('unused1', 'local-lvm:vm-100-disk-0'))).to.match(/unused1/)
    expect(wordsOf(write('unprivileged', undefined))).to.match(/unprivileged/)
    expect(wordsOf(write('brandnew', undefined))).to.match(/brandnew/)
    expect(wordsOf({type: 'set-config', changes: []})).to.match(/the only one/)
    const both = [optionChange('template', undefined, '1'), optionChange('memory', undefined, '1')]
    expect(wordsOf({type: 'set-config', changes: both})).to.match(/the only one/)
  })

  it('is none for a guest that is not there, not read, another, or not to be told apart', () => {
    const destroy: ActionBody = {type: 'destroy', volumes: []}
    const unbound = (guest: ActualGuest | undefined): unknown => {
      const bound = bindAction(destroy, target, guest)
      return 'unsupported' in bound ? bound.unsupported : 'bound'
    }
    expect(unbound(undefined)).to.match(/no such guest/)
    expect(unbound(actualGuest(104, {config: {known: false, reason: 'forbidden'}}))).to.match(/forbidden/)
    expect(unbound(actualGuest(105))).to.match(/another guest/)
    expect(unbound({...guestWith(), node: 'pve2'})).to.match(/another guest/)
    expect(unbound({...guestWith(), kind: 'qemu'})).to.match(/another guest/)
    expect(unbound(actualGuest(104))).to.match(/tells it from another/)
  })

  it('is bound to who the guest is', () => {
    const bind = (guest: ActualGuest): unknown => bindAction({type: 'destroy', volumes: []}, target, guest)
    const one = bind(guestWith())
    expect(bind(guestWith({hostname: 'another'}))).to.deep.equal(one)
    expect(bind(guestWith({net0: NET.replace('04', '05')}))).to.not.deep.equal(one)
    expect(one).to.deep.include({op: 'guest.destroy'})
  })
})
