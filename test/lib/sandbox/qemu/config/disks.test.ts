import {expect} from 'chai'
import {MachineView, STOPPED} from '../../../../support/machine-view.ts'

const DISK_1 = 'local:201/vm-201-disk-1.raw'

describe('the disks of a machine', () => {
  let vm: MachineView

  beforeEach(() => {
    vm = new MachineView(STOPPED)
  })

  it('are allocated in the asked size, rounded up to whole kilobytes', async () => {
    await vm.put({scsi1: 'local:0.1'})
    expect(await vm.config()).to.include({scsi1: `${DISK_1},size=104858K`})
    expect(vm.volume(DISK_1)?.size).to.equal(104858 * 1024)
  })

  it('stay as unused when removed, and are destroyed with force', async () => {
    await vm.put({scsi1: 'local:1', virtio0: 'local:1'})
    await vm.put({delete: 'scsi1,virtio0', force: 1})
    expect(await vm.config()).to.not.have.any.keys('unused0', 'unused1', 'scsi1', 'virtio0')
    expect(vm.volume(DISK_1)).to.equal(undefined)
    await vm.put({delete: 'scsi0'})
    expect(await vm.config()).to.include({unused0: 'local:201/vm-201-disk-0.qcow2'})
    await vm.put({delete: 'unused0'})
    expect(await vm.config()).to.not.have.property('unused0')
    expect(vm.volume('local:201/vm-201-disk-0.qcow2')).to.equal(undefined)
  })

  it('are kept while a snapshot needs them', async () => {
    vm.guest.snapshots['s'] = {config: {...vm.guest.config}, snaptime: 1}
    await vm.put({delete: 'scsi0'})
    expect(await vm.put({delete: 'unused0'})).to.equal(
      "500 unable to delete 'local:201/vm-201-disk-0.qcow2' - volume is still in use (snapshot?)",
    )
    expect(vm.volume('local:201/vm-201-disk-0.qcow2')).to.not.equal(undefined)
  })

  it('are protected with the machine, the unused ones too', async () => {
    await vm.put({scsi1: 'local:1'})
    await vm.put({delete: 'scsi1', protection: 1})
    expect(await vm.put({delete: 'unused0'})).to.equal(
      `500 can't remove unused disk '${DISK_1}' - protection mode enabled`,
    )
  })

  it('of another machine can be attached and are not destroyed with it', async () => {
    await vm.put({scsi1: 'local:200/vm-200-disk-0.qcow2'})
    expect(await vm.config()).to.include({scsi1: 'local:200/vm-200-disk-0.qcow2,size=1G'})
    await vm.put({delete: 'scsi1', force: 1})
    expect(await vm.config()).to.not.have.any.keys('scsi1', 'unused0')
    expect(vm.volume('local:200/vm-200-disk-0.qcow2')).to.not.equal(undefined)
  })

  it('take the place of another one, which is unused from then on', async () => {
    await vm.put({scsi0: 'local:1'})
    expect(await vm.config()).to.include({
      scsi0: `${DISK_1},size=1G`,
      unused0: 'local:201/vm-201-disk-0.qcow2',
    })
  })

  it('of a template become base volumes', async () => {
    await vm.put({template: 1})
    await vm.put({scsi1: 'local:1'})
    expect(await vm.config()).to.include({scsi1: 'local:201/base-201-disk-1.raw,size=1G'})
  })

  it('are imported from another machine, with its size', async () => {
    await vm.put({scsi1: 'local:0,import-from=local:200/vm-200-disk-0.qcow2,format=qcow2'})
    expect(await vm.config()).to.include({scsi1: 'local:201/vm-201-disk-1.qcow2,size=1G'})
  })

  const refusals: [string, string, string][] = [
    [
      'scsi1',
      'local:1,import-from=local:200/vm-200-disk-0.qcow2',
      "400 Parameter verification failed. scsi1 'import-from' requires special syntax - use <storage ID>:0,import-from=<source>",
    ],
    [
      'scsi1',
      'local:0,import-from=local:200/vm-200-disk-9.qcow2',
      "500 cannot import from 'local:200/vm-200-disk-9.qcow2' - could not get size of local:200/vm-200-disk-9.qcow2",
    ],
    [
      'efidisk0',
      'local:0,import-from=local:200/vm-200-disk-0.qcow2',
      "400 Parameter verification failed. efidisk0 need to specify 'efitype' when using 'import-from'",
    ],
    [
      'scsi1',
      'local:1,mbps=1,mbps_rd=1',
      '400 Parameter verification failed. scsi1 unable to parse drive options',
    ],
    ['scsi1', 'local:1,mbps_max=1', '400 Parameter verification failed. scsi1 unable to parse drive options'],
    [
      'virtio1',
      'none,media=cdrom',
      '400 Parameter verification failed. virtio1 unable to parse drive options',
    ],
    [
      'scsi1',
      'local:iso/x.iso',
      "400 Parameter verification failed. scsi1 explicit 'media=cdrom' is required for iso images",
    ],
    ['ide2', 'local:iso/x.iso,media=cdrom', "500 volume 'local:iso/x.iso' does not exist"],
    [
      'scsi1',
      'local:vztmpl/debian-12-tiny_12.7-1_amd64.tar.gz',
      "400 Parameter verification failed. scsi1 content type needs to be 'images' or 'iso'",
    ],
    ['scsi1', 'local:abc', "500 unable to parse directory volume name 'abc'"],
    ['scsi1', 'nosuch:201/x.raw', "500 storage 'nosuch' does not exist"],
    [
      'scsi1',
      'local:201/vm-201-disk-0.qcow2,format=raw',
      "500 drive 'scsi1' - volume 'local:201/vm-201-disk-0.qcow2' - 'format=raw' option different from storage format 'qcow2'",
    ],
    [
      'scsi1',
      '/var/lib/nowhere.raw',
      "400 Parameter verification failed. scsi1 unable to associate path '/var/lib/nowhere.raw' to any storage",
    ],
  ]
  for (const [option, value, answer] of refusals) {
    it(`are refused as ${option}=${value}`, async () => {
      const {digest} = await vm.config()
      expect(await vm.put({[option]: value})).to.equal(answer)
      expect(await vm.config()).to.include({digest})
    })
  }

  it('keep their TPM version', async () => {
    await vm.put({tpmstate0: 'local:1,version=v2.0'})
    expect(await vm.put({tpmstate0: `${DISK_1},version=v1.2`})).to.equal(
      '500 cannot change TPM state version after creation',
    )
  })

  it('hold one cloud-init drive at most, which goes with its volume', async () => {
    await vm.put({ide2: 'local:cloudinit'})
    expect(await vm.put({ide3: 'local:cloudinit'})).to.equal(
      "500 ide3 - cloud-init drive is already attached at 'ide2'",
    )
    expect(await vm.put({ide2: 'local:cloudinit'})).to.equal(
      "500 disk image '/var/lib/vz/images/201/vm-201-cloudinit.qcow2' already exists",
    )
    expect(vm.volume('local:201/vm-201-cloudinit.qcow2')).to.include({size: 4 * 1024 * 1024})
    await vm.put({delete: 'ide2'})
    expect(vm.volume('local:201/vm-201-cloudinit.qcow2')).to.equal(undefined)
    expect(await vm.config()).to.not.have.property('unused0')
  })

  it('are refused on a storage that holds no images', async () => {
    const local = vm.sandbox.cluster.state.storages.find(({storage}) => storage === 'local')
    if (local) local.config['content'] = 'iso'
    expect(await vm.put({scsi1: 'local:1'})).to.equal(
      "400 Parameter verification failed. storage storage 'local' does not support vm images",
    )
  })

  it('are unlinked by their own endpoint', async () => {
    await vm.put({scsi1: 'local:1'})
    const {status} = await vm.sandbox.put(`${vm.path}/unlink`, {idlist: 'scsi1'})
    expect(status).to.equal(200)
    expect(await vm.config()).to.include({unused0: DISK_1})
  })
})
