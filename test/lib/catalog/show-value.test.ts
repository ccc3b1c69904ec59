import {expect} from 'chai'
import {findOption} from '../../../src/lib/catalog/option.ts'
import {showValue} from '../../../src/lib/catalog/show-value.ts'
import type {GuestKind} from '../../../src/lib/model/guest.ts'

function show(kind: GuestKind, name: string, text: string): string {
  const option = findOption(kind, name)
  if (!option) throw new Error(`no ${kind} ${name}`)
  return showValue(option, text)
}

describe('a value for people', () => {
  it('has units', () => {
    expect(show('lxc', 'memory', '2048')).to.equal('2GiB')
    expect(show('lxc', 'memory', '1536')).to.equal('1536MiB')
    expect(show('lxc', 'swap', '0')).to.equal('0')
    expect(show('qemu', 'memory', '2048')).to.equal('2GiB')
    expect(show('qemu', 'memory', 'current=2048')).to.equal('2GiB')
    expect(show('lxc', 'rootfs', 'local-lvm:vm-102-disk-0,size=8G')).to.equal(
      'local-lvm:vm-102-disk-0 (8GiB)',
    )
    expect(show('lxc', 'mp0', 'lvm:vm-102-disk-1,mp=/data,size=51M')).to.equal(
      'lvm:vm-102-disk-1,mp=/data (51MiB)',
    )
  })

  it('has quotes around free text and none around words of Proxmox', () => {
    expect(show('lxc', 'tags', 'old;web')).to.equal('"old;web"')
    expect(show('lxc', 'tags', 'web')).to.equal('"web"')
    expect(show('lxc', 'ostype', 'debian')).to.equal('debian')
    expect(show('lxc', 'cores', '2')).to.equal('2')
    expect(show('lxc', 'onboot', '1')).to.equal('true')
  })

  it('has the parts of a property string in their usual order', () => {
    expect(show('lxc', 'net0', 'ip=dhcp,name=eth0')).to.equal('name=eth0,ip=dhcp')
    expect(show('lxc', 'net0', '=')).to.equal('"="')
  })

  it('shows ssh keys as they stand in a file, and no secret', () => {
    expect(show('qemu', 'sshkeys', 'ssh-rsa%20AAAA%20me%0A')).to.equal('"ssh-rsa AAAA me"')
    expect(show('qemu', 'cipassword', 'hunter2')).to.equal('(secret)')
  })
})
