import {expect} from 'chai'
import {chooseAddresses} from '../../../src/lib/engine/choose-addresses.ts'
import {isSameWork} from '../../../src/lib/engine/compare-actions.ts'
import {describeTaskFailure} from '../../../src/lib/engine/describe-task-failure.ts'
import {plainBody} from '../../../src/lib/engine/to-operation.ts'
import {parseUpid} from '../../../src/lib/model/upid.ts'
import {optionChange, plannedAction} from '../../support/planned-action.ts'

const countUp = (): ((digits: number) => string) => {
  let n = 0
  return (digits) => (++n).toString(16).padStart(digits, '0')
}

describe('the addresses of a new guest', () => {
  it('are chosen for every interface of a container that has none', () => {
    const {options, marker} = chooseAddresses(
      'lxc',
      {memory: '512', net0: 'name=eth0,bridge=vmbr0', net1: 'name=eth1,hwaddr=BC:24:11:00:00:99'},
      countUp(),
    )
    expect(options).to.deep.equal({
      memory: '512',
      net0: 'name=eth0,bridge=vmbr0,hwaddr=BC:24:11:00:00:01',
      net1: 'name=eth1,hwaddr=BC:24:11:00:00:99',
    })
    expect(marker).to.deep.equal(['BC:24:11:00:00:01'])
  })

  it('are put where a machine has them, whichever way its model is written', () => {
    const {options, marker} = chooseAddresses(
      'qemu',
      {net0: 'virtio,bridge=vmbr0', net1: 'model=e1000', net2: 'virtio=BC:24:11:00:00:99,bridge=vmbr0'},
      countUp(),
    )
    expect(options).to.deep.equal({
      net0: 'virtio=BC:24:11:00:00:01,bridge=vmbr0',
      net1: 'e1000=BC:24:11:00:00:02',
      net2: 'virtio=BC:24:11:00:00:99,bridge=vmbr0',
    })
    expect(marker).to.deep.equal(['BC:24:11:00:00:01', 'BC:24:11:00:00:02'])
  })
})

describe('the body of an operation', () => {
  it('holds what is set and what is removed, and secrets by name only', () => {
    const secret = {...optionChange('cipassword', undefined, undefined), secret: true} as const
    const changes = [optionChange('memory', '512', '1024'), optionChange('tags', 'a', undefined), secret]
    expect(
      plainBody(plannedAction({type: 'set-config', changes}) as Parameters<typeof plainBody>[0]),
    ).to.deep.equal({type: 'set-config', set: {memory: '1024'}, delete: ['tags'], secrets: ['cipassword']})
  })
})

describe('two plans of a guest', () => {
  const set = (after: string) =>
    plannedAction({type: 'set-config', changes: [optionChange('memory', '512', after)]})

  it('are the same if they would send the same', () => {
    const other = plannedAction(
      {type: 'set-config', changes: [optionChange('memory', '777', '1024')]},
      {why: 'another reason'},
    )
    expect(isSameWork([set('1024')], [other])).to.equal(true)
    expect(isSameWork([set('1024')], [set('2048')])).to.equal(false)
    expect(isSameWork([set('1024')], [set('1024'), plannedAction({type: 'start'})])).to.equal(false)
  })

  it('are the same whatever they say about what is blocked', () => {
    const blocked = plannedAction({type: 'start'}, {blockers: [{code: 'locked', message: 'locked'}]})
    expect(isSameWork([set('1024'), blocked], [set('1024')])).to.equal(true)
  })

  it('differ if one of them can lose data', () => {
    const drastic = {...set('1024'), class: 'destructive'} as const
    expect(isSameWork([set('1024')], [drastic])).to.equal(false)
  })
})

describe('a task that failed', () => {
  const upid = parseUpid('UPID:pve1:00000001:00000001:6B49D200:vzstart:101:root@pam!felhom:')

  it('is told with the last lines of its log, however long that is', async () => {
    const all = Array.from({length: 1200}, (_, i) => ({n: i + 1, text: `line ${i + 1}`}))
    all.push({n: 1201, text: 'TASK ERROR: it broke'})
    const taskLog = (
      _: unknown,
      {start = 0, limit = 50}: {start?: number; limit?: number} = {},
    ): Promise<{lines: typeof all; total: number}> =>
      Promise.resolve({lines: all.slice(start, start + limit), total: all.length})
    const text = await describeTaskFailure(upid, 'it broke', {taskLog})
    expect(text).to.equal(
      'the task ended with: it broke; its log before that: line 1196 | line 1197 | line 1198 | line 1199 | line 1200',
    )
  })

  it('is told without its log if that cannot be read', async () => {
    const text = await describeTaskFailure(upid, 'it broke', {taskLog: () => Promise.reject(new Error('no'))})
    expect(text).to.equal('the task ended with: it broke')
  })
})
