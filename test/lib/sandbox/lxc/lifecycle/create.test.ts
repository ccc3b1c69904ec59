import {expect} from 'chai'
import {InProcessSandbox} from '../../../../support/in-process-sandbox.ts'
import {addVolume, requireStorage, volumesOfGuest} from '../../../../../src/lib/sandbox/storage/volumes.ts'
import type {Guest, Section} from '../../../../../src/lib/sandbox/state.ts'

type Form = Record<string, string | number>

const ostemplate = 'local:vztmpl/debian-12-tiny_12.7-1_amd64.tar.gz'
const archive = 'local:backup/vzdump-lxc-102-2026_01_01-00_00_00.tar.zst'
const KEY = 'ssh-ed25519 AAAAC3NzaC1lZDI1NTE5AAAAIGb9ECWmEzf6FQbrBZ9w7lshQhqowtrbLDFw4rXAxZuE me'

describe('creating containers', () => {
  let sandbox: InProcessSandbox
  const guest = (vmid: number): Guest => sandbox.cluster.requireGuest('lxc', 'pve', vmid)
  const create = (form: Form): Promise<string> =>
    sandbox.outcome(sandbox.post('/nodes/pve/lxc', {vmid: 150, ostemplate, ...form}))

  beforeEach(() => {
    sandbox = new InProcessSandbox()
  })

  it('gives a rootfs of 4 GiB on the default storage where none was asked for', async () => {
    expect(await create({storage: 'nosnap'})).to.equal('OK')
    expect(guest(150).config).to.deep.equal({
      ...{arch: 'amd64', hostname: 'CT150', memory: '512', ostype: 'debian', swap: '512', unprivileged: '1'},
      rootfs: 'nosnap:150/vm-150-disk-0.raw,size=4G',
    })
  })

  it('keeps what else was said of a mount point', async () => {
    const mp0 = 'volume=btr:0.5,mp=/data,backup=yes,ro=1'
    expect(await create({rootfs: 'volume=btr:1', mp0})).to.equal('OK')
    expect(guest(150).config).to.include({
      rootfs: 'btr:150/vm-150-disk-0.raw,size=1G',
      mp0: 'btr:150/vm-150-disk-1.raw,mp=/data,backup=1,ro=1,size=512M',
    })
  })

  const refusals: [Form, string][] = [
    [{rootfs: '1'}, '500 Only root can pass arbitrary filesystem paths.'],
    [{mp0: 'local:1,mp=/x'}, "500 mount points configured, but 'rootfs' not set - aborting"],
    [{storage: 'nosuch'}, "500 storage 'nosuch' does not exist"],
    [
      {ostemplate: 'local:iso/x.iso'},
      "500 unable to use volume local:iso/x.iso - content type needs to be 'vztmpl'",
    ],
    [{ostemplate: '-'}, '500 pipe requires cli environment'],
    [{rootfs: 'local:1', mp0: '/mnt,mp=/x'}, '403 Permission check failed (mount point type bind is only'],
    [{'ssh-public-keys': 'ssh-ed25519 AAAA'}, '500 SSH public key validation error'],
    [{features: 'keyctl=1'}, '403 Permission check failed (changing feature flags (except nesting)'],
    [
      {unprivileged: 0, features: 'nesting=1'},
      '403 Permission check failed (changing feature flags for privileged',
    ],
  ]
  for (const [form, expected] of refusals) {
    it(`refuses ${JSON.stringify(form)} at once`, async () => {
      expect(await create(form)).to.contain(expected)
      expect(sandbox.cluster.guest(150)).to.equal(undefined)
    })
  }

  it('accepts keys with empty lines between, but no line that is none', async () => {
    const wrong = await create({'ssh-public-keys': `# mine\n${KEY}\n`})
    expect(wrong).to.equal('500 SSH public key validation error')
    expect(await create({'ssh-public-keys': `${KEY}\n\n${KEY}\n`})).to.equal('OK')
  })

  it('fails on a volume that is not there', async () => {
    expect(await create({rootfs: 'local:150/vm-150-disk-7.raw'})).to.equal(
      "unable to create CT 150 - volume 'local:150/vm-150-disk-7.raw' does not exist",
    )
    expect(sandbox.cluster.guest(150)).to.equal(undefined)
  })

  it('counts privileges on the pool that it joins', async () => {
    const {access} = sandbox.cluster.state
    access.roles.push({
      roleid: 'Maker',
      special: 0,
      privs: ['VM.Allocate', 'VM.Config.Disk', 'VM.Config.CPU'],
    })
    access.roles.push({roleid: 'Space', special: 0, privs: ['Datastore.AllocateSpace']})
    access.acl.push(
      {path: '/pool/homelab', type: 'user', ugid: 'nobody@pve', propagate: 1, roleid: 'Maker'},
      {path: '/storage/local', type: 'user', ugid: 'nobody@pve', propagate: 1, roleid: 'Space'},
    )
    const token = 'nobody@pve!none=44444444-5555-6666-7777-888888888888'
    const form = {vmid: 150, ostemplate, rootfs: 'local:1', cores: 1}
    const inPool = sandbox.post('/nodes/pve/lxc', {...form, pool: 'homelab'}, token)
    expect(await sandbox.outcome(inPool)).to.equal('OK')
    const memory = await sandbox.post(
      '/nodes/pve/lxc',
      {...form, vmid: 151, pool: 'homelab', memory: 64},
      token,
    )
    expect(memory.reason).to.equal('Permission check failed (/vms/151, VM.Config.Memory)')
    const outside = await sandbox.post('/nodes/pve/lxc', {...form, vmid: 151}, token)
    expect(outside.reason).to.equal('Permission check failed')
  })

  it('shows a locked, otherwise empty container meanwhile', async () => {
    const answer = await sandbox.post('/nodes/pve/lxc', {vmid: 150, ostemplate})
    const {data} = await sandbox.get('/nodes/pve/lxc/150/config')
    expect(data).to.have.all.keys('lock', 'digest')
    expect(await sandbox.outcome(answer)).to.equal('OK')
    expect(guest(150).config).not.to.have.property('lock')
  })

  it('undoes everything when the template is not there', async () => {
    const missing = 'local:vztmpl/nope.tar.gz'
    const expected = `unable to create CT 150 - volume '${missing}' does not exist`
    expect(await create({ostemplate: missing, rootfs: 'local:1'})).to.equal(expected)
    expect(sandbox.cluster.guest(150)).to.equal(undefined)
    expect(volumesOfGuest(sandbox.cluster, 150, 'pve')).to.deep.equal([])
  })

  it('lets a stopped task leave nothing behind', async () => {
    const {data} = await sandbox.post('/nodes/pve/lxc', {vmid: 150, ostemplate})
    await sandbox.clock.advance(100)
    await sandbox.delete(`/nodes/pve/tasks/${encodeURIComponent(String(data))}`)
    expect(sandbox.cluster.guest(150)).to.equal(undefined)
    expect(volumesOfGuest(sandbox.cluster, 150, 'pve')).to.deep.equal([])
  })

  it('becomes an HA resource when told to', async () => {
    expect(await create({'ha-managed': 1, start: 1})).to.equal('OK')
    expect(sandbox.cluster.state.ha).to.deep.include({sid: 'ct:150', state: 'started'})
  })

  describe('from a backup', () => {
    const backedUp: Section = {
      ...{arch: 'amd64', hostname: 'old', memory: '300', ostype: 'debian', swap: '0', unprivileged: '1'},
      ...{rootfs: 'btr:102/vm-102-disk-0.raw,size=256M', mp0: 'btr:102/vm-102-disk-1.raw,mp=/data,size=64M'},
      ...{net0: 'name=eth0,bridge=vmbr0,hwaddr=BC:24:11:00:01:02,ip=dhcp,type=veth', parent: 's1', tags: 'a'},
    }

    beforeEach(() => {
      const backup = {kind: 'lxc' as const, config: backedUp, volumes: []}
      const volume = {volid: archive, vmid: 102, format: 'tar.zst', content: 'backup', size: 1000, backup}
      addVolume(sandbox.cluster, requireStorage(sandbox.cluster, 'local'), 'pve', volume)
    })

    it('makes its volumes on the given storage and keeps its other options', async () => {
      expect(await create({ostemplate: archive, restore: 1, storage: 'nosnap', memory: 400})).to.equal('OK')
      const {config} = guest(150)
      expect(config).to.include({
        ...{memory: '400', hostname: 'old', tags: 'a', unprivileged: '1', net0: backedUp['net0']},
        rootfs: 'nosnap:150/vm-150-disk-0.raw,size=256M',
        mp0: 'nosnap:150/vm-150-disk-1.raw,mp=/data,size=64M',
      })
      expect(config).not.to.have.property('parent')
    })

    it('gets a new MAC address when it shall be unique', async () => {
      expect(await create({ostemplate: archive, restore: 1, unique: 1})).to.equal('OK')
      expect(guest(150).config['net0']).not.to.contain('BC:24:11:00:01:02')
    })

    it('replaces a container together with its volumes and snapshots', async () => {
      await sandbox.outcome(sandbox.post('/nodes/pve/lxc/102/snapshot', {snapname: 's1'}))
      const form = {vmid: 102, ostemplate: archive, restore: 1, force: 1, storage: 'btr', rootfs: 'btr:1'}
      expect(await create(form)).to.equal('OK')
      expect(guest(102).config['rootfs']).to.equal('btr:102/vm-102-disk-1.raw,size=1G')
      expect(guest(102).snapshots).to.deep.equal({})
      expect(volumesOfGuest(sandbox.cluster, 102, 'pve').map((v) => v.volid)).to.deep.equal([
        'btr:102/vm-102-disk-1.raw',
      ])
    })

    it('refuses a protected, a locked and a running container', async () => {
      const form = {ostemplate: archive, restore: 1, force: 1}
      guest(102).config['lock'] = 'backup'
      expect(await create({...form, vmid: 102})).to.equal(
        '500 unable to restore CT 102 - CT is locked (backup)',
      )
      guest(103).config['protection'] = '1'
      expect(await create({...form, vmid: 103})).to.equal(
        '500 unable to restore CT 103 - protection mode enabled',
      )
      expect(await create({...form, vmid: 101})).to.equal("500 can't overwrite running container")
    })

    it('leaves the old container alone if the archive cannot be read', async () => {
      const form = {vmid: 102, ostemplate: archive.replace('102', '109'), restore: 1, force: 1}
      expect(await create(form)).to.contain('unable to restore CT 102 - volume')
      expect(guest(102).config).to.include({hostname: 'backup'}).and.not.have.property('lock')
    })
  })
})
