import {expect} from 'chai'
import {InProcessSandbox} from '../../../../support/in-process-sandbox.ts'
import type {Guest} from '../../../../../src/lib/sandbox/state.ts'

describe('cloning containers', () => {
  let sandbox: InProcessSandbox
  const guest = (vmid: number): Guest => sandbox.cluster.requireGuest('lxc', 'pve', vmid)
  const clone = (vmid: number, form: Record<string, string | number>): Promise<string> =>
    sandbox.outcome(sandbox.post(`/nodes/pve/lxc/${String(vmid)}/clone`, {newid: 160, ...form}))
  const convert = async (vmid: number): Promise<void> => {
    await sandbox.post(`/nodes/pve/lxc/${String(vmid)}/template`, {})
    await sandbox.clock.advance(1000)
  }

  beforeEach(() => {
    sandbox = new InProcessSandbox()
  })

  it('copies all volumes of a stopped container and gives every net a new MAC address', async () => {
    await sandbox.put('/nodes/pve/lxc/102/config', {mp0: 'local:0.1,mp=/data'})
    expect(await clone(102, {storage: 'nosnap', hostname: 'copy'})).to.equal('OK')
    expect(guest(160).config).to.include({
      hostname: 'copy',
      rootfs: 'nosnap:160/vm-160-disk-0.raw,size=256M',
      mp0: 'nosnap:160/vm-160-disk-1.raw,mp=/data,size=102M',
    })
    expect(guest(160).config['net0']).not.to.contain('BC:24:11:00:01:02')
    expect(guest(102).config).not.to.have.property('lock')
  })

  it('links the volumes of a template by default where the storage can', async () => {
    await convert(102)
    expect(guest(102).config).to.include({template: '1', rootfs: 'btr:102/base-102-disk-0.raw,size=256M'})
    expect(await clone(102, {})).to.equal('OK')
    expect(guest(160).config).not.to.have.property('template')
    await convert(103)
    const refused = "500 Linked clone feature for 'local:103/base-103-disk-0.raw' is not available"
    expect(await clone(103, {newid: 161})).to.equal(refused)
    expect(await clone(103, {newid: 161, full: 1})).to.equal('OK')
  })

  it('locks both while it copies', async () => {
    const answer = await sandbox.post('/nodes/pve/lxc/102/clone', {newid: 160})
    expect([guest(102).config['lock'], guest(160).config['lock']]).to.deep.equal(['disk', 'create'])
    expect(await clone(102, {newid: 161})).to.equal('500 CT is locked (disk)')
    expect(await sandbox.outcome(answer)).to.equal('OK')
    expect([guest(102).config['lock'], guest(160).config['lock']]).to.deep.equal([undefined, undefined])
  })

  it('takes config and description from a snapshot', async () => {
    await sandbox.outcome(sandbox.post('/nodes/pve/lxc/102/snapshot', {snapname: 's1', description: 'then'}))
    await sandbox.put('/nodes/pve/lxc/102/config', {memory: 999, description: 'now'})
    expect(await clone(102, {snapname: 's1'})).to.equal('OK')
    expect(guest(160).config).to.include({memory: '256', description: 'then\n'})
    expect(guest(160).config).not.to.have.any.keys('parent', 'snaptime')
  })

  const refusals: [number, Record<string, string | number>, string][] = [
    [102, {newid: 200}, "500 VM 200 already exists on node 'pve'"],
    [102, {full: 0, storage: 'local'}, "500 parameter 'storage' not allowed for linked clones"],
    [102, {storage: 'nosuch'}, "500 storage 'nosuch' does not exist"],
    [102, {pool: 'nosuch'}, "403 Permission check failed (pool 'nosuch' does not exist)"],
    [102, {target: 'ghost'}, "500 no such cluster node 'ghost'"],
    [103, {full: 0}, "500 Linked clone feature for 'local:103/vm-103-disk-0.raw' is not available"],
    [101, {}, '500 Full clone of a running container is only possible from a snapshot'],
  ]
  for (const [vmid, form, expected] of refusals) {
    it(`refuses ${JSON.stringify(form)} of ${String(vmid)} and leaves no trace`, async () => {
      expect(await clone(vmid, form)).to.equal(expected)
      expect(guest(vmid).config).not.to.have.property('lock')
      expect(sandbox.cluster.guest(160)).to.equal(undefined)
    })
  }

  it('gives everything back when its task is stopped', async () => {
    const {data} = await sandbox.post('/nodes/pve/lxc/102/clone', {newid: 160})
    await sandbox.clock.advance(50)
    await sandbox.delete(`/nodes/pve/tasks/${encodeURIComponent(String(data))}`)
    expect(guest(102).config).not.to.have.property('lock')
    expect(sandbox.cluster.guest(160)).to.equal(undefined)
    const {data: content} = await sandbox.get('/nodes/pve/storage/btr/content?vmid=160')
    expect(content).to.deep.equal([])
  })
})
