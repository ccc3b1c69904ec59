import {expect} from 'chai'
import {InProcessSandbox} from '../../../../support/in-process-sandbox.ts'
import {allocateVolume, findVolume, volumesOfGuest} from '../../../../../src/lib/sandbox/storage/volumes.ts'
import type {Guest} from '../../../../../src/lib/sandbox/state.ts'

describe('destroying containers', () => {
  let sandbox: InProcessSandbox
  const guest = (vmid: number): Guest => sandbox.cluster.requireGuest('lxc', 'pve', vmid)
  const destroy = (vmid: number, query = ''): Promise<string> =>
    sandbox.outcome(sandbox.delete(`/nodes/pve/lxc/${String(vmid)}${query}`))

  beforeEach(() => {
    sandbox = new InProcessSandbox()
  })

  it('frees mounted, unused and pending volumes, and forgets pool and permissions', async () => {
    await sandbox.put('/nodes/pve/lxc/102/config', {mp0: 'btr:0.1,mp=/a'})
    await sandbox.put('/nodes/pve/lxc/102/config', {mp1: 'local:0.1,mp=/b', delete: 'mp0'})
    expect(volumesOfGuest(sandbox.cluster, 102, 'pve')).to.have.length(3)
    const acl = {path: '/vms/102', type: 'user', ugid: 'ops@pve', propagate: 1, roleid: 'PVEVMUser'} as const
    sandbox.cluster.state.access.acl.push(acl)
    expect(await destroy(102)).to.equal('OK')
    expect(volumesOfGuest(sandbox.cluster, 102, 'pve')).to.deep.equal([])
    expect(sandbox.cluster.state.pools[0]?.vmids).to.deep.equal([])
    expect(sandbox.cluster.state.access.acl).not.to.deep.include(acl)
  })

  it("leaves other guests' volumes alone", async () => {
    guest(102).config['mp0'] = 'local:103/vm-103-disk-0.raw,mp=/x'
    expect(await destroy(102)).to.equal('OK')
    expect(findVolume(sandbox.cluster, 'local:103/vm-103-disk-0.raw', 'pve')).not.to.equal(undefined)
  })

  it('frees what the config does not name only when told to', async () => {
    const lost = {storage: 'local', node: 'pve', sizeBytes: 1024, content: 'rootdir'} as const
    for (const vmid of [102, 103]) allocateVolume(sandbox.cluster, {...lost, vmid})
    await destroy(102)
    await destroy(103, '?destroy-unreferenced-disks=1')
    expect(volumesOfGuest(sandbox.cluster, 102, 'pve')).to.have.length(1)
    expect(volumesOfGuest(sandbox.cluster, 103, 'pve')).to.have.length(0)
  })

  it('refuses what is protected, locked or an HA resource', async () => {
    guest(102).config['protection'] = '1'
    expect(await destroy(102)).to.equal("500 can't remove CT 102 - protection mode enabled")
    guest(103).config['lock'] = 'disk'
    expect(await destroy(103)).to.equal('500 CT is locked (disk)')
    sandbox.cluster.state.ha.push({sid: 'ct:101', state: 'started'})
    const refused = '500 unable to remove CT 101 - used in HA resources and purge parameter not set.'
    expect(await destroy(101, '?force=1')).to.equal(refused)
    expect(await destroy(101, '?force=1&purge=1')).to.equal('OK')
    expect(sandbox.cluster.state.ha).to.deep.equal([])
  })

  it('checks once more under the lock', async () => {
    const answer = await sandbox.delete('/nodes/pve/lxc/102')
    guest(102).config['protection'] = '1'
    expect(await sandbox.outcome(answer)).to.equal("can't remove CT 102 - protection mode enabled")
  })

  it('keeps a template whose linked clones still need it', async () => {
    const zfs = {storage: 'tank', type: 'zfspool', config: {content: 'rootdir', pool: 'tank'}, shared: false}
    sandbox.cluster.state.storages.push({...zfs, totalBytes: 2 ** 40, usedBytes: 0, volumes: []})
    await sandbox.outcome(sandbox.post('/nodes/pve/lxc/102/clone', {newid: 160, storage: 'tank'}))
    await sandbox.post('/nodes/pve/lxc/160/template', {})
    await sandbox.clock.advance(1000)
    expect(await sandbox.outcome(sandbox.post('/nodes/pve/lxc/160/clone', {newid: 161}))).to.equal('OK')
    expect(guest(161).config['rootfs']).to.contain('tank:basevol-160-disk-0/subvol-161-disk-0')
    expect(await destroy(160)).to.equal("base volume 'basevol-160-disk-0' is still in use by linked clones")
    expect(await destroy(161)).to.equal('OK')
    expect(await destroy(160)).to.equal('OK')
  })
})
