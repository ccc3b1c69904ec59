// Digests bind: whatever is changed changes them, and the order in which Proxmox lists things does not.
import {createHash} from 'node:crypto'
import {expect} from 'chai'
import {
  actionDigest,
  canonicalAction,
  identityDigest,
  observedDigest,
  statementDigest,
  type ObservedGuest,
} from '../../../src/lib/gate/digests.ts'
import {Malformed} from '../../../src/lib/gate/ssh-wire.ts'
import type {BoundAction} from '../../../src/lib/model/approval.ts'

const sha256 = (text: string): string => `sha256:${createHash('sha256').update(text).digest('hex')}`

describe('the digest', () => {
  const action: BoundAction = {
    op: 'guest.destroy',
    target: {kind: 'lxc', node: 'pve1', vmid: 104, identity: sha256('x')},
    params: {purge: true},
  }
  const actionText = `{"op":"guest.destroy","params":{"purge":true},"target":{"identity":"${sha256('x')}","kind":"lxc","node":"pve1","vmid":104}}`

  it('of an action is that of its canonical op, params and target', () => {
    expect(actionDigest(action)).to.equal(sha256(actionText))
    expect(canonicalAction(action)).to.equal(actionText)
  })
  it('of an action leaves out what a statement has besides', () => {
    const statement = {...action, reason: 'x', target: {...action.target, more: 1}}
    expect(actionDigest(statement)).to.equal(actionDigest(action))
  })
  it('of an action changes with everything in it', () => {
    const others = [
      {...action, op: 'guest.template' as const},
      {...action, params: {}},
      {...action, params: {purge: false}},
      {...action, params: {purge: true, force: true}},
      ...Object.entries({kind: 'qemu', node: 'pve2', vmid: '104', identity: sha256('y')}).map(
        ([field, value]) => ({...action, target: {...action.target, [field]: value}}),
      ),
    ]
    const digests = new Set([action, ...others].map((one) => actionDigest(one)))
    expect(digests.size).to.equal(others.length + 1)
  })
  it('of an identity is that of its canonical kind, vmid and ids', () => {
    const ids = ['rootfs:local:104/disk', 'hwaddr:BC:24:11:00:00:01']
    expect(identityDigest({kind: 'lxc', vmid: 104, ids})).to.equal(
      sha256('{"ids":["hwaddr:BC:24:11:00:00:01","rootfs:local:104/disk"],"kind":"lxc","vmid":104}'),
    )
  })
  it('of signed bytes is their own', () => {
    expect(statementDigest(Buffer.from('{}'))).to.equal(sha256('{}'))
  })

  const observed: ObservedGuest = {
    config: {memory: '512', rootfs: 'local:104/disk'},
    pending: [
      {option: 'memory', kind: 'set', value: '1024'},
      {option: 'cores', kind: 'delete', force: false},
    ],
    snapshots: [
      {name: 'b', parent: 'a', snaptime: 2},
      {name: 'a', snaptime: 1},
    ],
    lock: undefined,
  }
  it('of what was observed is that of its canonical text', () => {
    expect(observedDigest(observed)).to.equal(
      sha256(
        '{"config":{"memory":"512","rootfs":"local:104/disk"},"lock":null,"pending":[{"force":false,"kind":"delete","option":"cores"},{"kind":"set","option":"memory","value":"1024"}],"snapshots":[{"name":"a","parent":null,"snaptime":1},{"name":"b","parent":"a","snaptime":2}]}',
      ),
    )
  })
  it('of what was observed does not ask for the order, nor for a description', () => {
    const turned: ObservedGuest = {
      config: {rootfs: 'local:104/disk', memory: '512'},
      pending: [...observed.pending].reverse(),
      snapshots: [...observed.snapshots].reverse().map((one) => ({...one, description: 'x', vmstate: false})),
      lock: undefined,
    }
    expect(observedDigest(turned)).to.equal(observedDigest(observed))
  })
  it('of what was observed changes with everything in it', () => {
    const [snapshot] = observed.snapshots
    const others: ObservedGuest[] = [
      {...observed, config: {...observed.config, mp0: 'local:104/data,mp=/data'}},
      {...observed, config: {...observed.config, memory: '513'}},
      {...observed, pending: []},
      {...observed, snapshots: []},
      {...observed, snapshots: snapshot ? [snapshot] : []},
      {...observed, snapshots: observed.snapshots.map((one) => ({...one, snaptime: 3}))},
      {...observed, snapshots: observed.snapshots.map(({name}) => ({name}))},
      {...observed, lock: 'backup'},
    ]
    expect(new Set([observed, ...others].map((one) => observedDigest(one))).size).to.equal(others.length + 1)
  })
  it('of a guest with half a surrogate pair in it cannot be taken', () => {
    expect(() => observedDigest({...observed, config: {description: '\ud800'}})).to.throw(Malformed)
  })
})
