import {expect} from 'chai'
import {compareOption, type Comparison, isSameValue} from '../../../src/lib/catalog/compare-option.ts'
import {findOption, type Option} from '../../../src/lib/catalog/option.ts'
import {separateSize} from '../../../src/lib/catalog/separate-size.ts'
import type {GuestKind} from '../../../src/lib/model/guest.ts'

function option(kind: GuestKind, name: string): Option {
  const found = findOption(kind, name)
  if (!found) throw new Error(`no ${kind} ${name}`)
  return found
}

type Row = readonly [kind: GuestKind, name: string, live: string | undefined, desired: string]

const text = ([kind, name, live, desired]: Row): Comparison =>
  compareOption(option(kind, name), live, {is: 'text', text: desired})

function parts(
  kind: GuestKind,
  name: string,
  live: string | undefined,
  wanted: Record<string, string | null>,
): Comparison {
  return compareOption(option(kind, name), live, {is: 'parts', parts: new Map(Object.entries(wanted))})
}

const MAC = 'BC:24:11:00:01:02'
const UUID = '480bdc16-7eea-4a1c-8d67-5bc9cdc3f2a0'

describe('what is not drift', () => {
  const rows: readonly Row[] = [
    ['lxc', 'net0', `name=eth0,bridge=vmbr0,hwaddr=${MAC},type=veth`, 'bridge=vmbr0,name=eth0'],
    [
      'lxc',
      'net0',
      `name=eth0,bridge=vmbr0,hwaddr=${MAC},type=veth`,
      `name=eth0,bridge=vmbr0,hwaddr=${MAC.toLowerCase()}`,
    ],
    [
      'lxc',
      'net0',
      `name=eth0,hwaddr=${MAC},ip6=2001:DB8::5/64,type=veth`,
      'name=eth0,ip6=2001:db8:0::5/64,firewall=0',
    ],
    ['lxc', 'net0', `name=eth0,firewall=0,hwaddr=${MAC},trunks=2;3,type=veth`, 'name=eth0,trunks=3;2'],
    ['qemu', 'net0', `virtio=${MAC},bridge=vmbr0`, 'model=virtio,bridge=vmbr0'],
    ['lxc', 'description', 'Front end\n', 'Front end'],
    ['lxc', 'description', 'Front end\n', 'Front end\n\n'],
    ['qemu', 'description', 'Front end', 'Front end \n\t\n'],
    ['lxc', 'description', undefined, '\n'],
    ['lxc', 'cores', '2', '02'],
    ['lxc', 'cpulimit', '2.0', '2'],
    ['qemu', 'cpulimit', '1e0', '1'],
    ['qemu', 'memory', 'current=768', '768'],
    ['qemu', 'memory', '0768', '768'],
    ['qemu', 'memory', undefined, '512'],
    ['lxc', 'tags', 'a;b', 'B,a b'],
    ['lxc', 'tags', ' ', ''],
    ['lxc', 'tags', undefined, ''],
    ['lxc', 'onboot', undefined, '0'],
    ['lxc', 'onboot', '0', '0'],
    ['lxc', 'swap', undefined, '512'],
    ['lxc', 'features', undefined, 'nesting=0'],
    ['lxc', 'features', 'nesting=on', 'nesting=1'],
    ['lxc', 'features', 'mount=nfs;cifs', 'mount=cifs;nfs'],
    ['lxc', 'nameserver', '192.0.2.1 2001:DB8::1', '192.0.2.1,2001:db8::1'],
    ['qemu', 'nameserver', '192.0.2.1,192.0.2.2', '192.0.2.1 192.0.2.2'],
    ['lxc', 'startup', '3', 'order=3'],
    ['lxc', 'startup', 'up=10,order=02', 'order=2,up=10'],
    ['qemu', 'agent', '1', 'enabled=1'],
    ['qemu', 'agent', '1,guest-fsfreeze=0', 'freeze-fs=0,enabled=yes,type=virtio'],
    ['qemu', 'boot', 'cdn', 'legacy=cdn'],
    ['qemu', 'boot', 'order=scsi0;net0', 'order=scsi0;net0'],
    ['qemu', 'cpu', 'cputype=host', 'host'],
    ['qemu', 'cpu', 'kvm64,flags=+aes;-pcid', 'kvm64,flags=-pcid;+aes,hidden=0'],
    ['qemu', 'smbios1', `uuid=${UUID}`, `uuid=${UUID.toUpperCase()}`],
    ['qemu', 'smbios1', `manufacturer=QUNNRQ==,base64=1,uuid=${UUID}`, 'manufacturer=ACME'],
    ['qemu', 'sshkeys', 'ssh-rsa%20AAAA%20me', 'ssh-rsa AAAA me\n'],
    ['qemu', 'sshkeys', 'ssh-rsa%20AAAA%20me%0A', 'ssh-rsa%20AAAA%20me'],
    ['qemu', 'affinity', '0-1', '1,0'],
    ['qemu', 'numa0', 'cpus=0-1;3', 'cpus=3;1;0'],
    ['qemu', 'hotplug', '1', 'usb,disk,network'],
    ['qemu', 'hostpci0', '0000:00:02.0', 'host=00:02.0,rombar=1'],
    ['qemu', 'usb0', 'host=1234:abcd', '0x1234:0xABCD'],
    ['qemu', 'rng0', '/dev/urandom', 'source=/dev/urandom,max_bytes=1024,period=1000'],
    ['qemu', 'vga', undefined, 'std'],
    ['qemu', 'ide2', 'none,media=cdrom', 'none'],
    ['qemu', 'ide2', 'local:201/vm-201-cloudinit.qcow2,media=cdrom,size=4M', 'local:cloudinit'],
    ['qemu', 'scsi0', 'local:201/vm-201-disk-0.qcow2,discard=on,size=8G', 'local:8,format=qcow2,discard=on'],
    ['qemu', 'scsi0', 'lvm:vm-201-disk-0,size=20G', 'lvm:0,import-from=local:import/a.qcow2'],
    ['qemu', 'scsi0', 'lvm:vm-201-disk-0,size=8G', 'file=lvm:vm-201-disk-0,backup=1,replicate=1'],
    ['qemu', 'efidisk0', 'local:201/vm-201-disk-1.raw,efitype=4m,size=528K', 'local:1,efitype=4m'],
    ['lxc', 'mp0', 'local:101/vm-101-disk-1.raw,mp=/data,size=102M', 'local:0.1,mp=/data,backup=0'],
    ['lxc', 'rootfs', 'size=256M,volume=local:101/vm-101-disk-0.raw,ro=0', 'local:101/vm-101-disk-0.raw'],
    ['lxc', 'rootfs', 'lvm:vm-101-disk-0,size=308M', 'lvm:vm-101-disk-0,size=307M'],
  ]
  for (const row of rows) {
    const [kind, name, live, desired] = row
    it(`${kind} ${name}: ${JSON.stringify(live)} is ${JSON.stringify(desired)}`, () => {
      expect(text(row)).to.deep.equal({equal: true})
    })
  }
})

describe('what is drift', () => {
  const rows: readonly Row[] = [
    ['lxc', 'arch', undefined, 'amd64'],
    ['lxc', 'hostname', 'Web', 'web'],
    ['lxc', 'description', 'a  \n', 'a'],
    ['lxc', 'swap', '0', '512'],
    ['qemu', 'balloon', undefined, '0'],
    ['qemu', 'watchdog', undefined, 'i6300esb'],
    ['qemu', 'ipconfig0', undefined, 'ip=dhcp'],
    ['qemu', 'hotplug', undefined, '0'],
    ['qemu', 'boot', 'order=scsi0;net0', 'order=net0;scsi0'],
    ['qemu', 'nameserver', '192.0.2.1 192.0.2.2', '192.0.2.2 192.0.2.1'],
    ['qemu', 'localtime', undefined, '0'],
    ['qemu', 'scsi0', 'lvm:vm-201-disk-0,size=8G', 'lvm:vm-201-disk-0,backup=0'],
    ['qemu', 'scsi0', 'lvm:vm-201-disk-0,size=8G', 'local:8'],
    ['lxc', 'rootfs', 'lvm:vm-101-disk-0,size=308M', 'lvm:vm-101-disk-0,size=300M'],
    ['lxc', 'tags', 'web', ''],
  ]
  for (const row of rows) {
    const [kind, name, live, desired] = row
    it(`${kind} ${name}: ${JSON.stringify(live)} is not ${JSON.stringify(desired)}`, () => {
      expect(text(row).equal).to.equal(false)
    })
  }
})

describe('a map', () => {
  const live = `name=eth0,bridge=vmbr0,hwaddr=${MAC},ip=dhcp,type=veth`

  it('manages its parts and no others', () => {
    expect(parts('lxc', 'net0', live, {bridge: 'vmbr0'})).to.deep.equal({equal: true})
    expect(parts('lxc', 'net0', live, {bridge: 'vmbr1'})).to.deep.equal({
      equal: false,
      after: `name=eth0,bridge=vmbr1,hwaddr=${MAC},ip=dhcp,type=veth`,
      note: 'hwaddr kept',
    })
  })

  it('takes away the parts that are null', () => {
    const after = `name=eth0,bridge=vmbr0,hwaddr=${MAC},type=veth`
    expect(parts('lxc', 'net0', live, {ip: null})).to.include({equal: false, after})
    expect(parts('lxc', 'net0', live, {tag: null, firewall: null})).to.deep.equal({equal: true})
    expect(parts('lxc', 'features', 'nesting=1', {nesting: null})).to.deep.equal({
      equal: false,
      after: undefined,
    })
  })

  it('keeps parts of which the catalog knows nothing', () => {
    expect(parts('lxc', 'net0', `${live},shiny=1`, {bridge: 'vmbr1'})).to.include({
      after: `name=eth0,bridge=vmbr1,hwaddr=${MAC},ip=dhcp,type=veth,shiny=1`,
    })
  })

  it('takes the place of the rival part', () => {
    expect(parts('qemu', 'hostpci0', '0000:00:02.0,pcie=1', {mapping: 'gpu'})).to.deep.equal({
      equal: false,
      after: 'mapping=gpu,pcie=1',
    })
    expect(parts('qemu', 'boot', 'cdn', {order: 'scsi0'})).to.include({after: 'order=scsi0'})
  })

  it('grows a disk and leaves its mount options alone', () => {
    const disk = 'lvm:vm-101-disk-0,mountoptions=noatime,size=8G'
    expect(parts('lxc', 'rootfs', disk, {size: '16G'})).to.deep.equal({
      equal: false,
      after: 'lvm:vm-101-disk-0,mountoptions=noatime,size=16G',
    })
    expect(parts('lxc', 'rootfs', disk, {size: '8192M'})).to.deep.equal({equal: true})
  })
})

describe('a text', () => {
  it('is the whole value, but for what Proxmox generates', () => {
    const live = `name=eth0,bridge=vmbr0,firewall=1,hwaddr=${MAC},type=veth`
    expect(text(['lxc', 'net0', live, 'name=eth0,bridge=vmbr0'])).to.deep.equal({
      equal: false,
      after: `name=eth0,bridge=vmbr0,hwaddr=${MAC},type=veth`,
      note: 'hwaddr kept',
    })
    expect(text(['qemu', 'net0', `virtio=${MAC},bridge=vmbr0`, 'e1000,bridge=vmbr0'])).to.include({
      after: `e1000=${MAC},bridge=vmbr0`,
    })
    expect(text(['qemu', 'smbios1', `uuid=${UUID}`, 'serial=QUJD,base64=1'])).to.include({
      after: `base64=1,serial=QUJD,uuid=${UUID}`,
      note: 'uuid kept',
    })
  })

  it('that is empty removes the option', () => {
    expect(text(['lxc', 'tags', 'web', ' '])).to.deep.equal({equal: false, after: undefined})
    expect(text(['lxc', 'description', 'x\n', ''])).to.deep.equal({equal: false, after: undefined})
  })

  it('that names another volume says nothing about its size', () => {
    expect(text(['qemu', 'scsi0', 'lvm:vm-201-disk-0,size=8G', 'lvm:vm-201-disk-5'])).to.deep.equal({
      equal: false,
      after: 'lvm:vm-201-disk-5',
    })
  })

  it('that asks for a new volume of another size asks for the live one to be resized', () => {
    expect(text(['qemu', 'scsi0', 'lvm:vm-201-disk-0,size=8G', 'lvm:16'])).to.deep.equal({
      equal: false,
      after: 'lvm:vm-201-disk-0,size=16G',
    })
  })
})

describe('removal', () => {
  const removed = {is: 'removed'} as const

  it('is done when the option is not set or says no more than the default', () => {
    expect(compareOption(option('lxc', 'swap'), undefined, removed)).to.deep.equal({equal: true})
    expect(compareOption(option('lxc', 'swap'), '512', removed)).to.deep.equal({equal: true})
    expect(compareOption(option('lxc', 'tags'), ' ', removed)).to.deep.equal({equal: true})
  })

  it('is to be done otherwise', () => {
    expect(compareOption(option('lxc', 'swap'), '0', removed)).to.deep.equal({equal: false, after: undefined})
    expect(compareOption(option('qemu', 'cipassword'), '**********', removed).equal).to.equal(false)
  })
})

describe('a secret', () => {
  it('is never compared', () => {
    const secret = {is: 'secret', from: {env: 'PW'}} as const
    for (const live of [undefined, '**********']) {
      expect(compareOption(option('qemu', 'cipassword'), live, secret)).to.deep.equal({equal: true})
    }
  })
})

describe('two live values', () => {
  it('are the same if Proxmox takes them for the same', () => {
    expect(isSameValue(option('lxc', 'tags'), 'a;b', 'b a')).to.equal(true)
    expect(isSameValue(option('lxc', 'tags'), 'a;b', undefined)).to.equal(false)
    expect(isSameValue(option('qemu', 'net0'), `virtio=${MAC}`, 'virtio')).to.equal(false)
  })
})

describe('the size of a disk', () => {
  const disk = option('qemu', 'scsi0')

  it('is taken out of what goes to the config', () => {
    expect(separateSize(disk, 'lvm:d,size=8G', 'lvm:d,discard=on,size=16G')).to.deep.equal({
      resize: {fromBytes: 8 * 1024 ** 3, toBytes: 16 * 1024 ** 3},
      config: 'lvm:d,discard=on,size=8G',
    })
  })

  it('stays where there is nothing to resize', () => {
    expect(separateSize(disk, 'lvm:d,size=8G', 'lvm:e,size=16G')).to.deep.equal({config: 'lvm:e,size=16G'})
    expect(separateSize(disk, 'lvm:d,size=8G', 'lvm:d,ssd=1,size=8G')).to.deep.equal({
      config: 'lvm:d,size=8G,ssd=1',
    })
    expect(separateSize(option('lxc', 'cores'), '1', '2')).to.deep.equal({config: '2'})
  })
})
