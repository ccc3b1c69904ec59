import {expect} from 'chai'
import {classifyAction} from '../../../src/lib/gate/classify.ts'
import {createGate} from '../../../src/lib/gate/gate.ts'
import type {ActualGuest} from '../../../src/lib/model/actual.ts'
import type {ActionBody} from '../../../src/lib/model/plan.ts'
import {actualGuest} from '../../support/actual-cluster.ts'
import {optionChange, plannedAction} from '../../support/planned-action.ts'

const target = {kind: 'lxc', vmid: 101, node: 'pve1'} as const

const withConfig = (current: Record<string, string>): ActualGuest =>
  actualGuest(101, {config: {known: true, current, pending: [], digest: 'd'}})

const classOf = (body: ActionBody, guest: ActualGuest | undefined = withConfig({})): string =>
  classifyAction({action: plannedAction(body), target, guest})

const writes = (option: string, after: string | undefined, guest?: ActualGuest): string =>
  classOf({type: 'set-config', changes: [optionChange(option, undefined, after)]}, guest)

describe('the class of an action', () => {
  it('is benign for power, growth and plain options', () => {
    expect(classOf({type: 'start'})).to.equal('benign')
    expect(classOf({type: 'shutdown', timeoutMs: 1000, force: true})).to.equal('benign')
    expect(classOf({type: 'restart'})).to.equal('benign')
    expect(classOf({type: 'resize', disk: 'rootfs', fromBytes: 1, toBytes: 2})).to.equal('benign')
    expect(writes('memory', '512')).to.equal('benign')
  })

  it('is destructive for destroying a guest', () => {
    expect(classOf({type: 'destroy', volumes: []})).to.equal('destructive')
  })

  it('is destructive for deleting a snapshot and for going back to one', () => {
    expect(classOf({type: 'snapshot-delete', snapshot: 's1'})).to.equal('destructive')
    expect(classOf({type: 'snapshot-rollback', snapshot: 's1'})).to.equal('destructive')
  })

  it('is weighed from the live guest, not from the values that the plan claims', () => {
    const guarded = withConfig({protection: '1'})
    expect(writes('protection', '0', guarded)).to.equal('destructive')
    expect(writes('protection', undefined, guarded)).to.equal('destructive')
    expect(writes('protection', '0', withConfig({}))).to.equal('benign')
  })

  it('looks at a volume that only waits to be attached as well', () => {
    const guest = actualGuest(101, {
      config: {
        known: true,
        current: {},
        pending: [{option: 'mp0', kind: 'set', value: 'local-lvm:vm-101-disk-1,mp=/data'}],
        digest: 'd',
      },
    })
    expect(writes('mp0', undefined, guest)).to.equal('destructive')
  })

  it('is destructive for removing a volume and for attaching somebody else’s', () => {
    const data = withConfig({mp0: 'local-lvm:vm-101-disk-1,mp=/data,size=8G'})
    expect(writes('mp0', undefined, data)).to.equal('destructive')
    expect(writes('mp1', 'local-lvm:vm-100-disk-0,mp=/theirs')).to.equal('destructive')
  })

  it('is destructive as a whole if one of its changes is', () => {
    const changes = [optionChange('memory', '512', '1024'), optionChange('template', undefined, '1')]
    expect(classOf({type: 'set-config', changes})).to.equal('destructive')
  })

  it('is destructive for an option that nobody knows, and for a guest whose config could not be read', () => {
    expect(writes('brandnew', '1')).to.equal('destructive')
    const unreadable = actualGuest(101, {config: {known: false, reason: 'forbidden'}})
    expect(writes('memory', '512', unreadable)).to.equal('destructive')
  })

  it('is destructive for an operation that nobody knows', () => {
    expect(classOf({type: 'wipe'} as unknown as ActionBody)).to.equal('destructive')
  })

  it('never lowers what the plan itself holds to be destructive', () => {
    const action = plannedAction({type: 'start'}, {class: 'destructive'})
    expect(classifyAction({action, target, guest: withConfig({})})).to.equal('destructive')
  })
})

describe('the class of what is done to a guest of our own', () => {
  const NET = {net0: 'name=eth0,hwaddr=BC:24:11:00:01:01'}
  const provenance = {createdInRun: (run: string) => run === 'r1', isScratch: () => false}
  const ownClass = (body: ActionBody, current: Record<string, string> = NET, run = 'r1'): string =>
    classifyAction(
      {action: plannedAction(body, {class: 'destructive'}), target, guest: withConfig(current), run},
      {provenance},
    )
  const remove = (option: string): ActionBody => ({
    type: 'set-config',
    changes: [optionChange(option, 'x', undefined)],
  })

  it('is benign for whatever can be signed for: nothing but our own work is lost', () => {
    expect(ownClass({type: 'destroy', volumes: []})).to.equal('benign')
    expect(ownClass({type: 'snapshot-delete', snapshot: 's1'})).to.equal('benign')
    expect(ownClass(remove('mp0'), {...NET, mp0: 'local-lvm:vm-101-disk-1,mp=/x'})).to.equal('benign')
  })

  it('stays destructive in another run, for another’s volume, and for what nobody knows', () => {
    expect(ownClass({type: 'destroy', volumes: []}, NET, 'r2')).to.equal('destructive')
    const theirs = optionChange('mp1', undefined, 'local-lvm:vm-100-disk-0,mp=/theirs')
    expect(ownClass({type: 'set-config', changes: [theirs]})).to.equal('destructive')
    expect(ownClass({type: 'wipe'} as unknown as ActionBody)).to.equal('destructive')
    expect(ownClass({type: 'destroy', volumes: []}, {})).to.equal('destructive')
  })

  it('is not asked of the journal for a guest whose config is not known', () => {
    const guest = actualGuest(101, {config: {known: false, reason: 'forbidden'}})
    const action = plannedAction({type: 'destroy', volumes: []}, {class: 'destructive'})
    expect(classifyAction({action, target, guest, run: 'r1'}, {provenance})).to.equal('destructive')
  })
})

describe('the class of a creation', () => {
  const create = (options: Record<string, string>, guest?: ActualGuest): string =>
    classifyAction({
      action: plannedAction({
        type: 'create',
        from: {template: 'local:vztmpl/x.tar.zst', storage: 'local-lvm'},
        options: Object.entries(options).map(([name, text]) => optionChange(name, undefined, text)),
      }),
      target,
      guest,
    })

  it('is benign with volumes of its own', () => {
    expect(create({rootfs: 'local-lvm:8', mp0: 'local-lvm:4,mp=/data', pool: 'lab'})).to.equal('benign')
  })

  it('is destructive with a volume that is there already', () => {
    expect(create({mp0: 'local-lvm:vm-100-disk-0,mp=/theirs'})).to.equal('destructive')
  })

  it('is destructive where a guest of that number exists', () => {
    expect(create({hostname: 'new'}, withConfig({}))).to.equal('destructive')
  })

  it('is destructive with an option that nobody knows', () => {
    expect(create({brandnew: '1'})).to.equal('destructive')
  })
})

describe('the gate without pinned signers', () => {
  it('lets benign actions pass and holds the others for a signature', async () => {
    const gate = createGate()
    const start = await gate.authorize({
      action: plannedAction({type: 'start'}),
      target,
      guest: withConfig({}),
    })
    expect(start.allowed && start.authorized.class).to.equal('benign')
    const action = plannedAction({type: 'destroy', volumes: []}, {class: 'destructive'})
    const destroy = await gate.authorize({action, target, guest: withConfig({})})
    expect(!destroy.allowed && destroy.refusal.code).to.equal('pending_signature')
  })
})
