import {expect} from 'chai'
import {MachineView, RUNNING, type Form} from '../../../../support/machine-view.ts'
import {applyPendingAtStart} from '../../../../../src/lib/sandbox/qemu/config/apply-pending.ts'

const DISK_0 = 'local:200/vm-200-disk-0.qcow2'
const DISK_1 = 'local:200/vm-200-disk-1.raw'
const NET_0 = 'virtio=BC:24:11:00:02:00,bridge=vmbr0'

describe('a running machine', () => {
  let vm: MachineView
  const restart = (): void => {
    vm.guest.runtime.status = 'stopped'
    applyPendingAtStart(vm.sandbox.cluster, vm.guest)
    vm.guest.runtime.status = 'running'
  }

  const prepare = async (form: Form): Promise<void> => {
    if (Object.keys(form).length > 0) await vm.put(form)
    restart()
  }

  beforeEach(() => {
    vm = new MachineView(RUNNING)
  })

  describe('takes over at once', () => {
    const live: [Form, Form][] = [
      [{}, {net0: `${NET_0},link_down=1,rate=5`}],
      [{}, {net0: `${NET_0},tag=7`}],
      [{}, {net0: 'e1000=BC:24:11:00:02:00,bridge=vmbr0'}],
      [{}, {scsi0: `${DISK_0},backup=0,mbps_rd=10`}],
      [{}, {scsi1: 'local:1'}],
      [{}, {delete: 'net0'}],
      [{}, {usb0: 'spice'}],
      [{}, {tablet: 0}],
      [{}, {balloon: 256}],
      [{}, {cpulimit: 1, cpuunits: 50}],
      [{}, {hotplug: 'disk'}],
      [{agent: '1'}, {agent: 'enabled=1,fstrim_cloned_disks=1'}],
      [{ide2: 'none,media=cdrom'}, {ide2: 'cdrom,media=cdrom'}],
      [{hotplug: 'cpu', sockets: 2}, {vcpus: 3}],
      [{hotplug: 'cpu', vcpus: 1}, {delete: 'vcpus'}],
    ]
    for (const [before, form] of live) {
      it(`${JSON.stringify(form)} after ${JSON.stringify(before)}`, async () => {
        await prepare(before)
        expect(await vm.put(form)).to.equal('200 OK')
        expect(Object.keys(await vm.pending()).filter((key) => key !== 'boot')).to.deep.equal([])
      })
    }
  })

  describe('keeps waiting', () => {
    const cold: [Form, Form][] = [
      [{}, {scsi0: `${DISK_0},ssd=1`}],
      [{}, {sata0: 'local:1'}],
      [{}, {cores: 4}],
      [{}, {memory: 1024}],
      [{}, {balloon: 0}],
      [{}, {hotplug: 'disk,memory'}],
      [{}, {vcpus: 1}],
      [{}, {agent: '1'}],
      [{agent: '1'}, {agent: '1,type=isa'}],
      [{hotplug: '0'}, {net1: 'virtio=BC:24:11:00:02:01,bridge=vmbr0'}],
      [{hotplug: '0'}, {scsi1: 'local:1'}],
      [{hotplug: 'network'}, {usb0: 'spice'}],
      [{hotplug: 'network'}, {tablet: 0}],
      [{ostype: 'win7'}, {usb0: 'spice'}],
      [{hotplug: 'network,memory'}, {delete: 'hotplug'}],
      [{balloon: 0}, {delete: 'balloon'}],
      [{scsi1: 'local:1', hotplug: '0'}, {delete: 'scsi1'}],
      [{ide2: 'none,media=cdrom'}, {delete: 'ide2'}],
    ]
    for (const [before, form] of cold) {
      it(`${JSON.stringify(form)} after ${JSON.stringify(before)}`, async () => {
        await prepare(before)
        expect(await vm.put(form)).to.equal('200 OK')
        const option = 'delete' in form ? String(form['delete']) : (Object.keys(form)[0] ?? '')
        expect(await vm.pending()).to.have.property(option)
        restart()
        expect(await vm.pending()).to.deep.equal({})
      })
    }
  })

  describe('refuses, and lets the change wait', () => {
    const refused: [Form, Form, string][] = [
      [{}, {delete: 'scsi0'}, "scsi0 hotplug problem - can't unplug bootdisk 'scsi0'"],
      [{}, {scsi0: 'local:1'}, "scsi0 hotplug problem - can't unplug bootdisk 'scsi0'"],
      [{}, {usb0: 'mapping=stick'}, "usb0 hotplug problem - USB device mapping not found for 'stick'"],
      [
        {},
        {net0: 'virtio=BC:24:11:00:02:00,bridge=vmbr9'},
        'net0 hotplug problem - interface vmbr9 does not exist',
      ],
      [
        {},
        {net0: 'virtio=BC:24:11:00:02:00,bridge=vmbr0,trunks=2'},
        'net0 hotplug problem - vlan aware feature need to be enabled to use trunks',
      ],
      [{}, {net1: 'virtio,bridge=vmbr9'}, "net1 hotplug problem - bridge 'vmbr9' does not exist"],
      [
        {},
        {net1: 'virtio,bridge=vmbr0,mtu=9000'},
        "net1 hotplug problem - netdev net1: MTU '9000' is bigger than the bridge MTU '1500'",
      ],
      [
        {},
        {net1: 'virtio,bridge=vmbr0,mtu=100'},
        "net1 hotplug problem - netdev net1: MTU '100' is smaller than the IP minimum MTU '576'",
      ],
      [
        {scsi1: 'none,media=cdrom'},
        {scsi1: 'local:1'},
        'scsi1 hotplug problem - unable to change media type',
      ],
      [{sata0: 'local:1'}, {sata0: 'local:2'}, "sata0 hotplug problem - can't unplug device 'sata0'"],
      [{hotplug: 'cpu'}, {vcpus: 8}, "vcpus hotplug problem - you can't add more vcpus than maxcpus"],
      [
        {hotplug: 'memory', numa: 1, memory: 2048},
        {memory: 512},
        "memory hotplug problem - memory can't be lower than 1024 MB",
      ],
    ]
    for (const [before, form, text] of refused) {
      it(`${JSON.stringify(form)} after ${JSON.stringify(before)}`, async () => {
        await prepare(before)
        expect(await vm.put(form)).to.contain(`400 Parameter verification failed. ${text}`)
        expect(Object.keys(await vm.pending())).to.have.lengthOf.at.least(1)
      })
    }
  })

  it('plugs memory in modules of 512 MiB', async () => {
    await vm.put({hotplug: 'memory', numa: 1, memory: 1024})
    restart()
    await vm.put({memory: 1500})
    expect(await vm.config('?current=1')).to.include({memory: '1536'})
    await vm.put({memory: 1024})
    expect(await vm.config('?current=1')).to.include({memory: '1024'})
  })

  it('applies only what the request touches, not what waits already', async () => {
    await vm.put({scsi0: `${DISK_0},ssd=1`})
    await vm.put({scsi0: `${DISK_0},backup=0`, name: 'x'})
    expect(await vm.pending()).to.deep.equal({})
    await vm.put({agent: '1'})
    await vm.put({cores: 1})
    await vm.put({name: 'y'})
    expect(await vm.pending()).to.deep.equal({agent: {pending: '1'}, cores: {value: 2, pending: 1}})
  })

  it('takes back a waiting value, a waiting deletion and a waiting drive', async () => {
    await vm.put({memory: 256, agent: '1', sata0: 'local:1'})
    await vm.put({delete: 'ostype'})
    expect(await vm.pending()).to.have.all.keys('memory', 'agent', 'sata0', 'ostype')
    await vm.put({revert: 'memory,agent,ostype'})
    expect(await vm.pending()).to.have.all.keys('sata0')
    await vm.put({revert: 'sata0'})
    expect(await vm.pending()).to.deep.equal({})
    expect(await vm.config()).to.include({memory: '512', ostype: 'l26', unused0: DISK_1})
  })

  it('destroys a disk on the fly with force and marks a waiting forced deletion', async () => {
    await vm.put({scsi1: 'local:1', sata0: 'local:1'})
    restart()
    await vm.put({delete: 'scsi1', force: 1})
    expect(vm.volume('local:200/vm-200-disk-1.raw') && vm.volume('local:200/vm-200-disk-2.raw')).to.equal(
      undefined,
    )
    await vm.put({delete: 'sata0', force: 1})
    expect(await vm.pending()).to.have.nested.property('sata0.delete', 2)
    restart()
    expect(vm.volume('local:200/vm-200-disk-1.raw') ?? vm.volume('local:200/vm-200-disk-2.raw')).to.equal(
      undefined,
    )
    expect(await vm.config()).to.not.have.property('unused0')
  })
})
