import {expect} from 'chai'
import {DispatchError} from '../../../src/lib/model/dispatch-error.ts'
import type {GuestAddress} from '../../../src/lib/model/guest.ts'
import type {Intent, OperationBody} from '../../../src/lib/model/operation.ts'
import {hasSucceeded} from '../../../src/lib/model/task.ts'
import {parseUpid} from '../../../src/lib/model/upid.ts'
import type {WriteConnection} from '../../../src/lib/pve/connection.ts'
import {nodePath} from '../../../src/lib/pve/paths.ts'
import {createReader} from '../../../src/lib/pve/read.ts'
import {createWriter, type Dispatched} from '../../../src/lib/pve/write.ts'
import {journaledIntent, setConfig} from '../../support/journaled-intent.ts'
import {rejection} from '../../support/reject.ts'
import {TestSandbox} from '../../support/test-sandbox.ts'
import {waitFor} from '../../support/wait-for.ts'

const WEB: GuestAddress = {kind: 'lxc', node: 'pve', vmid: 102}
const VM: GuestAddress = {kind: 'qemu', node: 'pve', vmid: 201}
const TEMPLATE = 'local:vztmpl/debian-12-tiny_12.7-1_amd64.tar.gz'
const MIB = 1024 ** 2

type Creation = Extract<OperationBody, {type: 'create'}>
const create = (from: Creation['from'], options: Creation['options'], secrets: string[] = []): Creation => ({
  type: 'create',
  from,
  options,
  secrets,
  marker: [],
  ...('clone' in from && {sourceNode: 'pve'}),
})

async function failure(work: Promise<Dispatched>): Promise<DispatchError> {
  const error = await rejection(work)
  expect(error).to.be.instanceOf(DispatchError)
  return error as DispatchError
}

describe('a writer', () => {
  let sandbox: TestSandbox
  const reader = () => createReader(sandbox.connect())
  const config = (guest: GuestAddress) => reader().readConfig(guest)
  const runState = async (guest: GuestAddress) => (await reader().readGuest(guest)).run

  /** With the digest that stands there now, unless `more` has another. */
  async function dispatch(
    target: GuestAddress,
    body: OperationBody,
    more: Partial<Intent> & {token?: string; secrets?: Record<string, string>} = {},
  ): Promise<Dispatched> {
    const {token, secrets, ...intent} = more
    const guarded = body.type === 'set-config' || body.type === 'resize'
    const digest = guarded && intent.digest === undefined ? {digest: (await config(target)).digest} : {}
    return createWriter(sandbox.connect(token)).dispatch(
      journaledIntent(target, body, {...digest, ...intent}),
      secrets,
    )
  }

  /** The type of the task, once it has ended well. */
  async function finished(work: Promise<Dispatched>): Promise<string> {
    const dispatched = await work
    if (dispatched.kind !== 'task') throw new Error('no task was started')
    const {upid} = dispatched
    await waitFor(async () => (await reader().taskStatus(upid)).state === 'stopped')
    const status = await reader().taskStatus(upid)
    expect(hasSucceeded(status), JSON.stringify(status)).to.equal(true)
    return `${upid.type} ${upid.id}`
  }

  /** Which felhom itself never does; the volume that it makes. */
  async function backUp({vmid}: GuestAddress): Promise<string> {
    const path = nodePath('pve', 'vzdump')
    const params = {vmid, storage: 'local', compress: 'zstd'}
    const {data} = await sandbox
      .connect()
      .mutate({method: 'POST', path, node: 'pve', params, synchronous: false})
    const upid = parseUpid(String(data))
    await waitFor(async () => (await reader().taskStatus(upid)).state === 'stopped')
    const volumes = sandbox.sandbox.cluster.state.storages.flatMap((storage) => storage.volumes)
    return volumes.find((volume) => volume.backup && volume.vmid === vmid)?.volid ?? 'no backup'
  }

  before(async () => {
    sandbox = await TestSandbox.start()
  })
  beforeEach(() => {
    // Where the seed was recorded no hypervisor ran: machines did not come back after a reboot.
    delete sandbox.sandbox.cluster.state.knobs.isHypervisorFaked
  })
  afterEach(() => sandbox.reset())
  after(() => sandbox.close())

  for (const guest of [WEB, VM]) {
    const prefix = guest.kind === 'lxc' ? 'vz' : 'qm'
    const task = (verb: string): string => `${prefix}${verb} ${guest.vmid}`

    it(`starts, restarts and shuts down a ${guest.kind} guest by a task each`, async () => {
      expect(await finished(dispatch(guest, {type: 'start'}))).to.equal(task('start'))
      expect(await runState(guest)).to.equal('running')
      expect(await finished(dispatch(guest, {type: 'restart'}))).to.equal(task('reboot'))
      // Proxmox starts a machine again in a task of its own, a moment after the reboot's has ended.
      await waitFor(async () => (await runState(guest)) === 'running')
      const shutdown = {type: 'shutdown', timeoutMs: 10_000, force: false} as const
      expect(await finished(dispatch(guest, shutdown))).to.equal(task('shutdown'))
      expect(await runState(guest)).to.equal('stopped')
    })

    it(`stops a ${guest.kind} guest hard that does not shut down in time, if so told`, async () => {
      await finished(dispatch(guest, {type: 'start'}))
      await sandbox.control({hang: guest.vmid, on: true})
      await finished(dispatch(guest, {type: 'shutdown', timeoutMs: 1_500, force: true}))
      expect(await runState(guest)).to.equal('stopped')
    })

    it(`sets and deletes options of a ${guest.kind} guest at once`, async () => {
      const first = setConfig({description: 'a b&c;ü\n', onboot: '1', tags: 'x;y'})
      expect(await dispatch(guest, first)).to.deep.equal({kind: 'done'})
      const before = await config(guest)
      expect(before.current).to.include({onboot: '1', tags: 'x;y'})
      expect(before.current['description']?.trimEnd()).to.equal('a b&c;ü')
      await dispatch(guest, setConfig({cores: '1'}, ['onboot', 'tags']))
      expect((await config(guest)).current)
        .to.include({cores: '1'})
        .and.not.to.have.any.keys('onboot', 'tags')
    })

    it(`refuses a change of a ${guest.kind} guest that others have changed since`, async () => {
      const {digest} = await config(guest)
      await dispatch(guest, setConfig({tags: 'theirs'}))
      const error = await failure(dispatch(guest, setConfig({tags: 'ours'}), {digest}))
      expect(error.code).to.equal('config_changed')
      expect((await config(guest)).current).to.include({tags: 'theirs'})
    })

    const disk = guest.kind === 'lxc' ? 'rootfs' : 'scsi0'
    for (const [toBytes, size] of [
      [2048 * MIB, '2G'],
      [1500 * MIB, '1500M'],
    ] as const) {
      it(`grows ${disk} of a ${guest.kind} guest to ${size}, as a task`, async () => {
        expect(await finished(dispatch(guest, {type: 'resize', disk, toBytes}))).to.equal(
          `resize ${guest.vmid}`,
        )
        expect((await config(guest)).current[disk]).to.match(new RegExp(`,size=${size}$`))
      })
    }

    it(`destroys a ${guest.kind} guest and what refers to it, but no volume that it does not name`, async () => {
      const {storages} = sandbox.sandbox.cluster.state
      const ofGuest = () => storages.flatMap(({volumes}) => volumes.filter(({vmid}) => vmid === guest.vmid))
      const [named] = ofGuest()
      if (!named) throw new Error('the guest has no volume')
      const stray = {...named, volid: named.volid.replace('disk-0', 'disk-7')}
      storages.find(({volumes}) => volumes.includes(named))?.volumes.push(stray)
      expect(await finished(dispatch(guest, {type: 'destroy'}))).to.equal(task('destroy'))
      expect(await reader().isVmidFree(guest.vmid)).to.equal(true)
      expect(ofGuest().map(({volid}) => volid)).to.deep.equal([stray.volid])
    })

    it(`clones a ${guest.kind} guest`, async () => {
      const copy = {...guest, vmid: 300}
      const name = guest.kind === 'lxc' ? 'hostname' : 'name'
      const body = create({clone: guest.vmid, full: true}, {[name]: 'copy', pool: 'homelab', cores: '4'})
      expect(await finished(dispatch(copy, body))).to.equal(task('clone'))
      const {current} = await config(copy)
      expect(current).to.include({[name]: 'copy'})
      expect(current['cores']).not.to.equal('4')
    })
  }

  it('creates a container from a template, with its secrets', async () => {
    const target = {...WEB, vmid: 150}
    const options = {hostname: 'new', rootfs: 'local:0.5', net0: 'name=eth0,bridge=vmbr0', unprivileged: '1'}
    const body = create({template: TEMPLATE, storage: 'local'}, options, ['password'])
    expect(await finished(dispatch(target, body, {secrets: {password: 'geheim1'}}))).to.equal('vzcreate 150')
    const {current} = await config(target)
    expect(current).to.include({hostname: 'new', unprivileged: '1'})
    expect(current['rootfs']).to.match(/,size=512M$/)
    expect(await runState(target)).to.equal('stopped')
  })

  it('creates an empty machine, with its secrets', async () => {
    const target = {...VM, vmid: 250}
    const options = {name: 'new', scsi0: 'local:1', ide2: 'local:cloudinit', net0: 'virtio,bridge=vmbr0'}
    const body = create({empty: true}, options, ['cipassword'])
    const secrets = {cipassword: 'geheim1'}
    expect(await finished(dispatch(target, body, {secrets}))).to.equal('qmcreate 250')
    expect((await config(target)).current).to.include({name: 'new', cipassword: '**********'})
  })

  it('brings back a guest of either kind from its backup', async () => {
    for (const guest of [WEB, VM]) {
      const archive = await backUp(guest)
      const copy = {...guest, vmid: guest.vmid + 100}
      const body = create({restore: archive, storage: 'local'}, {pool: 'homelab'})
      const type = guest.kind === 'lxc' ? 'vzrestore' : 'qmrestore'
      expect(await finished(dispatch(copy, body))).to.equal(`${type} ${copy.vmid}`)
      const [was, is] = [await config(guest), await config(copy)]
      expect(is.current['memory']).to.equal(was.current['memory'])
      expect(is.current['net0'], 'a MAC address of its own').not.to.equal(was.current['net0'])
    }
  })

  it('repeats no secret when Proxmox refuses it', async () => {
    const body = create({template: TEMPLATE, storage: 'local'}, {}, ['password'])
    const error = await failure(dispatch({...WEB, vmid: 150}, body, {secrets: {password: 'kurz'}}))
    expect(error).to.include({code: 'parameters_refused', executed: 'no'})
    expect(error.message).to.contain('password').and.not.to.contain('kurz')
  })

  it('does not create over a guest that exists', async () => {
    const {digest} = await config(WEB)
    for (const body of [
      create({template: TEMPLATE, storage: 'local'}, {}),
      create({clone: 103, full: true}, {}),
    ]) {
      expect((await failure(dispatch(WEB, body))).message).to.contain('CT 102 already exists')
    }
    expect((await config(WEB)).digest).to.equal(digest)
  })

  it('says which parameter was refused, and that nothing was changed', async () => {
    const error = await failure(dispatch(WEB, setConfig({cores: 'x'})))
    expect(error).to.include({code: 'parameters_refused', executed: 'no'})
    expect(error.message).to.match(/PUT \/nodes\/pve\/lxc\/102\/config: 400 .*cores: type check/)
  })

  it('is refused with a token that may only look', async () => {
    const {digest} = await config(WEB)
    const bodies: OperationBody[] = [
      {type: 'start'},
      setConfig({cores: '1'}),
      {type: 'destroy'},
      {type: 'resize', disk: 'rootfs', toBytes: 1024 * MIB},
    ]
    for (const body of bodies) {
      const error = await failure(dispatch(WEB, body, {token: 'ro', digest}))
      expect(error).to.include({code: 'forbidden', executed: 'no'})
      expect(error.hint).to.contain('privilege')
    }
    expect((await config(WEB)).digest).to.equal(digest)
  })

  it('is refused with a token that has expired, or has another secret', async () => {
    for (const token of ['expired', 'root@pam!felhom=00000000-0000-0000-0000-000000000000']) {
      const error = await failure(dispatch(WEB, {type: 'start'}, {token}))
      expect(error).to.include({code: 'unauthorized', executed: 'no'})
    }
  })

  it('leaves a guest alone that is locked', async () => {
    await sandbox.control({lock: 'backup', kind: 'lxc', vmid: 102})
    for (const body of [setConfig({cores: '1'}), {type: 'destroy'} as const]) {
      const error = await failure(dispatch(WEB, body))
      expect(error.code).to.equal('guest_locked')
      expect(error.message).to.contain('CT is locked (backup)')
    }
  })

  it('knows that nothing was written while somebody else held the config', async () => {
    await sandbox.control({configLockHeldSeconds: 3600, vmid: 102})
    const error = await failure(dispatch(WEB, setConfig({cores: '1'})))
    expect(error).to.include({code: 'config_locked', executed: 'no'})
  })

  it('is refused without quorum', async () => {
    await sandbox.control({quorate: false})
    const {digest} = await config(WEB)
    const error = await failure(dispatch(WEB, setConfig({cores: '1'})))
    expect(error.code).to.equal('no_quorum')
    expect((await config(WEB)).digest).to.equal(digest)
  })

  it('knows that a node which cannot be reached did nothing', async () => {
    const error = await failure(dispatch({...WEB, node: 'pve-refused'}, {type: 'start'}))
    expect(error).to.include({code: 'node_unreachable', executed: 'no'})
  })

  it('sends nothing for an intent that cannot have been meant, and says so', async () => {
    const writer = createWriter(sandbox.connect())
    const secret = create({template: TEMPLATE}, {}, ['password'])
    for (const intent of [
      journaledIntent({...WEB, node: '../x'}, {type: 'start'}),
      journaledIntent(WEB, setConfig({cores: '1'}), {digest: ''}),
      journaledIntent(WEB, setConfig({})),
      journaledIntent({...WEB, vmid: 150}, secret),
    ]) {
      expect((await failure(writer.dispatch(intent))).executed).to.equal('no')
    }
    expect((await sandbox.stats()).total).to.equal(0)
  })

  it('is in doubt when the answer is neither a task nor nothing', async () => {
    const odd: WriteConnection = {mutate: () => Promise.resolve({data: {surprise: 1}})}
    const work = createWriter(odd).dispatch(journaledIntent(WEB, {type: 'start'}))
    expect(await failure(work)).to.include({code: 'bad_answer', executed: 'ambiguous'})
  })
})
