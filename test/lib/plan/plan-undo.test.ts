// What of a run can be taken back, decided from its operations in the journal and the guest as it is now.
import {expect} from 'chai'
import type {ActualGuest, PendingChange} from '../../../src/lib/model/actual.ts'
import type {DesiredGuest} from '../../../src/lib/model/desired.ts'
import type {GuestKind} from '../../../src/lib/model/guest.ts'
import type {BeforeImage, Intent, Operation, OperationBody} from '../../../src/lib/model/operation.ts'
import type {UndoRemark} from '../../../src/lib/model/undo.ts'
import {isUndoable, planWayBack} from '../../../src/lib/plan/plan-undo.ts'
import {actualGuest} from '../../support/actual-cluster.ts'
import {intentOf, openOf, operationOf, RUN} from '../../support/operations.ts'

const ADDRESS = 'BC:24:11:00:00:01'
const NET0 = `name=eth0,bridge=vmbr0,hwaddr=${ADDRESS},type=veth`
const ROOTFS = 'local-lvm:vm-101-disk-0,size=8G'
const UUID = '11111111-2222-3333-4444-555555555555'
const SMBIOS = `uuid=${UUID}`

const CONFIGS: Record<GuestKind, Record<string, string>> = {
  lxc: {net0: NET0, rootfs: ROOTFS},
  qemu: {smbios1: SMBIOS, vmgenid: '99999999-2222-3333-4444-555555555555'},
}
const IDS: Record<GuestKind, string[]> = {
  lxc: [`hwaddr:${ADDRESS}`, 'rootfs:local-lvm:vm-101-disk-0'],
  qemu: [`uuid:${UUID}`, 'vmgenid:99999999-2222-3333-4444-555555555555'],
}

interface Scene {
  kind?: GuestKind
  config?: Record<string, string>
  pending?: PendingChange[]
  guest?: Partial<ActualGuest>
}

const live = ({kind = 'lxc', config = {}, pending = [], guest = {}}: Scene = {}): ActualGuest =>
  actualGuest(101, {
    kind,
    config: {known: true, current: {...CONFIGS[kind], ...config}, pending, digest: 'd'},
    ...guest,
  })

let counter = 0
beforeEach(() => (counter = 0))

function done(
  body: OperationBody,
  before: Partial<BeforeImage> = {},
  more: Partial<Intent> & {kind?: GuestKind} = {},
): Operation {
  const {kind = 'lxc', ...rest} = more
  return operationOf(
    intentOf(++counter, body, {
      target: {kind, vmid: 101, node: 'pve1'},
      identity: {kind, vmid: 101, ids: IDS[kind]},
      before: {run: 'running', options: {}, ...before},
      ...rest,
    }),
  )
}

const set = (
  changes: Record<string, [string | null, string | null]>,
  more: Partial<Intent> & {kind?: GuestKind} = {},
): Operation => {
  const entries = Object.entries(changes)
  return done(
    {
      type: 'set-config',
      set: Object.fromEntries(entries.flatMap(([o, [, after]]) => (after === null ? [] : [[o, after]]))),
      delete: entries.flatMap(([o, [, after]]) => (after === null ? [o] : [])),
    },
    {options: Object.fromEntries(entries.map(([o, [was]]) => [o, was]))},
    more,
  )
}

const wish = (desired: DesiredGuest | undefined): Record<string, string | null> =>
  Object.fromEntries(
    [...(desired?.options ?? [])].map(([name, {value}]) => [
      name,
      value.is === 'text' ? value.text : value.is === 'removed' ? null : value.is,
    ]),
  )

const said = (remarks: readonly UndoRemark[]): string[] =>
  remarks.map(({code, message}) => `${code}: ${message}`)

const undo = (
  operations: readonly Operation[],
  guest: ActualGuest | undefined,
  isComplete = true,
): {wish: Record<string, string | null>; run: string | undefined; said: string[]; desired?: DesiredGuest} => {
  const {desired, remarks} = planWayBack(operations, guest, isComplete)
  return {wish: wish(desired), run: desired?.run, said: said(remarks), ...(desired && {desired})}
}

describe('undo of options', () => {
  it('wants each option as it was, and unsets what was not set', () => {
    const operations = [set({memory: ['1024', '2048'], tags: [null, 'web'], onboot: ['1', null]})]
    const result = undo(operations, live({config: {memory: '2048', tags: 'web'}}))
    expect(result.wish).to.deep.equal({memory: '1024', tags: null, onboot: '1'})
    expect(result.said).to.deep.equal([])
  })

  it('goes back to before the first of several changes of one option', () => {
    const operations = [set({memory: ['1024', '2048']}), set({memory: ['2048', '4096']})].reverse()
    expect(undo(operations, live({config: {memory: '4096'}})).wish).to.deep.equal({memory: '1024'})
  })

  it('has nothing to do for an option that ended as it began', () => {
    const operations = [set({memory: ['1024', '2048']}), set({memory: ['2048', '1024']})]
    expect(undo(operations, live({config: {memory: '1024'}}))).to.deep.equal({
      wish: {},
      run: undefined,
      said: [],
    })
  })

  it('leaves alone what somebody has changed since, and says so', () => {
    const operations = [set({memory: ['1024', '2048'], cores: ['1', '2']})]
    const result = undo(operations, live({config: {memory: '3072', cores: '2'}}))
    expect(result.wish).to.deep.equal({cores: '1'})
    expect(result.said).to.deep.equal(['changed_since: memory was changed to 3GiB since: left alone'])
  })

  it('leaves alone what somebody has removed since', () => {
    const result = undo([set({memory: ['1024', '2048']})], live())
    expect(result.said).to.deep.equal(['changed_since: memory was removed since: left alone'])
  })

  it('says nothing about what is back already', () => {
    const result = undo([set({memory: ['1024', '2048']})], live({config: {memory: '1024'}}))
    expect(result).to.deep.equal({wish: {}, run: undefined, said: []})
  })

  it('takes what waits for a restart for what the apply gave', () => {
    const pending: PendingChange[] = [{option: 'cores', kind: 'set', value: '4'}]
    const operations = [set({cores: ['2', '4']}, {kind: 'qemu'})]
    const result = undo(operations, live({kind: 'qemu', config: {cores: '2'}, pending}))
    expect(result.wish).to.deep.equal({cores: '2'})
  })

  it('sets again what only waited to be set and was taken back', () => {
    const body: OperationBody = {type: 'set-config', set: {}, delete: [], revert: ['nameserver']}
    const operations = [done(body, {options: {nameserver: '10.0.0.53'}})]
    expect(undo(operations, live()).wish).to.deep.equal({nameserver: '10.0.0.53'})
  })

  it('does not take a value in other words for another value', () => {
    const operations = [set({tags: ['a', 'b;c']})]
    expect(undo(operations, live({config: {tags: 'c,b'}})).wish).to.deep.equal({tags: 'a'})
  })

  it('does not take what Proxmox adds for a change by somebody else', () => {
    const operations = [set({net1: [null, 'name=eth1,bridge=vmbr1']})]
    const now = live({config: {net1: 'name=eth1,bridge=vmbr1,hwaddr=BC:24:11:00:00:02,type=veth'}})
    expect(undo(operations, now).wish).to.deep.equal({net1: null})
  })

  it('brings back a container whose address the apply itself replaced', () => {
    const fresh = NET0.replace(ADDRESS, 'BC:24:11:00:00:09')
    const result = undo([set({net0: [NET0, fresh]})], live({config: {net0: fresh}}))
    expect(result.wish).to.deep.equal({net0: NET0})
  })

  it('keeps the size that a disk has grown to when it brings back its other parts', () => {
    const operations = [
      set({rootfs: [ROOTFS, `${ROOTFS},mountoptions=noatime`]}),
      done({type: 'resize', disk: 'rootfs', toBytes: 16 * 1024 ** 3}, {sizeBytes: 8 * 1024 ** 3}),
    ]
    const now = live({config: {rootfs: 'local-lvm:vm-101-disk-0,mountoptions=noatime,size=16G'}})
    const result = undo(operations, now)
    expect(result.wish).to.deep.equal({rootfs: 'local-lvm:vm-101-disk-0'})
    expect(result.said).to.deep.equal(['grown: rootfs was grown from 8GiB to 16GiB: a disk cannot shrink'])
  })

  it('ignores operations that had no effect', () => {
    for (const state of ['failed', 'superseded', 'abandoned'] as const) {
      const operation = {...set({memory: ['1024', '2048']}), state}
      const result = undo([operation], live({config: {memory: '2048'}}))
      expect(result, state).to.deep.equal({wish: {}, run: undefined, said: []})
    }
  })

  it('counts what was found to be so as done', () => {
    const found = {...set({memory: ['1024', '2048']}), state: 'satisfied'} as const
    expect(undo([found], live({config: {memory: '2048'}})).wish).to.deep.equal({memory: '1024'})
  })
})

describe('undo says what it cannot bring back', () => {
  it('a secret', () => {
    const body: OperationBody = {type: 'set-config', set: {}, delete: [], secrets: ['cipassword']}
    const result = undo([done(body, {}, {kind: 'qemu'})], live({kind: 'qemu'}))
    expect(result.said).to.deep.equal(['secret: cipassword is a secret: what it was before is not kept'])
    expect(result.desired).to.equal(undefined)
  })

  it('a secret that was taken away', () => {
    const body: OperationBody = {type: 'set-config', set: {}, delete: ['cipassword']}
    const result = undo([done(body, {}, {kind: 'qemu'})], live({kind: 'qemu'}))
    expect(result.said).to.deep.equal(['secret: cipassword is a secret: what it was before is not kept'])
  })

  it('what the catalog calls irreversible', () => {
    const operations = [set({unused0: ['local-lvm:vm-101-disk-7', null]})]
    expect(undo(operations, live()).said).to.deep.equal([
      'irreversible: unused0 cannot be brought back: data is lost',
    ])
  })

  it('a volume that was made', () => {
    const operations = [set({mp0: [null, 'local-lvm:8,mp=/data']})]
    const now = live({config: {mp0: 'local-lvm:vm-101-disk-1,mp=/data,size=8G'}})
    const result = undo(operations, now)
    expect(result.desired).to.equal(undefined)
    expect(result.said).to.deep.equal([
      "allocated: mp0 came with a new volume, and taking it away could lose data: if that is meant, write 'mp0: null', which needs a signature",
    ])
  })

  it('a restart', () => {
    expect(undo([done({type: 'restart'})], live()).said).to.deep.equal([
      'restart: it was restarted: that cannot be taken back',
    ])
  })

  it('a guest that was created, with all that was done to it afterwards', () => {
    const create: OperationBody = {
      type: 'create',
      from: {empty: true},
      options: {},
      secrets: [],
      marker: [],
    }
    const result = undo([done(create), done({type: 'start'}, {run: 'stopped'})], live())
    expect(result.desired).to.equal(undefined)
    expect(result.said).to.deep.equal([
      "created: it was created, and undoing that would destroy it with its data: if that is meant, write 'ensure: absent' for it, which needs a signature",
    ])
  })

  it('nothing of a guest that was created and is gone again', () => {
    const create: OperationBody = {type: 'create', from: {empty: true}, options: {}, secrets: [], marker: []}
    expect(undo([done(create)], undefined).said).to.deep.equal([])
  })

  it('a guest that was destroyed', () => {
    expect(
      undo([done({type: 'shutdown', timeoutMs: 1, force: false}), done({type: 'destroy'})], undefined).said,
    ).to.deep.equal(['destroyed: it was destroyed with its data: only a backup can bring it back'])
  })

  it('a guest that no longer exists', () => {
    expect(undo([set({memory: ['1', '2']})], undefined).said).to.deep.equal([
      'guest_missing: it no longer exists',
    ])
  })

  it('a guest that was not seen in a list that is not complete', () => {
    expect(undo([set({memory: ['1', '2']})], undefined, false).said).to.deep.equal([
      'guest_unseen: it was not seen, but the list of guests is not complete',
    ])
  })

  it('a machine under the number of a container', () => {
    expect(undo([set({memory: ['1', '2']})], live({kind: 'qemu'})).said).to.deep.equal([
      'guest_another: another guest has this number now',
    ])
  })

  it('another container of the same number, though its volume has the same name', () => {
    const other = {net0: NET0.replace(ADDRESS, 'BC:24:11:99:99:99'), memory: '2048'}
    const result = undo([set({memory: ['1024', '2048']})], live({config: other}))
    expect(result.desired).to.equal(undefined)
    expect(result.said).to.deep.equal(['guest_another: another guest has this number now'])
  })

  it('another machine of the same number, and not one that was only rolled back', () => {
    const operations = [set({memory: ['1024', '2048']}, {kind: 'qemu'})]
    const other = live({kind: 'qemu', config: {smbios1: SMBIOS.replace('1111', '9999'), memory: '2048'}})
    const rolled = live({
      kind: 'qemu',
      config: {vmgenid: '00000000-2222-3333-4444-555555555555', memory: '2048'},
    })
    expect(undo(operations, other).said).to.have.length(1)
    expect(undo(operations, rolled).wish).to.deep.equal({memory: '1024'})
  })

  it('a guest whose config could not be read', () => {
    const guest = live({guest: {config: {known: false, reason: 'the node is offline'}}})
    expect(undo([set({memory: ['1', '2']})], guest).said).to.deep.equal([
      'config_unknown: its config could not be read (the node is offline)',
    ])
  })

  it('a guest with an operation that has not ended', () => {
    const open = openOf(intentOf(9, {type: 'start'}), 'started')
    const result = undo([set({memory: ['1024', '2048']}), open], live({config: {memory: '2048'}}))
    expect(result.desired).to.equal(undefined)
    expect(result.said).to.deep.equal([`open: how ${RUN}.9 ended is not known: run felhom recover first`])
  })

  it('what Proxmox rewrote beside it', () => {
    const operations = [set({ide2: [null, 'none,media=cdrom']}, {kind: 'qemu'})]
    const result = undo(operations, live({kind: 'qemu', config: {ide2: 'none,media=cdrom'}}))
    expect(result.wish).to.deep.equal({ide2: null})
    expect(result.said).to.deep.equal([
      'side_effect: with ide2 Proxmox may have changed boot too: look at it, it is left alone',
    ])
  })
})

describe('undo of the run state', () => {
  const start = (before: BeforeImage['run'] = 'stopped'): Operation => done({type: 'start'}, {run: before})
  const shutdown = (before: BeforeImage['run'] = 'running'): Operation =>
    done({type: 'shutdown', timeoutMs: 5000, force: true}, {run: before})
  const running = live()
  const stopped = live({guest: {run: 'stopped'}})
  const paused = live({guest: {run: 'paused'}})

  it('shuts down what was started, gently', () => {
    const {run, desired} = undo([start()], running)
    expect(run).to.equal('stopped')
    expect(desired?.stop).to.deep.equal({timeoutMs: 60_000, force: false})
    expect(desired?.restart).to.equal('never')
  })

  it('starts what was shut down', () => {
    expect(undo([shutdown()], stopped).run).to.equal('running')
  })

  it('knows what was before from what was done, where nobody looked', () => {
    expect(undo([shutdown('unknown')], stopped).run).to.equal('running')
    expect(undo([start('unknown')], running).run).to.equal('stopped')
  })

  it('does nothing where it is so already', () => {
    expect(undo([start()], stopped)).to.deep.equal({wish: {}, run: undefined, said: []})
  })

  it('does nothing for a guest that was stopped and started again', () => {
    expect(undo([shutdown(), start()], running).desired).to.equal(undefined)
  })

  it('leaves a guest alone that somebody has paused since', () => {
    expect(undo([start()], paused).said).to.deep.equal(['changed_since: it is paused now: left alone'])
  })

  it('does not start what was paused', () => {
    expect(undo([shutdown('paused')], stopped).said).to.deep.equal([
      'paused: it was paused before it was shut down, and felhom pauses no guest',
    ])
  })
})

describe('what makes a run one that can be undone', () => {
  it('an option or a run state that was changed', () => {
    expect(isUndoable(set({memory: ['1', '2']}))).to.equal(true)
    expect(isUndoable(done({type: 'start'}))).to.equal(true)
  })

  it('not what failed, what is open, what cannot be taken back, nor a value that stayed', () => {
    const memory = set({memory: ['1', '2']})
    expect(isUndoable({...memory, state: 'failed'})).to.equal(false)
    expect(isUndoable({...memory, state: 'started'})).to.equal(false)
    expect(isUndoable(done({type: 'restart'}))).to.equal(false)
    expect(isUndoable(done({type: 'destroy'}))).to.equal(false)
    expect(isUndoable(set({memory: ['1024', '1024']}))).to.equal(false)
    expect(isUndoable(done({type: 'set-config', set: {}, delete: [], secrets: ['cipassword']}))).to.equal(
      false,
    )
  })
})
