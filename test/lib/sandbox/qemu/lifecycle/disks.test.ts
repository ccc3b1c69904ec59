import {expect} from 'chai'
import {InProcessSandbox} from '../../../../support/in-process-sandbox.ts'
import type {Section} from '../../../../../src/lib/sandbox/state.ts'

const VM = '/nodes/pve/qemu/201'
const RUNNING = '/nodes/pve/qemu/200'

describe('disks of a machine', () => {
  let sandbox: InProcessSandbox

  beforeEach(() => {
    sandbox = new InProcessSandbox()
  })

  const resize = (form: Record<string, string | number>): Promise<string> =>
    sandbox.outcome(sandbox.put(`${VM}/resize`, form))
  const move = (form: Record<string, string | number>, path = VM): Promise<string> =>
    sandbox.outcome(sandbox.post(`${path}/move_disk`, form))
  const configOf = (vmid: number): Section => sandbox.cluster.guest(vmid)?.config ?? {}

  it('checks digest, lock and existence of a resize in its task', async () => {
    expect(await resize({disk: 'scsi0', size: '+1G', digest: 'a'.repeat(40)})).to.equal(
      'checksum mismatch (file change by other user?)',
    )
    configOf(201)['lock'] = 'backup'
    expect(await resize({disk: 'scsi0', size: '+1G'})).to.equal('VM is locked (backup)')
    delete configOf(201)['lock']
    await sandbox.put(`${VM}/config`, {ide2: 'none,media=cdrom'})
    expect(await resize({disk: 'ide2', size: '+1G'})).to.equal("unable to parse volume ID 'none'")
    await sandbox.put(`${VM}/config`, {sata0: 'local:cloudinit'})
    expect(await resize({disk: 'sata0', size: '+1G'})).to.equal("you can't resize a cdrom")
    await sandbox.put(`${VM}/config`, {scsi1: 'local:1,format=vmdk'})
    expect(await resize({disk: 'scsi1', size: '+1G'})).to.equal("can't resize this image format")
    expect(configOf(201)['scsi0']).to.equal('local:201/vm-201-disk-0.qcow2,size=1G')
  })

  it('leaves the image of a running machine alone where no hypervisor grows it', async () => {
    const running = '/nodes/pve/qemu/200'
    const grow = (): Promise<string> =>
      sandbox.outcome(sandbox.put(`${running}/resize`, {disk: 'scsi0', size: '+64M'}))
    expect([await grow(), await grow()]).to.deep.equal(['OK', 'OK'])
    expect(configOf(200)['scsi0']).to.equal('local:200/vm-200-disk-0.qcow2,size=1088M')
    delete sandbox.cluster.state.knobs.isHypervisorFaked
    expect([await grow(), await grow()]).to.deep.equal(['OK', 'OK'])
    expect(configOf(200)['scsi0']).to.equal('local:200/vm-200-disk-0.qcow2,size=1152M')
  })

  it('gives a disk to a running machine as a change of its config: plugged where it can be', async () => {
    expect(await move({disk: 'scsi0', 'target-vmid': 200, 'target-disk': 'ide0'})).to.equal('OK')
    expect(sandbox.cluster.guest(200)?.pending).to.deep.equal({
      ide0: 'local:200/vm-200-disk-1.qcow2,size=1G',
    })
  })

  it('keeps the source of a move as unused, unless it is to be deleted', async () => {
    expect(await move({disk: 'scsi0', storage: 'btr'})).to.equal('OK')
    expect(configOf(201)).to.include({
      scsi0: 'btr:201/vm-201-disk-0.raw,size=1G',
      unused0: 'local:201/vm-201-disk-0.qcow2',
    })
    expect(await move({disk: 'unused0', storage: 'nosnap', delete: 1})).to.equal('OK')
    expect(configOf(201)['unused0']).to.equal('nosnap:201/vm-201-disk-0.qcow2')
  })

  it('changes the format in place under a new number', async () => {
    expect(await move({disk: 'scsi0', storage: 'local', format: 'raw', delete: 1})).to.equal('OK')
    expect(configOf(201)['scsi0']).to.equal('local:201/vm-201-disk-1.raw,size=1G')
  })

  it('refuses a move that makes no sense', async () => {
    await sandbox.put(`${VM}/config`, {ide2: 'none,media=cdrom'})
    expect(await move({disk: 'ide2', storage: 'nosnap'})).to.equal("500 you can't move a cdrom")
    expect(await move({disk: 'scsi0', storage: 'nosuch'})).to.equal("500 storage 'nosuch' does not exist")
    expect(await move({disk: 'scsi0', storage: 'nosnap', digest: 'a'.repeat(40)})).to.equal(
      '500 detected modified configuration - file changed by other user? Try again.',
    )
    const neither = await sandbox.post(`${VM}/move_disk`, {disk: 'scsi0'})
    expect(neither.errors).to.have.keys('storage', 'target-vmid')
    await sandbox.outcome(sandbox.post(`${VM}/snapshot`, {snapname: 's1'}))
    expect(await move({disk: 'scsi0', storage: 'nosnap', delete: 1})).to.equal(
      "500 you can't move a disk with snapshots and delete the source",
    )
  })

  it('hands a disk over to another machine under that machine’s name', async () => {
    const outcome = await move({disk: 'scsi0', 'target-vmid': 200, 'target-disk': 'scsi1'})
    expect(outcome).to.equal('OK')
    expect(configOf(201)).to.not.have.property('scsi0')
    expect(configOf(201)['boot']).to.equal('order=net0')
    expect(configOf(200)['scsi1']).to.equal('local:200/vm-200-disk-1.qcow2,size=1G')
  })

  it('does not take a disk from a running machine, nor to a used place', async () => {
    expect(await move({disk: 'scsi0', 'target-vmid': 201, 'target-disk': 'scsi1'}, RUNNING)).to.equal(
      '500 Cannot move disk to another VM while the source VM is running - detach first',
    )
    expect(await move({disk: 'scsi0', 'target-vmid': 200})).to.equal(
      "500 Target disk key 'scsi0' is already in use for VM '200'",
    )
  })

  it('says which features all disks have', async () => {
    const feature = async (name: string): Promise<unknown> =>
      (await sandbox.get(`${VM}/feature?feature=${name}`)).data
    expect(await feature('snapshot')).to.deep.equal({hasFeature: 1, nodes: ['pve']})
    expect(await feature('clone')).to.deep.equal({hasFeature: 0, nodes: ['pve']})
    await move({disk: 'scsi0', storage: 'nosnap', format: 'raw', delete: 1})
    expect(await feature('snapshot')).to.deep.include({hasFeature: 0})
    expect(await sandbox.outcome(sandbox.post(`${VM}/snapshot`, {snapname: 's1'}))).to.equal(
      'snapshot feature is not available',
    )
  })
})

describe('snapshots of a machine', () => {
  let sandbox: InProcessSandbox

  beforeEach(() => {
    sandbox = new InProcessSandbox()
  })

  const snapshot = (form: Record<string, string | number>, path = VM): Promise<string> =>
    sandbox.outcome(sandbox.post(`${path}/snapshot`, form))
  const rollback = (name: string, form: Record<string, string | number> = {}, path = VM): Promise<string> =>
    sandbox.outcome(sandbox.post(`${path}/snapshot/${name}/rollback`, form))

  it('refuse reserved and used names, and locked machines in the task', async () => {
    expect(await snapshot({snapname: 'current'})).to.match(/^500 unable to use snapshot name 'current'/)
    expect(await snapshot({snapname: 'Pending'})).to.match(/^500 unable to use snapshot name 'pending'/)
    expect(await snapshot({snapname: 's1'})).to.equal('OK')
    expect(await snapshot({snapname: 's1'})).to.equal("snapshot name 's1' already used")
    const guest = sandbox.cluster.guest(201)
    if (guest) guest.config['lock'] = 'backup'
    expect(await snapshot({snapname: 's2'})).to.equal('VM is locked (backup)')
  })

  it('answer their config with types, and take a new description', async () => {
    await snapshot({snapname: 's1'})
    expect(await sandbox.put(`${VM}/snapshot/s1/config`, {description: 'first'})).to.include({status: 200})
    const config = (await sandbox.get(`${VM}/snapshot/s1/config`)).data
    expect(config).to.deep.include({cores: 1, memory: '1024', description: 'first', snaptime: 1_800_000_000})
  })

  it('keep the memory of a running machine in a volume that goes with them', async () => {
    expect(await snapshot({snapname: 'ram', vmstate: 1}, RUNNING)).to.equal('OK')
    const states = (): string[] =>
      sandbox.cluster.state.storages
        .flatMap((s) => s.volumes.map((v) => v.volid))
        .filter((v) => v.includes('state'))
    expect(states()).to.deep.equal(['local:200/vm-200-state-ram.raw'])
    const pid = sandbox.cluster.guest(200)?.runtime.pid
    expect(await rollback('ram', {}, RUNNING)).to.equal('OK')
    const guest = sandbox.cluster.guest(200)
    expect(guest?.runtime.status).to.equal('running')
    expect(guest?.runtime.pid).to.not.equal(pid)
    expect(guest?.config).to.not.have.any.keys('runningmachine', 'runningcpu', 'lock', 'vmstate')
    expect(await sandbox.outcome(sandbox.delete(`${RUNNING}/snapshot/ram`))).to.equal('OK')
    expect(states()).to.deep.equal([])
  })

  it('stop a running machine to roll back, and start it afterwards when asked', async () => {
    await snapshot({snapname: 's1'}, RUNNING)
    expect(await rollback('s1', {}, RUNNING)).to.equal('OK')
    expect(sandbox.cluster.guest(200)?.runtime.status).to.equal('stopped')
    expect(await rollback('s1', {start: 1}, RUNNING)).to.equal('OK')
    await sandbox.clock.advance(3000)
    expect(sandbox.cluster.guest(200)?.runtime.status).to.equal('running')
    expect(await rollback('never', {}, RUNNING)).to.equal("snapshot 'never' does not exist")
  })

  it('remember a disk that was made after them as unused', async () => {
    await snapshot({snapname: 's1'})
    await sandbox.put(`${VM}/config`, {scsi1: 'local:1,format=qcow2'})
    expect(await rollback('s1')).to.equal('OK')
    expect(sandbox.cluster.guest(201)?.config).to.include({unused0: 'local:201/vm-201-disk-1.qcow2'})
    expect(sandbox.cluster.guest(201)?.config).to.not.have.property('scsi1')
  })
})
