import {expect} from 'chai'
import {InProcessSandbox} from '../../../../support/in-process-sandbox.ts'
import type {Section} from '../../../../../src/lib/sandbox/state.ts'

const VM = '/nodes/pve/qemu/201'

describe('clones, templates and the end of machines', () => {
  let sandbox: InProcessSandbox

  beforeEach(() => {
    sandbox = new InProcessSandbox()
  })

  const clone = (form: Record<string, string | number>, from = VM): Promise<string> =>
    sandbox.outcome(sandbox.post(`${from}/clone`, form))
  const destroy = (path: string): Promise<string> => sandbox.outcome(sandbox.delete(path))
  const configOf = (vmid: number): Section => sandbox.cluster.guest(vmid)?.config ?? {}
  const volumes = (): string[] => sandbox.cluster.state.storages.flatMap((s) => s.volumes.map((v) => v.volid))

  it('copies to a storage in a format that the storage knows', async () => {
    expect(await clone({newid: 300, storage: 'btr'})).to.equal('OK')
    expect(await clone({newid: 301, storage: 'nosnap', format: 'raw'})).to.equal('OK')
    expect(configOf(300)['scsi0']).to.equal('btr:300/vm-300-disk-0.raw,size=1G')
    expect(configOf(301)['scsi0']).to.equal('nosnap:301/vm-301-disk-0.raw,size=1G')
  })

  it('takes the config of a snapshot, its description too, and none of its marks', async () => {
    await sandbox.outcome(sandbox.post(`${VM}/snapshot`, {snapname: 'before', description: 'then'}))
    await sandbox.put(`${VM}/config`, {cores: 4, description: 'now'})
    expect(await clone({newid: 300, snapname: 'before', name: 'then'})).to.equal('OK')
    expect(configOf(300)).to.include({cores: '1', name: 'then', description: 'then'})
    expect(configOf(300)).to.not.have.any.keys('parent', 'snaptime', 'lock')
    expect(await clone({newid: 301, snapname: 'never'})).to.equal("500 snapshot 'never' does not exist")
  })

  it('tells a taken id at once, unless it is a container’s, which the task finds out', async () => {
    expect(await clone({newid: 200})).to.equal('500 unable to create VM 200: config file already exists')
    expect(await clone({newid: 100})).to.equal(
      "close (rename) atomic file '/etc/pve/nodes/pve/qemu-server/100.conf' failed: File exists",
    )
    expect(volumes().filter((volid) => volid.includes('qemu'))).to.deep.equal([])
  })

  it('lets nobody have a device of the host by cloning who could not set it', async () => {
    const guest = sandbox.cluster.requireGuest('qemu', 'pve', 201)
    guest.config['usb0'] = 'host=1234:5678'
    expect(await clone({newid: 300})).to.equal("500 only root can set 'usb0' config for real devices")
    guest.config['usb0'] = 'spice'
    expect(await clone({newid: 300})).to.equal('OK')
  })

  it('refuses under a lock, and frees everything when it is stopped half-way', async () => {
    const guest = sandbox.cluster.guest(201)
    if (guest) guest.config['lock'] = 'backup'
    expect(await clone({newid: 300})).to.equal('500 VM is locked (backup)')
    if (guest) delete guest.config['lock']
    const before = volumes()
    const answer = await sandbox.post(`${VM}/clone`, {newid: 300})
    await sandbox.clock.advance(100)
    expect(configOf(300)).to.deep.equal({lock: 'clone'})
    await sandbox.clock.run(sandbox.cluster.tasks.stop(String(answer.data)))
    expect(await sandbox.outcome(answer)).to.equal('clone failed: interrupted by signal')
    expect(sandbox.cluster.guest(300)).to.equal(undefined)
    expect(volumes()).to.deep.equal(before)
  })

  it('links several clones of a template at the same time, and the template outlives none of them', async () => {
    expect(await sandbox.outcome(sandbox.post(`${VM}/template`, {}))).to.equal('OK')
    const answers = await Promise.all([300, 301].map((newid) => sandbox.post(`${VM}/clone`, {newid})))
    for (const answer of answers) expect(await sandbox.outcome(answer)).to.equal('OK')
    expect(configOf(301)['scsi0']).to.equal('local:201/base-201-disk-0.qcow2/301/vm-301-disk-0.qcow2,size=1G')
    expect(configOf(301)).to.not.have.property('template')
    await destroy('/nodes/pve/qemu/300')
    expect(await destroy(VM)).to.match(/is still in use by linked cloned$/)
    await destroy('/nodes/pve/qemu/301')
    expect(await destroy(VM)).to.equal('OK')
    expect(volumes().filter((volid) => volid.includes('201'))).to.deep.equal([])
  })

  it('makes no template of what has snapshots, runs, or is one', async () => {
    const template = (path: string): Promise<string> => sandbox.outcome(sandbox.post(`${path}/template`, {}))
    expect(await template('/nodes/pve/qemu/200')).to.equal(
      "500 you can't convert a VM to template if VM is running",
    )
    await sandbox.outcome(sandbox.post(`${VM}/snapshot`, {snapname: 's1'}))
    expect(await template(VM)).to.equal('500 unable to create template, because VM contains snapshots')
    await destroy(`${VM}/snapshot/s1`)
    expect(await template(VM)).to.equal('OK')
    expect(await template(VM)).to.equal("500 you can't convert a template to a template")
  })

  it('destroys a machine with its unused volumes, its pool membership and its permissions', async () => {
    const {state} = sandbox.cluster
    state.pools[0]?.vmids.push(201)
    state.access.acl.push({
      path: '/vms/201',
      type: 'user',
      ugid: 'ops@pve',
      propagate: 1,
      roleid: 'PVEVMUser',
    })
    await sandbox.put(`${VM}/config`, {scsi1: 'local:1'})
    await sandbox.put(`${VM}/config`, {delete: 'scsi1'})
    expect(configOf(201)['unused0']).to.equal('local:201/vm-201-disk-1.raw')
    expect(await destroy('/nodes/pve/qemu/200')).to.equal('500 VM 200 is running - destroy failed')
    expect(await destroy(VM)).to.equal('OK')
    expect(volumes().filter((volid) => volid.includes('201'))).to.deep.equal([])
    expect(state.pools.flatMap((pool) => pool.vmids)).to.not.include(201)
    expect(state.access.acl.map((entry) => entry.path)).to.not.include('/vms/201')
  })

  it('destroys what is under HA only with purge, which forgets it there', async () => {
    sandbox.cluster.state.ha.push({sid: 'vm:201', state: 'stopped'})
    expect(await destroy(VM)).to.equal(
      '500 unable to remove VM 201 - used in HA resources and purge parameter not set.',
    )
    expect(await destroy(`${VM}?purge=1`)).to.equal('OK')
    expect(sandbox.cluster.state.ha).to.deep.equal([])
  })

  it('leaves unreferenced volumes unless told to look for them', async () => {
    const {volumes: local = []} = sandbox.cluster.state.storages.find((s) => s.storage === 'local') ?? {}
    const orphan = {
      volid: 'local:201/vm-201-disk-7.raw',
      node: 'pve',
      vmid: 201,
      format: 'raw',
      content: 'images',
      size: 1,
    }
    local.push({...orphan})
    expect(await destroy(VM)).to.equal('OK')
    expect(volumes()).to.include(orphan.volid)
    await sandbox.outcome(sandbox.post('/nodes/pve/qemu', {vmid: 201}))
    expect(await destroy(`${VM}?destroy-unreferenced-disks=1`)).to.equal('OK')
    expect(volumes()).to.not.include(orphan.volid)
  })
})
