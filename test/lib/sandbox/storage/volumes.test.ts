import {expect} from 'chai'
import {InProcessSandbox} from '../../../support/in-process-sandbox.ts'
import {homelabSeed} from '../../../support/homelab-seed.ts'
import {
  allocateVolume,
  cloneVolume,
  copyVolume,
  findVolume,
  freeVolume,
  listVolumes,
  makeBaseVolume,
  parseVolname,
  reassignVolume,
  requireStorage,
  resizeVolume,
  volumeHasFeature,
  volumePath,
  volumesOfGuest,
  type Allocation,
} from '../../../../src/lib/sandbox/storage/volumes.ts'
import type {Cluster} from '../../../../src/lib/sandbox/cluster.ts'

const GiB = 2 ** 30

describe('volumes', () => {
  let cluster: Cluster
  const allocate = (storage: string, more: Partial<Allocation> = {}): string =>
    allocateVolume(cluster, {storage, node: 'pve3', vmid: 300, sizeBytes: GiB, content: 'images', ...more})
      .volid

  beforeEach(() => {
    cluster = new InProcessSandbox(homelabSeed).cluster
  })

  it('are named as their storage names them', () => {
    expect(allocate('local-lvm')).to.equal('local-lvm:vm-300-disk-0')
    expect(allocate('nas', {format: 'qcow2'})).to.equal('nas:300/vm-300-disk-0.qcow2')
    expect(allocate('tank')).to.equal('tank:vm-300-disk-0')
    expect(allocate('tank', {content: 'rootdir'})).to.equal('tank:subvol-300-disk-1')
    expect(allocate('local-lvm', {tail: 'cloudinit'})).to.equal('local-lvm:vm-300-cloudinit')
  })

  it('take the smallest free disk number, whatever the format', () => {
    expect(allocate('nas')).to.equal('nas:300/vm-300-disk-0.raw')
    expect(allocate('nas', {format: 'qcow2'})).to.equal('nas:300/vm-300-disk-1.qcow2')
    freeVolume(cluster, 'nas:300/vm-300-disk-0.raw', 'pve3')
    expect(allocate('nas', {format: 'qcow2'})).to.equal('nas:300/vm-300-disk-0.qcow2')
  })

  it('belong to one node on local storage and to all on shared storage', () => {
    const local = allocate('local-lvm')
    const shared = allocate('nas')
    expect(findVolume(cluster, local, 'pve1')).to.equal(undefined)
    expect(findVolume(cluster, local, 'pve3')?.volid).to.equal(local)
    expect(findVolume(cluster, shared, 'pve1')?.volid).to.equal(shared)
    expect(volumesOfGuest(cluster, 300, 'pve1').map((v) => v.volid)).to.deep.equal([shared])
  })

  it('round up to the extents of their storage', () => {
    const volid = allocate('local-lvm', {sizeBytes: GiB + 1})
    expect(findVolume(cluster, volid, 'pve3')?.size).to.equal(GiB + 4 * 2 ** 20)
    expect(resizeVolume(cluster, volid, 'pve3', 2 * GiB).size).to.equal(2 * GiB)
  })

  it('keep their base while a linked clone names it', () => {
    const base = makeBaseVolume(cluster, allocate('nas', {format: 'qcow2'}), 'pve3').volid
    expect(base).to.equal('nas:300/base-300-disk-0.qcow2')
    const clone = cloneVolume(cluster, base, 'pve3', 301).volid
    expect(clone).to.equal('nas:300/base-300-disk-0.qcow2/301/vm-301-disk-0.qcow2')
    expect(() => {
      freeVolume(cluster, base, 'pve3')
    }).to.throw("base volume '300/base-300-disk-0.qcow2' is still in use")
    freeVolume(cluster, clone, 'pve3')
    freeVolume(cluster, base, 'pve3')
    expect(volumesOfGuest(cluster, 300, 'pve3')).to.deep.equal([])
  })

  it('are copied and handed over under the next number of the new owner', () => {
    const volid = allocate('local-lvm')
    const copy = copyVolume(cluster, volid, 'pve3', {
      storage: 'nas',
      node: 'pve3',
      vmid: 301,
      format: 'qcow2',
    })
    expect(copy).to.include({volid: 'nas:301/vm-301-disk-0.qcow2', size: GiB, vmid: 301})
    expect(reassignVolume(cluster, volid, 'pve3', 301).volid).to.equal('local-lvm:vm-301-disk-0')
    expect(findVolume(cluster, volid, 'pve3')).to.equal(undefined)
  })

  it('offer what their format and storage can do', () => {
    expect(volumeHasFeature(cluster, 'snapshot', allocate('nas'))).to.equal(false)
    expect(volumeHasFeature(cluster, 'snapshot', allocate('nas', {format: 'qcow2'}))).to.equal(true)
    expect(volumeHasFeature(cluster, 'snapshot', allocate('local-lvm'))).to.equal(true)
    expect(volumeHasFeature(cluster, 'clone', allocate('tank'))).to.equal(false)
    expect(volumeHasFeature(cluster, 'copy', 'tank:vm-300-disk-0', {snapname: 's'})).to.equal(false)
  })

  it('lie where their storage keeps them', () => {
    expect(volumePath(cluster, 'nas:110/vm-110-disk-0.raw')).to.equal(
      '/mnt/pve/nas/images/110/vm-110-disk-0.raw',
    )
    expect(volumePath(cluster, 'tank:subvol-120-disk-0')).to.equal('/tank/subvol-120-disk-0')
    expect(volumePath(cluster, 'local-lvm:vm-101-disk-0')).to.equal('/dev/pve/vm-101-disk-0')
    expect(volumePath(cluster, 'local:iso/x.iso')).to.equal('/var/lib/vz/template/iso/x.iso')
  })

  it('are refused where the storage is not', () => {
    expect(() => allocate('tank', {node: 'pve1'})).to.throw("storage 'tank' is not available on node 'pve1'")
    expect(() => allocate('nosuch')).to.throw("storage 'nosuch' does not exist")
    expect(() => allocate('local-lvm', {format: 'qcow2'})).to.throw("unsupported format 'qcow2'")
  })

  it('may be any kind of image file where they are files, also on a storage that offers none', () => {
    cluster = new InProcessSandbox().cluster
    expect(allocate('btr', {node: 'pve', format: 'qcow2'})).to.equal('btr:300/vm-300-disk-0.qcow2')
    expect(() => allocate('btr', {node: 'pve', format: 'qed'})).to.throw(
      "unable to parse volume filename 'vm-300-disk-1.qed'",
    )
  })

  it('are listed as a node sees them', () => {
    const storage = requireStorage(cluster, 'local-lvm')
    expect(listVolumes(storage, 'pve2', {vmid: 102}).map((v) => v.volid)).to.deep.equal([
      'local-lvm:vm-102-disk-0',
    ])
    expect(listVolumes(storage, 'pve1', {vmid: 102})).to.deep.equal([])
  })

  it('are not mistaken for something else', () => {
    expect(() => parseVolname({type: 'dir'}, 'images/x')).to.throw(
      "unable to parse directory volume name 'images/x'",
    )
    expect(() => parseVolname({type: 'lvmthin'}, 'x')).to.throw("unable to parse lvm volume name 'x'")
    expect(parseVolname({type: 'zfspool'}, 'basevol-1-disk-0/subvol-2-disk-0')).to.deep.equal({
      content: 'images',
      name: 'subvol-2-disk-0',
      vmid: 2,
      base: 'basevol-1-disk-0',
      isBase: false,
      format: 'subvol',
    })
  })
})
