import {expect} from 'chai'
import {MachineView, STOPPED, type Form} from '../../../../support/machine-view.ts'

const NEW_DISK: Form = {scsi1: 'local:1'}

describe('what a change of a machine asks for', () => {
  const cases: [what: string, grants: [string, string[]][], form: Form, answer: string][] = [
    [
      'space for a new disk',
      [['/vms', ['VM.Config.Disk']]],
      NEW_DISK,
      '403 Permission check failed (/storage/local, Datastore.AllocateSpace)',
    ],
    [
      'the disk itself',
      [
        ['/vms', ['VM.Config.CPU']],
        ['/storage', ['Datastore.AllocateSpace']],
      ],
      NEW_DISK,
      '403 Permission check failed (/vms/201, VM.Config.Disk)',
    ],
    [
      'nothing more for a new disk',
      [
        ['/vms', ['VM.Config.Disk']],
        ['/storage', ['Datastore.AllocateSpace']],
      ],
      NEW_DISK,
      '200 OK',
    ],
    [
      'access to another machine for its disk',
      [['/vms/201', ['VM.Config.Disk']]],
      {scsi1: 'local:200/vm-200-disk-0.qcow2'},
      '403 Permission check failed (/storage/local, Datastore.Audit)',
    ],
    [
      'the bridge',
      [['/vms', ['VM.Config.Network']]],
      {net0: 'virtio,bridge=vmbr0'},
      '403 Permission check failed (/sdn/zones/localnetwork/vmbr0, SDN.Use)',
    ],
    [
      'the VLAN alone where one is named',
      [
        ['/vms', ['VM.Config.Network']],
        ['/sdn/zones/localnetwork/vmbr0/5', ['SDN.Use']],
      ],
      {net1: 'virtio,bridge=vmbr0,tag=5'},
      '200 OK',
    ],
    [
      'the old bridge too',
      [
        ['/vms', ['VM.Config.Network']],
        ['/sdn/zones/localnetwork/vmbr1', ['SDN.Use']],
      ],
      {net0: 'virtio,bridge=vmbr1'},
      '403 Permission check failed (/sdn/zones/localnetwork/vmbr0, SDN.Use)',
    ],
    [
      'the old bridge when its device goes',
      [['/vms', ['VM.Config.Network']]],
      {delete: 'net0'},
      '403 Permission check failed (/sdn/zones/localnetwork/vmbr0, SDN.Use)',
    ],
    [
      'the console for the drive of the host',
      [['/vms', ['VM.Config.CDROM']]],
      {ide2: 'cdrom'},
      '403 Permission check failed (/, Sys.Console)',
    ],
    ['only CDROM for an empty drive', [['/vms', ['VM.Config.CDROM']]], {ide2: 'none'}, '200 OK'],
    [
      'Cloudinit and CDROM for a cloud-init drive',
      [['/vms', ['VM.Config.CDROM']]],
      {ide2: 'local:cloudinit'},
      '403 Permission check failed (/vms/201, VM.Config.Cloudinit)',
    ],
    [
      'the mapping of a PCI device',
      [['/vms', ['VM.Config.HWType']]],
      {hostpci0: 'mapping=gpu'},
      '403 Permission check failed (/mapping/pci/gpu, Mapping.Use)',
    ],
    [
      'root for a path',
      [['/', ['VM.Config.Disk', 'Datastore.Allocate']]],
      {scsi1: '/dev/sdb'},
      '500 Only root can pass arbitrary filesystem paths. at /usr/share/perl5/PVE/Storage.pm line 651.',
    ],
  ]
  for (const [what, grants, form, answer] of cases) {
    it(`is ${what}`, async () => {
      const vm = new MachineView(STOPPED)
      expect(await vm.put(form, vm.tokenWith(...grants))).to.equal(answer)
    })
  }

  it('lets registered tags to those who may change the system', async () => {
    const vm = new MachineView(STOPPED)
    vm.sandbox.cluster.state.options['registered-tags'] = ['prod']
    const token = vm.tokenWith(['/vms', ['VM.Config.Options']])
    expect(await vm.put({tags: 'a;prod'}, token)).to.equal(
      "403 Permission check failed (/, Sys.Modify for modifying tag 'prod')",
    )
    expect(await vm.put({tags: 'a'}, token)).to.equal('200 OK')
  })

  it('lets nobody but root pass over a hook script that exists', async () => {
    const vm = new MachineView(STOPPED)
    const local = vm.sandbox.cluster.state.storages.find(({storage}) => storage === 'local')
    local?.volumes.push({volid: 'local:snippets/hook.pl', format: 'snippet', content: 'snippets', size: 10})
    expect(await vm.put({hookscript: 'local:snippets/hook.pl'})).to.equal(
      "500 only root can set 'hookscript' config",
    )
  })
})
