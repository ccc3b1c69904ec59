import {expect} from 'chai'
import {identifyGuest, isSameIdentity} from '../../../src/lib/model/identity.ts'

const lxc = {kind: 'lxc', vmid: 101} as const
const qemu = {kind: 'qemu', vmid: 200} as const

describe('the identity of a guest', () => {
  it('is the root volume and the network addresses of a container', () => {
    const config = {
      rootfs: 'local-lvm:vm-101-disk-0,size=8G',
      net0: 'name=eth0,bridge=vmbr0,hwaddr=bc:24:11:00:00:01,type=veth',
      memory: '512',
    }
    expect(identifyGuest(lxc, config).ids).to.deep.equal([
      'hwaddr:BC:24:11:00:00:01',
      'rootfs:local-lvm:vm-101-disk-0',
    ])
  })

  it('is the uuid and the generation id of a virtual machine', () => {
    const config = {
      smbios1: 'base64=1,uuid=0B9C1A2B-0000-4000-8000-000000000001',
      vmgenid: '11111111-0000-4000-8000-000000000002',
      net0: 'virtio=BC:24:11:00:00:01,bridge=vmbr0',
    }
    expect(identifyGuest(qemu, config).ids).to.deep.equal([
      'uuid:0b9c1a2b-0000-4000-8000-000000000001',
      'vmgenid:11111111-0000-4000-8000-000000000002',
    ])
  })

  it('tells two guests of one number apart, and knows one again after a resize', () => {
    const before = identifyGuest(lxc, {rootfs: 'local-lvm:vm-101-disk-0,size=8G'})
    const grown = identifyGuest(lxc, {rootfs: 'local-lvm:vm-101-disk-0,size=16G'})
    const another = identifyGuest(lxc, {rootfs: 'local-lvm:vm-101-disk-1,size=8G'})
    expect(isSameIdentity(before, grown)).to.equal(true)
    expect(isSameIdentity(before, another)).to.equal(false)
    expect(isSameIdentity(before, {...before, kind: 'qemu'})).to.equal(false)
  })
})
