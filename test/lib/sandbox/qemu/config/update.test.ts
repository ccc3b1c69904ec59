import {expect} from 'chai'
import {updateNow} from '../../../../../src/lib/sandbox/qemu/config/update.ts'
import type {Answer} from '../../../../support/in-process-sandbox.ts'
import {MachineView, RUNNING, STOPPED, type Form} from '../../../../support/machine-view.ts'

describe('changing the config of a machine', () => {
  let vm: MachineView

  beforeEach(() => {
    vm = new MachineView(STOPPED)
  })

  describe('refuses contradictions', () => {
    const cases: [Form, string][] = [
      [{digest: ''}, '500 no options specified'],
      [{cores: 1, delete: 'cores'}, "delete you can't use '-cores' and -delete cores' at the same time"],
      [{cores: 1, revert: 'cores'}, "delete you can't use '-cores' and -revert cores' at the same time"],
      [
        {delete: 'cores', revert: 'cores'},
        "revert you can't use '-delete cores' and -revert cores' at the same time",
      ],
      [{delete: 'nosuch'}, "delete unknown option 'nosuch'"],
      [{delete: 'digest'}, "delete unknown option 'digest'"],
      [{revert: 'net32'}, "revert unknown option 'net32'"],
      [{balloon: 2048}, '500 balloon value too large (must be smaller than assigned memory)'],
      [{memory: 512, balloon: 1024}, '500 balloon value too large (must be smaller than assigned memory)'],
      [{delete: 'lock'}, "500 only root can set 'lock' config"],
      [{machine: 'pc,viommu=intel'}, '500 to use Intel vIOMMU please set the machine type to q35'],
      [{machine: 'q35,viommu=intel,aw-bits=40'}, '500 Intel vIOMMU supports only 39 or 48 bits'],
      [{vga: 'serial0,clipboard=vnc'}, '500 vga type serial0 is not compatible with VNC clipboard'],
      [{sshkeys: 'ssh-ed25519%20AAAA'}, '500 SSH public key validation error'],
      [{ciuser: 'a\nb'}, "500 unable to parse value of 'ciuser' - property contains a line feed"],
    ]
    for (const [form, expected] of cases) {
      it(`in ${JSON.stringify(form)}`, async () => {
        const {digest} = await vm.config()
        expect(await vm.put(form)).to.contain(expected)
        expect(await vm.config()).to.include({digest})
      })
    }
  })

  it('accepts the deletion of what is not set, and writes nothing', async () => {
    const {digest} = await vm.config()
    expect(await vm.put({delete: 'tags,net5'})).to.equal('200 OK')
    expect(await vm.config()).to.include({digest})
  })

  it('is refused at once while the machine is locked, by PUT and by POST', async () => {
    vm.guest.config['lock'] = 'backup'
    expect(await vm.put({cores: 1})).to.equal('500 VM is locked (backup)')
    expect(await vm.post({cores: 1})).to.equal('500 VM is locked (backup)')
  })

  it('waits ten seconds for the config file before it looks at anything in it', async () => {
    vm.guest.knobs.configLockHeldUntilMs = vm.sandbox.clock.now() + 60_000
    const text = "can't lock file '/var/lock/qemu-server/lock-201.conf' - got timeout"
    const before = vm.sandbox.clock.now()
    expect(await vm.put({cores: 1, digest: 'stale'})).to.equal(`500 ${text}`)
    expect(vm.sandbox.clock.now() - before).to.be.within(10_000, 10_100)
    vm.guest.knobs.configLockHeldUntilMs = vm.sandbox.clock.now() + 60_000
    expect(await vm.post({cores: 1})).to.equal(`500 ${text}`)
  })

  it('hands the config lock on to the task of a POST', async () => {
    const form = (cores: number): Promise<Answer> => vm.sandbox.post(`${vm.path}/config`, {cores})
    const [first, second] = await Promise.all([form(2), vm.sandbox.put(`${vm.path}/config`, {cores: 3})])
    expect([first.status, second.status]).to.deep.equal([200, 200])
    expect(await vm.config()).to.include({cores: 3})
  })

  it('gives the config lock back when the task of a POST is stopped before its first step', async () => {
    const {data} = await vm.sandbox.post(`${vm.path}/config`, {cores: 2})
    vm.sandbox.cluster.tasks.kill(String(data))
    expect(await vm.put({memory: 512})).to.equal('200 OK')
    expect(await vm.config()).to.include({cores: 1, memory: '512'})
  })

  it('keeps what was written before a later option failed', async () => {
    expect(await vm.put({ciuser: 'u', scsi1: 'local:201/vm-201-disk-7.raw'})).to.equal(
      "500 volume 'local:201/vm-201-disk-7.raw' does not exist",
    )
    expect(await vm.pending()).to.deep.equal({ciuser: {pending: 'u'}})
    expect(await vm.put({cores: 1})).to.equal('200 OK')
    expect(await vm.config('?current=1')).to.include({ciuser: 'u', cores: 1})
  })

  it('answers POST with null when the task ends within background_delay, and with its error', async () => {
    const {data} = await vm.sandbox.post(`${vm.path}/config`, {cores: 2, background_delay: 5})
    expect(data).to.equal(null)
    expect(await vm.config()).to.include({cores: 2})
    const failed = await vm.sandbox.post(`${vm.path}/config`, {boot: 'order=ide0', background_delay: 5})
    expect(failed.reason).to.equal(
      "failed to update VM 201: invalid bootorder: device 'ide0' does not exist'",
    )
  })

  it('tells in a failed task which option a running machine refused', async () => {
    const running = new MachineView(RUNNING)
    expect(await running.post({delete: 'scsi0'})).to.contain(
      "400 Parameter verification failed. scsi0: hotplug problem - can't unplug bootdisk 'scsi0'",
    )
  })

  it('hides the password from the task log', async () => {
    const {data} = await vm.sandbox.post(`${vm.path}/config`, {cipassword: 'geheim', name: 'x'})
    await vm.sandbox.clock.advance(1000)
    const log = vm.sandbox.cluster.tasks.find(String(data))?.log ?? []
    expect(log[0]).to.equal('update VM 201: -cipassword <hidden> -name x')
  })

  it('stores a hash for Linux and the plain password for Windows', async () => {
    await vm.put({cipassword: 'geheim'})
    expect(vm.guest.config['cipassword']).to.match(/^\$5\$[0-9a-f]{8}\$[A-Za-z0-9./]{43}$/)
    await vm.put({ostype: 'win10'})
    await vm.put({cipassword: 'geheim'})
    expect(vm.guest.config['cipassword']).to.equal('geheim')
  })

  it('clamps cpuunits, makes integers plain and leaves numbers as they were written', async () => {
    await vm.put({cpuunits: 200000, cpulimit: '2.0', cores: '03'})
    expect(vm.guest.config).to.include({cpuunits: '10000', cpulimit: '2.0', cores: '3'})
    expect(await vm.config()).to.include({cpuunits: 10000, cpulimit: '2.0', cores: 3})
  })

  it('pins the machine of a Windows guest unless the request itself says something about it', async () => {
    await vm.put({ostype: 'win11', machine: 'q35'})
    expect(await vm.config()).to.include({machine: 'q35'})
    await vm.put({ostype: 'win10'})
    expect(await vm.config()).to.include({machine: 'pc-q35-10.1'})
  })

  it('drops the old boot disk when a boot order is set', async () => {
    await vm.put({boot: 'cdn', bootdisk: 'scsi0'})
    expect(await vm.config()).to.include({boot: 'cdn', bootdisk: 'scsi0'})
    await vm.put({boot: 'order=net0'})
    expect(await vm.config())
      .to.include({boot: 'order=net0'})
      .and.not.have.property('bootdisk')
  })

  it('refuses a JSON null but for a description and tags', async () => {
    const {cluster} = vm.sandbox
    const principal = {userid: 'root@pam', authid: 'root@pam'}
    const call = (params: Record<string, string | null>): Promise<null> =>
      updateNow({
        cluster,
        principal,
        method: 'PUT',
        route: '',
        meta: {},
        params: {node: 'pve', vmid: '201', ...params},
      })
    const failure = await call({cores: null}).catch((error: unknown) => error)
    expect(failure)
      .to.be.an('error')
      .with.property('message', "unable to parse value of 'cores' - got undefined value\n")
    await call({description: null, tags: null})
    expect(await vm.config())
      .to.include({tags: ' '})
      .and.not.have.property('description')
  })
})
