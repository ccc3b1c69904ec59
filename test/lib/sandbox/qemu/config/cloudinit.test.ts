import {expect} from 'chai'
import {MachineView, RUNNING, STOPPED} from '../../../../support/machine-view.ts'
import {applyPendingAtStart} from '../../../../../src/lib/sandbox/qemu/config/apply-pending.ts'
import {renderConfigFile} from '../../../../../src/lib/sandbox/guest/config-file.ts'

const rows = async (vm: MachineView): Promise<unknown> => (await vm.sandbox.get(`${vm.path}/cloudinit`)).data
const dump = async (vm: MachineView, type: string): Promise<unknown> =>
  (await vm.sandbox.get(`${vm.path}/cloudinit/dump?type=${type}`)).data

describe('cloud-init', () => {
  describe('of a running machine', () => {
    let vm: MachineView

    beforeEach(async () => {
      vm = new MachineView(RUNNING)
      await vm.put({ide2: 'local:cloudinit', ciuser: 'old', searchdomain: 'gone.lan'})
      applyPendingAtStart(vm.sandbox.cluster, vm.guest)
    })

    it('tells which options its drive does not show yet, until it is made anew', async () => {
      await vm.put({ciuser: 'new', nameserver: '192.0.2.1'})
      await vm.put({delete: 'searchdomain'})
      expect(await rows(vm)).to.have.deep.members([
        {key: 'nameserver', pending: '192.0.2.1'},
        {key: 'ciuser', value: 'old', pending: 'new'},
        {key: 'searchdomain', delete: 1},
      ])
      expect(renderConfigFile(vm.guest)).to.contain(
        '\n[special:cloudinit]\nadded: nameserver\nciuser: old\nsearchdomain: gone.lan\n',
      )
      expect((await vm.sandbox.put(`${vm.path}/cloudinit`, {})).status).to.equal(200)
      expect(await rows(vm)).to.have.deep.members([
        {key: 'nameserver', value: '192.0.2.1'},
        {key: 'ciuser', value: 'new'},
      ])
    })

    it('forgets a change that was changed back', async () => {
      await vm.put({ciuser: 'new'})
      await vm.put({ciuser: 'newer'})
      await vm.put({ciuser: 'old', nameserver: '192.0.2.1'})
      await vm.put({delete: 'nameserver'})
      expect(await rows(vm)).to.have.deep.members([
        {key: 'ciuser', value: 'old'},
        {key: 'searchdomain', value: 'gone.lan'},
      ])
    })

    it('is made anew by each change when that is wished, and by a start', async () => {
      await vm.put({hotplug: 'network,cloudinit'})
      await vm.put({ciuser: 'new'})
      expect(vm.guest).to.not.have.property('cloudinit')
      await vm.put({hotplug: 'network'})
      await vm.put({ciuser: 'newer'})
      expect(vm.guest).to.have.property('cloudinit')
      applyPendingAtStart(vm.sandbox.cluster, vm.guest)
      expect(vm.guest).to.not.have.property('cloudinit')
    })

    it('starts even with the config when the drive itself is plugged', async () => {
      await vm.put({delete: 'ide2'})
      applyPendingAtStart(vm.sandbox.cluster, vm.guest)
      await vm.put({scsi5: 'local:cloudinit', ciuser: 'new'})
      expect(await rows(vm)).to.deep.include({key: 'ciuser', value: 'new'})
    })

    it('never shows the password', async () => {
      await vm.put({cipassword: 'geheim'})
      expect(JSON.stringify(await rows(vm)))
        .to.contain('**********')
        .and.not.contain('$5$')
    })
  })

  it('needs the files that were given instead of generated ones', async () => {
    const vm = new MachineView(STOPPED)
    await vm.put({cicustom: 'user=local:snippets/u.yaml'})
    const missing = "500 volume 'local:snippets/u.yaml' does not exist"
    expect(await vm.put({ide2: 'local:cloudinit'})).to.equal(missing)
    expect(await vm.config('?current=1')).to.include({
      ide2: 'local:201/vm-201-cloudinit.qcow2,media=cdrom',
    })
    expect((await vm.sandbox.put(`${vm.path}/cloudinit`, {})).reason).to.equal(missing.slice(4))
    await vm.put({cicustom: 'user=local:iso/u.iso'})
    const {reason} = await vm.sandbox.put(`${vm.path}/cloudinit`, {})
    expect(reason).to.equal('local:iso/u.iso is not in the snippets directory')
  })

  it('has one drive at most, which a second is told before its storage is looked at', async () => {
    const vm = new MachineView(STOPPED)
    await vm.put({ide2: 'local:cloudinit'})
    expect(await vm.put({ide0: 'nosuch:cloudinit'})).to.equal(
      "500 ide0 - cloud-init drive is already attached at 'ide2'",
    )
  })

  it('is not made anew while the machine is locked', async () => {
    const vm = new MachineView(STOPPED)
    vm.guest.config['lock'] = 'backup'
    expect((await vm.sandbox.put(`${vm.path}/cloudinit`, {})).reason).to.equal('VM is locked (backup)')
  })

  it('says what its drive holds for the user, with the password for those who may set it', async () => {
    const vm = new MachineView(STOPPED)
    const key = 'ssh-ed25519%20AAAAC3NzaC1lZDI1NTE5AAAAIGb9ECWmEzf6FQbrBZ9w7lshQhqowtrbLDFw4rXAxZuE%20t'
    await vm.put({ciuser: 'root', cipassword: '$5$a$b', sshkeys: key, ciupgrade: 0, searchdomain: 'lan'})
    expect(await dump(vm, 'user')).to.equal(
      '#cloud-config\nhostname: vm-spare\nmanage_etc_hosts: true\nfqdn: vm-spare.lan\nuser: root\n' +
        'disable_root: False\npassword: $5$a$b\nssh_authorized_keys:\n' +
        '  - ssh-ed25519 AAAAC3NzaC1lZDI1NTE5AAAAIGb9ECWmEzf6FQbrBZ9w7lshQhqowtrbLDFw4rXAxZuE t\n' +
        'chpasswd:\n  expire: False\n',
    )
    const token = vm.tokenWith(['/vms', ['VM.Audit']])
    const masked = await vm.sandbox.get(`${vm.path}/cloudinit/dump?type=user`, token)
    expect(masked.data).to.contain('password: **********\n')
  })

  it('says what its drive holds for the network, for Linux and for Windows', async () => {
    const vm = new MachineView(STOPPED)
    expect(await dump(vm, 'network')).to.equal(
      "version: 1\nconfig:\n    - type: nameserver\n      address:\n      - '10.255.255.53'\n",
    )
    await vm.put({
      ipconfig0: 'ip=192.0.2.9/20,gw=192.0.2.1,ip6=auto',
      nameserver: '192.0.2.1 192.0.2.2',
      searchdomain: 'lan',
    })
    expect(await dump(vm, 'network')).to.equal(
      "version: 1\nconfig:\n    - type: physical\n      name: eth0\n      mac_address: 'bc:24:11:00:02:01'\n" +
        "      subnets:\n      - type: static\n        address: '192.0.2.9'\n        netmask: '255.255.240.0'\n" +
        "        gateway: '192.0.2.1'\n      - type: ipv6_slaac\n    - type: nameserver\n      address:\n" +
        "      - '192.0.2.1'\n      - '192.0.2.2'\n      search:\n      - 'lan'\n",
    )
    expect(await dump(vm, 'meta')).to.match(/^instance-id: [0-9a-f]{40}\n$/)
    await vm.put({citype: 'configdrive2', ipconfig0: 'ip=dhcp,ip6=2001:db8::5/64,gw6=2001:db8::1'})
    expect(await dump(vm, 'network')).to.equal(
      'auto lo\niface lo inet loopback\n\n        dns_nameservers 192.0.2.1 192.0.2.2\n' +
        '        dns_search lan\nauto eth0\niface eth0 inet dhcp\niface eth0 inet6 static\n' +
        '        address 2001:db8::5\n        netmask 64\n        gateway 2001:db8::1\n',
    )
    expect(await dump(vm, 'meta')).to.match(/^\{\n {5}"uuid": "[0-9a-f]{40}",\n/)
  })
})
