import {expect} from 'chai'
import {InProcessSandbox} from '../../../../support/in-process-sandbox.ts'
import type {Section, Volume} from '../../../../../src/lib/sandbox/state.ts'

const LIST = '/nodes/pve/qemu'
const RO_TOKEN_ERROR = 'Permission check failed'

describe('creation of a machine', () => {
  let sandbox: InProcessSandbox

  beforeEach(() => {
    sandbox = new InProcessSandbox()
  })

  const create = (form: Record<string, string | number>): Promise<string> =>
    sandbox.outcome(sandbox.post(LIST, form))
  const configOf = (vmid: number): Section => sandbox.cluster.guest(vmid)?.config ?? {}
  const volumes = (vmid: number): string[] =>
    sandbox.cluster.state.storages.flatMap((s) =>
      s.volumes.filter((v) => v.vmid === vmid).map((v) => v.volid),
    )

  it('takes the id at once and shows the config under its lock until the task ends', async () => {
    const answer = await sandbox.post(LIST, {vmid: 300, scsi0: 'local:4'})
    expect((await sandbox.get(`${LIST}/300/config`)).data).to.deep.include({lock: 'create'})
    const second = await sandbox.post(LIST, {vmid: 300})
    expect(second.reason).to.equal("unable to create VM 300 - VM 300 already exists on node 'pve'")
    expect(await sandbox.outcome(answer)).to.equal('OK')
    expect(configOf(300)).to.not.have.property('lock')
  })

  it('gives each machine identity, boot order and addresses of its own', async () => {
    await create({vmid: 300, ide2: 'none,media=cdrom', virtio1: 'local:1', net1: 'e1000,bridge=vmbr0'})
    await create({vmid: 301, net0: 'virtio=BC:24:11:AA:BB:CC,bridge=vmbr0'})
    const [first, second] = [configOf(300), configOf(301)]
    expect(first['boot']).to.equal('order=virtio1;ide2;net1')
    expect(first['virtio1']).to.equal('local:300/vm-300-disk-0.raw,size=1G')
    expect(first['net1']).to.match(/^e1000=BC:24:11(:[0-9A-F]{2}){3},bridge=vmbr0$/)
    expect(second['net0']).to.equal('virtio=BC:24:11:AA:BB:CC,bridge=vmbr0')
    expect(first['smbios1']).to.not.equal(second['smbios1'])
    expect(first['vmgenid']).to.not.equal(second['vmgenid'])
    expect(first['meta']).to.equal(`creation-qemu=10.1.2,ctime=${String(1_800_000_000)}`)
  })

  it('pins the machine version for Windows', async () => {
    await create({vmid: 300, ostype: 'win11', machine: 'q35'})
    expect(configOf(300)['machine']).to.equal('pc-q35-10.1')
  })

  it('makes firmware, TPM and cloud-init volumes in their own sizes', async () => {
    await create({
      vmid: 300,
      efidisk0: 'local:1,efitype=4m,format=raw',
      tpmstate0: 'local:1,version=v2.0',
      ide2: 'local:cloudinit',
    })
    expect(configOf(300)).to.include({
      efidisk0: 'local:300/vm-300-disk-0.raw,efitype=4m,size=528K',
      tpmstate0: 'local:300/vm-300-disk-1.raw,size=4M,version=v2.0',
      ide2: 'local:300/vm-300-cloudinit.qcow2,media=cdrom',
    })
  })

  it('leaves nothing behind when a disk cannot be made', async () => {
    const outcome = await create({vmid: 300, scsi0: 'local:1', scsi1: 'local:1,format=qed'})
    expect(outcome).to.equal("unable to create VM 300 - unable to parse volume filename 'vm-300-disk-1.qed'")
    expect(sandbox.cluster.guest(300)).to.equal(undefined)
    expect(volumes(300)).to.deep.equal([])
  })

  it('imports a disk from another machine', async () => {
    expect(await create({vmid: 300, scsi0: 'local:0,import-from=local:201/vm-201-disk-0.qcow2'})).to.equal(
      'OK',
    )
    expect(configOf(300)['scsi0']).to.match(/^local:300\/vm-300-disk-0\.\w+,size=1G$/)
  })

  it('starts what it has made in a task of its own, and puts it into the pool', async () => {
    expect(await create({vmid: 300, start: 1, pool: 'homelab'})).to.equal('OK')
    await sandbox.clock.advance(3000)
    expect(sandbox.cluster.guest(300)?.runtime.status).to.equal('running')
    expect(sandbox.cluster.state.pools.find((p) => p.poolid === 'homelab')?.vmids).to.include(300)
  })

  it('leaves the start of what it puts under HA to the manager', async () => {
    expect(await create({vmid: 300, start: 1, 'ha-managed': 1})).to.equal('OK')
    await sandbox.clock.advance(20_000)
    const types = [...sandbox.cluster.tasks.ended('pve')].slice(0, 3).map((task) => task.type)
    expect(types).to.have.members(['qmcreate', 'hastart', 'qmstart'])
    expect(sandbox.cluster.guest(300)?.runtime.status).to.equal('running')
  })

  it('refuses unknown pools, unknown images and strangers', async () => {
    const {access} = sandbox.cluster.state
    const ro = access.tokens.find((t) => t.tokenid.startsWith('ro@pve'))
    const token = `${ro?.tokenid ?? ''}=${ro?.secret ?? ''}`
    expect(await sandbox.post(LIST, {vmid: 300}, token)).to.include({status: 403, reason: RO_TOKEN_ERROR})
    expect(await create({vmid: 300, pool: 'nosuch'})).to.equal(
      "403 Permission check failed (pool 'nosuch' does not exist)",
    )
    const iso = await sandbox.post(LIST, {vmid: 300, scsi0: 'local:iso/x.iso'})
    expect(iso.errors).to.deep.equal({scsi0: "explicit 'media=cdrom' is required for iso images"})
    expect(sandbox.cluster.guest(300)).to.equal(undefined)
  })

  it('judges a machine made in a pool by the privileges on the pool', async () => {
    const {access} = sandbox.cluster.state
    access.acl.push({
      path: '/pool/homelab',
      type: 'user',
      ugid: 'nobody@pve',
      propagate: 1,
      roleid: 'PVEVMAdmin',
    })
    const nobody = access.tokens.find((t) => t.tokenid.startsWith('nobody@pve'))
    const token = `${nobody?.tokenid ?? ''}=${nobody?.secret ?? ''}`
    const outside = await sandbox.post(LIST, {vmid: 300, cores: 2}, token)
    expect(outside.status).to.equal(403)
    const inside = await sandbox.post(LIST, {vmid: 300, cores: 2, pool: 'homelab'}, token)
    expect(await sandbox.outcome(inside)).to.equal('OK')
    expect(configOf(300)['cores']).to.equal('2')
    const started = await sandbox.post(LIST, {vmid: 301, start: 1, pool: 'homelab'}, token)
    expect(started.reason).to.equal('Permission check failed (/vms/301, VM.PowerMgmt)')
  })

  it('stores tags as they were written, registered ones too', async () => {
    sandbox.cluster.state.options['registered-tags'] = ['b']
    expect(await create({vmid: 300, tags: 'b;A'})).to.equal('OK')
    expect(configOf(300)['tags']).to.equal('b;A')
  })

  it('refuses keys of one option that contradict each other only in its task', async () => {
    const failed = 'unable to create VM 300 -'
    expect(await create({vmid: 300, vga: 'serial0,clipboard=vnc'})).to.equal(
      `${failed} vga type serial0 is not compatible with VNC clipboard`,
    )
    expect(await create({vmid: 300, machine: 'pc,viommu=intel', scsi0: 'local:1'})).to.equal(
      `${failed} to use Intel vIOMMU please set the machine type to q35`,
    )
    expect(volumes(300)).to.deep.equal([])
  })
})

describe('a machine from a backup', () => {
  let sandbox: InProcessSandbox
  const archive = 'local:backup/vzdump-qemu-201-2026_11_18-03_00_00.vma.zst'

  beforeEach(() => {
    sandbox = new InProcessSandbox()
    const source = sandbox.cluster.guest(201)
    const volume: Volume = {
      volid: archive,
      node: 'pve',
      vmid: 201,
      format: 'vma.zst',
      content: 'backup',
      size: 1000,
      backup: {kind: 'qemu', config: {...source?.config}, volumes: [{option: 'scsi0', size: 2 ** 30}]},
    }
    sandbox.cluster.state.storages.find((s) => s.storage === 'local')?.volumes.push(volume)
  })

  const restore = (form: Record<string, string | number>): Promise<string> =>
    sandbox.outcome(sandbox.post(LIST, {archive, ...form}))

  it('comes back as it was, with a new generation, and as another one with unique', async () => {
    const source = sandbox.cluster.guest(201)?.config ?? {}
    expect(await restore({vmid: 300})).to.equal('OK')
    expect(await restore({vmid: 301, unique: 1, storage: 'nosnap', cores: 4})).to.equal('OK')
    const [same, other] = [sandbox.cluster.guest(300)?.config ?? {}, sandbox.cluster.guest(301)?.config ?? {}]
    expect(same).to.include({
      smbios1: source['smbios1'],
      net0: source['net0'],
      scsi0: 'local:300/vm-300-disk-0.qcow2,size=1G',
    })
    expect(same['vmgenid']).to.not.equal(source['vmgenid'])
    expect(other['smbios1']).to.not.equal(source['smbios1'])
    expect(other['net0']).to.not.equal(source['net0'])
    expect(other).to.include({scsi0: 'nosnap:301/vm-301-disk-0.qcow2,size=1G', cores: '4'})
  })

  it('is written over an existing machine only by force, and never over a running one', async () => {
    await sandbox.put('/nodes/pve/qemu/201/config', {scsi1: 'local:1', cores: 3})
    expect(await restore({vmid: 201})).to.equal(
      "500 unable to restore VM 201 - VM 201 already exists on node 'pve'",
    )
    expect(await restore({vmid: 200, force: 1})).to.equal('unable to restore VM 200 - vm is running')
    expect(sandbox.cluster.guest(200)?.config).to.not.have.property('lock')
    expect(await restore({vmid: 201, force: 1})).to.equal('OK')
    expect(sandbox.cluster.guest(201)?.config).to.include({
      cores: '1',
      scsi0: 'local:201/vm-201-disk-0.qcow2,size=1G',
      unused0: 'local:201/vm-201-disk-1.raw',
    })
  })

  it('takes no drives beside the archive', async () => {
    const answer = await sandbox.post(LIST, {archive, vmid: 300, scsi0: 'local:1'})
    expect(answer.errors).to.deep.equal({scsi0: "option conflicts with option 'archive'"})
  })
})
