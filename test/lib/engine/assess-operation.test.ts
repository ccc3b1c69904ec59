import {expect} from 'chai'
import {assessOperation, type Standing} from '../../../src/lib/engine/assess-operation.ts'
import type {ActualGuest, PendingChange, RunState} from '../../../src/lib/model/actual.ts'
import {identifyGuest} from '../../../src/lib/model/identity.ts'
import type {BeforeImage, OperationBody} from '../../../src/lib/model/operation.ts'
import {actualGuest} from '../../support/actual-cluster.ts'

const target = {kind: 'lxc', vmid: 101, node: 'pve1'} as const
const ROOT = {rootfs: 'local-lvm:vm-101-disk-0,size=8G'}

function guest(
  config: Record<string, string> = {},
  {run = 'running', pending = []}: {run?: RunState; pending?: PendingChange[]} = {},
): ActualGuest {
  return actualGuest(101, {
    run,
    config: {known: true, current: {...ROOT, ...config}, pending, digest: 'd'},
  })
}

function assess(
  body: OperationBody,
  now: ActualGuest | undefined,
  before: Partial<BeforeImage> = {},
): Standing {
  const identity = body.type === 'create' ? {} : {identity: identifyGuest(target, ROOT)}
  return assessOperation({body, target, before: {run: 'running', options: {}, ...before}, ...identity}, now)
}

describe('how a guest stands towards an operation', () => {
  const write: OperationBody = {type: 'set-config', set: {memory: '1024'}, delete: ['swap']}
  const before = {options: {memory: '512', swap: '256'}}

  it('has reached a config that it reads back in other words', () => {
    const tags: OperationBody = {type: 'set-config', set: {tags: 'web,prod'}, delete: []}
    expect(assess(tags, guest({tags: 'prod;web'}), {options: {tags: null}})).to.equal('reached')
  })

  it('has reached a network whose address Proxmox chose by itself', () => {
    const add: OperationBody = {type: 'set-config', set: {net1: 'name=eth1,bridge=vmbr0,ip=dhcp'}, delete: []}
    const live = 'name=eth1,bridge=vmbr0,hwaddr=BC:24:11:00:00:07,ip=dhcp,type=veth'
    expect(assess(add, guest({net1: live}), {options: {net1: null}})).to.equal('reached')
    const other = live.replace('vmbr0', 'vmbr1')
    expect(assess(add, guest({net1: other}), {options: {net1: null}})).to.equal('changed')
  })

  it('has reached a config that waits for a restart', () => {
    const pending: PendingChange[] = [
      {option: 'memory', kind: 'set', value: '1024'},
      {option: 'swap', kind: 'delete', force: false},
    ]
    expect(assess(write, guest({memory: '512', swap: '256'}, {pending}), before)).to.equal('reached')
  })

  it('has reached what it took back once nothing waits any more', () => {
    const pending: PendingChange[] = [{option: 'nameserver', kind: 'set', value: '192.0.2.1'}]
    const revert: OperationBody = {type: 'set-config', set: {}, delete: [], revert: ['nameserver']}
    const waiting = {options: {nameserver: '192.0.2.1'}}
    expect(assess(revert, guest({}, {pending}), waiting)).to.equal('untouched')
    expect(assess(revert, guest(), waiting)).to.equal('reached')
  })

  it('is untouched while every option is as it was', () => {
    expect(assess(write, guest({memory: '512', swap: '256'}), before)).to.equal('untouched')
  })

  it('has changed when an option is neither as it was nor as wanted, or when half of it is done', () => {
    expect(assess(write, guest({memory: '768', swap: '256'}), before)).to.equal('changed')
    expect(assess(write, guest({memory: '1024', swap: '256'}), before)).to.equal('changed')
  })

  it('has changed when another guest has its number', () => {
    const another = guest({rootfs: 'local-lvm:vm-101-disk-7,size=8G', memory: '512', swap: '256'})
    expect(assess(write, another, before)).to.equal('changed')
    expect(assess(write, undefined, before)).to.equal('changed')
    expect(assess({type: 'start'}, {...guest(), kind: 'qemu'})).to.equal('changed')
  })

  it('has reached a new disk once another volume of that storage stands there', () => {
    const disk: OperationBody = {type: 'set-config', set: {mp0: 'local-lvm:4,mp=/data'}, delete: []}
    const none = {options: {mp0: null}}
    expect(assess(disk, guest(), none)).to.equal('untouched')
    expect(assess(disk, guest({mp0: 'local-lvm:vm-101-disk-1,mp=/data,size=4G'}), none)).to.equal('reached')
    expect(assess(disk, guest({mp0: 'local:101/vm-101-disk-1.raw,mp=/data,size=4G'}), none)).to.equal(
      'changed',
    )
  })

  it('stands by its run state towards power operations', () => {
    const stopped = guest({}, {run: 'stopped'})
    const paused = guest({}, {run: 'paused'})
    const shutdown: OperationBody = {type: 'shutdown', timeoutMs: 1, force: false}
    expect([assess({type: 'start'}, guest()), assess({type: 'start'}, stopped)]).to.deep.equal([
      'reached',
      'untouched',
    ])
    expect([assess(shutdown, stopped), assess(shutdown, guest()), assess(shutdown, paused)]).to.deep.equal([
      'reached',
      'untouched',
      'untouched',
    ])
    expect(assess({type: 'start'}, paused)).to.equal('changed')
    expect(assess({type: 'start'}, guest({}, {run: 'unknown'}))).to.equal('unknown')
  })

  it('has restarted when it runs and nothing waits any more', () => {
    const pending: PendingChange[] = [{option: 'tty', kind: 'set', value: '3'}]
    expect(assess({type: 'restart'}, guest())).to.equal('reached')
    expect(assess({type: 'restart'}, guest({}, {pending}))).to.equal('untouched')
    expect(assess({type: 'restart'}, guest({}, {run: 'stopped'}))).to.equal('changed')
  })

  it('stands by the size of the disk towards a resize', () => {
    const grow: OperationBody = {type: 'resize', disk: 'rootfs', toBytes: 16 * 2 ** 30}
    const sizeBytes = 8 * 2 ** 30
    const sized = (size: string): ActualGuest => guest({rootfs: `local-lvm:vm-101-disk-0,size=${size}`})
    expect(assess(grow, sized('8G'), {sizeBytes})).to.equal('untouched')
    expect(assess(grow, sized('16G'), {sizeBytes})).to.equal('reached')
    expect(assess(grow, sized('20G'), {sizeBytes})).to.equal('reached')
    expect(assess(grow, sized('12G'), {sizeBytes})).to.equal('changed')
  })

  it('is created when our mark is on it and nothing holds it any more', () => {
    const marker = ['BC:24:11:AA:BB:CC']
    const create: OperationBody = {
      type: 'create',
      from: {template: 'local:vztmpl/x.tar.zst'},
      options: {},
      secrets: [],
      marker,
    }
    const made = guest({net0: 'name=eth0,hwaddr=BC:24:11:AA:BB:CC,type=veth'})
    expect(assess(create, undefined)).to.equal('untouched')
    expect(assess(create, made)).to.equal('reached')
    expect(assess(create, {...made, lock: 'create'})).to.equal('changed')
    expect(assess(create, guest({net0: 'name=eth0,hwaddr=BC:24:11:00:00:00'}))).to.equal('changed')
    expect(assess({...create, marker: []}, made)).to.equal('changed')
  })

  it('is destroyed when it is gone, and another of its number is not it', () => {
    const destroy: OperationBody = {type: 'destroy'}
    expect(assess(destroy, undefined)).to.equal('reached')
    expect(assess(destroy, guest())).to.equal('untouched')
    expect(assess(destroy, guest({rootfs: 'local-lvm:vm-101-disk-7'}))).to.equal('changed')
  })

  it('is unknown while the config cannot be read', () => {
    const unreadable = actualGuest(101, {config: {known: false, reason: 'node away'}})
    for (const body of [write, {type: 'destroy'}, {type: 'restart'}] satisfies OperationBody[]) {
      expect(assess(body, unreadable, before)).to.equal('unknown')
    }
  })
})
