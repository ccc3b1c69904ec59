import {expect} from 'chai'
import {InProcessSandbox} from '../../../../support/in-process-sandbox.ts'
import {findVolume} from '../../../../../src/lib/sandbox/storage/volumes.ts'
import type {Guest} from '../../../../../src/lib/sandbox/state.ts'

type Form = Record<string, string | number>

describe('volumes of containers', () => {
  let sandbox: InProcessSandbox
  const guest = (vmid: number): Guest => sandbox.cluster.requireGuest('lxc', 'pve', vmid)
  const resize = (vmid: number, form: Form): Promise<string> =>
    sandbox.outcome(sandbox.put(`/nodes/pve/lxc/${String(vmid)}/resize`, form))
  const move = (vmid: number, form: Form): Promise<string> =>
    sandbox.outcome(sandbox.post(`/nodes/pve/lxc/${String(vmid)}/move_volume`, form))

  beforeEach(() => {
    sandbox = new InProcessSandbox()
  })

  describe('resized', () => {
    const refusals: [Form, string][] = [
      [{disk: 'rootfs', size: '255M'}, '500 unable to shrink disk size'],
      [{disk: 'rootfs', size: '256M'}, '500 disk is already at specified size'],
      [{disk: 'rootfs', size: '+0'}, '500 disk is already at specified size'],
      [{disk: 'mp7', size: '1G'}, '500 format error'],
      [{disk: 'rootfs', size: '1G', digest: 'f'.repeat(40)}, '500 detected modified configuration'],
    ]
    for (const [form, expected] of refusals) {
      it(`are not by ${JSON.stringify(form)}`, async () => {
        expect(await resize(102, form)).to.contain(expected)
      })
    }

    it('grow in config and storage alike', async () => {
      expect(await resize(102, {disk: 'rootfs', size: '+1G'})).to.equal('OK')
      expect(guest(102).config['rootfs']).to.equal('btr:102/vm-102-disk-0.raw,size=1280M')
      expect(findVolume(sandbox.cluster, 'btr:102/vm-102-disk-0.raw', 'pve')?.size).to.equal(1280 * 1024 ** 2)
    })

    it('hold the config lock while the file system follows', async () => {
      const answer = await sandbox.put('/nodes/pve/lxc/102/resize', {disk: 'rootfs', size: '+1G'})
      await sandbox.clock.advance(50)
      const before = sandbox.clock.now()
      await sandbox.put('/nodes/pve/lxc/102/config', {cores: 1})
      expect(sandbox.clock.now()).to.be.greaterThan(before)
      expect(await sandbox.outcome(answer)).to.equal('OK')
    })
  })

  describe('moved to another storage', () => {
    it('leave the old one unused, or free it', async () => {
      expect(await move(102, {volume: 'rootfs', storage: 'local'})).to.equal('OK')
      expect(guest(102).config).to.include({
        rootfs: 'local:102/vm-102-disk-0.raw,size=256M',
        unused0: 'btr:102/vm-102-disk-0.raw',
      })
      expect(await move(102, {volume: 'rootfs', storage: 'nosnap', delete: 1})).to.equal('OK')
      expect(guest(102).config['unused0']).to.equal('btr:102/vm-102-disk-0.raw')
      expect(findVolume(sandbox.cluster, 'local:102/vm-102-disk-0.raw', 'pve')).to.equal(undefined)
    })

    it('lock the container meanwhile and give it back whatever happens', async () => {
      const answer = await sandbox.post('/nodes/pve/lxc/102/move_volume', {
        volume: 'rootfs',
        storage: 'nosuch',
      })
      expect(guest(102).config['lock']).to.equal('disk')
      expect(await sandbox.outcome(answer)).to.equal("storage 'nosuch' does not exist")
      expect(guest(102).config).not.to.have.property('lock')
    })

    it('are not freed while a snapshot needs them', async () => {
      await sandbox.outcome(sandbox.post('/nodes/pve/lxc/102/snapshot', {snapname: 's1'}))
      const refused = "500 you can't move a volume with snapshots and delete the source"
      expect(await move(102, {volume: 'rootfs', storage: 'local', delete: 1})).to.equal(refused)
    })

    it('must be configured, and the storage must hold containers', async () => {
      guest(102).config['unused0'] = 'local:102/vm-102-disk-0.raw'
      expect(await move(102, {volume: 'unused0', storage: 'local'})).to.contain(
        "500 cannot move volume 'unused0'",
      )
      const images = {storage: 'images', type: 'dir', config: {content: 'images'}, shared: false}
      sandbox.cluster.state.storages.push({...images, totalBytes: 1, usedBytes: 0, volumes: []})
      expect(await move(102, {volume: 'rootfs', storage: 'images'})).to.equal(
        "content type 'rootdir' is not available or configured on storage 'images'",
      )
    })
  })

  describe('given to another container', () => {
    beforeEach(async () => {
      await sandbox.put('/nodes/pve/lxc/103/config', {mp0: 'local:0.1,mp=/data,backup=1'})
    })

    it('change their name and keep their mount point', async () => {
      expect(await move(103, {volume: 'mp0', 'target-vmid': 102, 'target-volume': 'mp3'})).to.equal('OK')
      expect(guest(103).config).not.to.have.property('mp0')
      expect(guest(102).config['mp3']).to.equal('local:102/vm-102-disk-0.raw,mp=/data,backup=1,size=102M')
    })

    const refusals: [Form, string][] = [
      [{volume: 'rootfs', 'target-vmid': 102}, "500 Cannot move to/from 'rootfs'"],
      [{volume: 'mp0', 'target-vmid': 999}, '500 could not find CT 999'],
      [{volume: 'mp1', 'target-vmid': 102}, "500 volume 'mp1' for container '103' does not exist"],
      [
        {volume: 'unused0', 'target-vmid': 102, 'target-volume': 'mp0'},
        '500 Moving an unused volume to a used one',
      ],
      [
        {volume: 'mp0', 'target-vmid': 101},
        "500 Target volume key 'mp0' is already in use for container '101'",
      ],
      [{volume: 'mp0', 'target-vmid': 102, digest: 'f'.repeat(40)}, '500 Container 103: detected modified'],
      [
        {volume: 'mp0', 'target-vmid': 102, storage: 'btr'},
        '500 either set storage or target-vmid, but not both',
      ],
    ]
    for (const [form, expected] of refusals) {
      it(`are refused with ${JSON.stringify(form)}`, async () => {
        expect(await move(103, form)).to.contain(expected)
      })
    }
  })

  it('say what can be done with them', async () => {
    const feature = async (vmid: number, name: string): Promise<unknown> =>
      (await sandbox.get(`/nodes/pve/lxc/${String(vmid)}/feature?feature=${name}`)).data
    expect(await feature(102, 'snapshot')).to.deep.equal({hasFeature: 1})
    expect(await feature(103, 'clone')).to.deep.equal({hasFeature: 0})
    expect(await feature(103, 'copy')).to.deep.equal({hasFeature: 1})
  })
})
