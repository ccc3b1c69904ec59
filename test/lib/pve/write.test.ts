import {expect} from 'chai'
import {DispatchError} from '../../../src/lib/model/dispatch-error.ts'
import type {GuestAddress} from '../../../src/lib/model/guest.ts'
import type {WriteConnection} from '../../../src/lib/pve/connection.ts'
import {createReader} from '../../../src/lib/pve/read.ts'
import {createWriter, type ConfigChange, type Dispatched, type Writer} from '../../../src/lib/pve/write.ts'
import {rejection} from '../../support/reject.ts'
import {TestSandbox} from '../../support/test-sandbox.ts'
import {waitFor} from '../../support/wait-for.ts'

const WEB: GuestAddress = {kind: 'lxc', node: 'pve', vmid: 102}
const VM: GuestAddress = {kind: 'qemu', node: 'pve', vmid: 201}

async function failure(work: Promise<Dispatched>): Promise<DispatchError> {
  const error = await rejection(work)
  expect(error).to.be.instanceOf(DispatchError)
  return error as DispatchError
}

describe('a writer', () => {
  let sandbox: TestSandbox
  const writer = (token?: string): Writer => createWriter(sandbox.connect(token))
  const config = (guest: GuestAddress) => createReader(sandbox.connect()).readConfig(guest)
  const runState = async (guest: GuestAddress) => (await createReader(sandbox.connect()).readGuest(guest)).run

  before(async () => {
    sandbox = await TestSandbox.start()
  })
  afterEach(() => sandbox.reset())
  after(() => sandbox.close())

  for (const guest of [WEB, VM]) {
    it(`starts, reboots, shuts down and stops a ${guest.kind} guest by a task each`, async () => {
      const done = async (dispatched: Dispatched, type: RegExp): Promise<void> => {
        if (dispatched.kind !== 'task') throw new Error('no task was started')
        const {upid} = dispatched
        expect(upid).to.include({node: 'pve', id: String(guest.vmid)})
        expect(upid.type).to.match(type)
        const reader = createReader(sandbox.connect())
        await waitFor(async () => (await reader.taskStatus(upid)).state === 'stopped')
        expect(await reader.taskStatus(upid)).to.have.property('verdict', 'ok')
      }
      await done(await writer().start(guest), /start$/)
      expect(await runState(guest)).to.equal('running')
      await done(await writer().reboot(guest, {timeoutSeconds: 10}), /reboot$/)
      await done(await writer().shutdown(guest, {timeoutSeconds: 10, force: true}), /shutdown$/)
      expect(await runState(guest)).to.equal('stopped')
      await done(await writer().start(guest), /start$/)
      await done(await writer().stop(guest), /stop$/)
      expect(await runState(guest)).to.equal('stopped')
    })

    it(`sets and deletes options of a ${guest.kind} guest at once`, async () => {
      const {digest} = await config(guest)
      const first = {description: 'a b&c;ü\n', onboot: '1', tags: 'x;y'}
      expect(await writer().setConfig(guest, {set: first, delete: [], digest})).to.deep.equal({kind: 'done'})
      const before = await config(guest)
      expect(before.current).to.include({onboot: '1', tags: 'x;y'})
      expect(before.current['description']?.trimEnd()).to.equal('a b&c;ü')
      await writer().setConfig(guest, {set: {cores: '1'}, delete: ['onboot', 'tags'], digest: before.digest})
      expect((await config(guest)).current)
        .to.include({cores: '1'})
        .and.not.to.have.any.keys('onboot', 'tags')
    })

    it(`refuses a change of a ${guest.kind} guest that others have changed since`, async () => {
      const {digest} = await config(guest)
      await writer().setConfig(guest, {set: {tags: 'theirs'}, delete: [], digest})
      const error = await failure(writer().setConfig(guest, {set: {tags: 'ours'}, delete: [], digest}))
      expect(error.code).to.equal('config_changed')
      expect((await config(guest)).current).to.include({tags: 'theirs'})
    })
  }

  it('says which parameter was refused, and that nothing was changed', async () => {
    const {digest} = await config(WEB)
    const error = await failure(writer().setConfig(WEB, {set: {cores: 'x'}, delete: [], digest}))
    expect(error).to.include({code: 'parameters_refused', executed: 'no'})
    expect(error.message).to.match(/PUT \/nodes\/pve\/lxc\/102\/config: 400 .*cores: type check/)
  })

  it('is refused with a token that may only look', async () => {
    const {digest} = await config(WEB)
    for (const work of [
      writer('ro').start(WEB),
      writer('ro').setConfig(WEB, {set: {cores: '1'}, delete: [], digest}),
    ]) {
      const error = await failure(work)
      expect(error).to.include({code: 'forbidden', executed: 'no'})
      expect(error.hint).to.contain('privilege')
    }
    expect((await config(WEB)).digest).to.equal(digest)
  })

  it('is refused with a token that has expired, or has another secret', async () => {
    for (const token of ['expired', 'root@pam!felhom=00000000-0000-0000-0000-000000000000']) {
      expect(await failure(writer(token).start(WEB))).to.include({code: 'unauthorized', executed: 'no'})
    }
  })

  it('leaves a guest alone that is locked', async () => {
    await sandbox.control({lock: 'backup', kind: 'lxc', vmid: 102})
    const {digest} = await config(WEB)
    const error = await failure(writer().setConfig(WEB, {set: {cores: '1'}, delete: [], digest}))
    expect(error.code).to.equal('guest_locked')
    expect(error.message).to.contain('CT is locked (backup)')
  })

  it('knows that nothing was written while somebody else held the config', async () => {
    await sandbox.control({configLockHeldSeconds: 3600, vmid: 102})
    const {digest} = await config(WEB)
    const error = await failure(writer().setConfig(WEB, {set: {cores: '1'}, delete: [], digest}))
    expect(error).to.include({code: 'config_locked', executed: 'no'})
  })

  it('is refused without quorum', async () => {
    await sandbox.control({quorate: false})
    const {digest} = await config(WEB)
    const error = await failure(writer().setConfig(WEB, {set: {cores: '1'}, delete: [], digest}))
    expect(error.code).to.equal('no_quorum')
    expect((await config(WEB)).digest).to.equal(digest)
  })

  it('knows that a node which cannot be reached did nothing', async () => {
    const error = await failure(writer().start({...WEB, node: 'pve-refused'}))
    expect(error).to.include({code: 'node_unreachable', executed: 'no'})
  })

  it('sends nothing for a name that cannot be, an empty change or an empty digest', async () => {
    const change: ConfigChange = {set: {cores: '1'}, delete: [], digest: 'x'}
    for (const work of [
      writer().start({...WEB, node: '../x'}),
      writer().start({...WEB, vmid: 1}),
      writer().setConfig(WEB, {...change, set: {}}),
      writer().setConfig(WEB, {...change, digest: ''}),
    ]) {
      expect((await failure(work)).executed).to.equal('no')
    }
    expect((await sandbox.stats()).total).to.equal(0)
  })

  it('is in doubt when the answer is neither a task nor nothing', async () => {
    const odd: WriteConnection = {mutate: () => Promise.resolve({data: {surprise: 1}})}
    expect(await failure(createWriter(odd).start(WEB))).to.include({
      code: 'bad_answer',
      executed: 'ambiguous',
    })
  })
})
