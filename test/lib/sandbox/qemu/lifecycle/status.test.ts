import {expect} from 'chai'
import {InProcessSandbox} from '../../../../support/in-process-sandbox.ts'

type Status = Record<string, unknown>

describe('status of machines', () => {
  let sandbox: InProcessSandbox

  beforeEach(() => {
    sandbox = new InProcessSandbox()
  })

  const statusOf = async (vmid: number): Promise<Status> =>
    (await sandbox.get(`/nodes/pve/qemu/${String(vmid)}/status/current`)).data as Status

  it('lists only what the caller may see, and only this node’s', async () => {
    const {access, nodes} = sandbox.cluster.state
    access.acl.push({path: '/vms/201', type: 'user', ugid: 'nobody@pve', propagate: 1, roleid: 'PVEAuditor'})
    const nobody = access.tokens.find((t) => t.tokenid.startsWith('nobody@pve'))
    const list = async (): Promise<Status[]> =>
      (await sandbox.get('/nodes/pve/qemu', `${nobody?.tokenid ?? ''}=${nobody?.secret ?? ''}`))
        .data as Status[]
    expect((await list()).map((row) => row['vmid'])).to.deep.equal([201])
    if (nodes[0]) nodes.push({...nodes[0], name: 'pve2'})
    const guest = sandbox.cluster.guest(201)
    if (guest) guest.node = 'pve2'
    expect(await list()).to.deep.equal([])
  })

  it('shows the memory that the machine has where a real hypervisor tells it', async () => {
    delete sandbox.cluster.state.knobs.isHypervisorFaked
    await sandbox.put('/nodes/pve/qemu/201/config', {memory: 2048, balloon: 1024})
    await sandbox.outcome(sandbox.post('/nodes/pve/qemu/201/status/start', {}))
    expect(await statusOf(201)).to.deep.include({
      maxmem: 2 * 2 ** 30,
      balloon: 2 * 2 ** 30,
      ballooninfo: {actual: 2 * 2 ** 30, max_mem: 2 * 2 ** 30},
      balloon_min: 2 ** 30,
      shares: 1000,
    })
  })

  it('has no balloon where the config has none', async () => {
    delete sandbox.cluster.state.knobs.isHypervisorFaked
    await sandbox.put('/nodes/pve/qemu/201/config', {balloon: 0})
    await sandbox.outcome(sandbox.post('/nodes/pve/qemu/201/status/start', {}))
    expect(await statusOf(201)).to.not.have.any.keys('balloon', 'ballooninfo', 'balloon_min')
  })

  it('counts processors up to those of the node, unless vcpus says it', async () => {
    await sandbox.put('/nodes/pve/qemu/201/config', {cores: 64, sockets: 2})
    expect((await statusOf(201))['cpus']).to.equal(sandbox.cluster.node('pve')?.cpus)
    await sandbox.put('/nodes/pve/qemu/201/config', {vcpus: 3})
    expect((await statusOf(201))['cpus']).to.equal(3)
  })

  it('names lock, tags, serial port, display and agent where there are any', async () => {
    const form = {tags: 'b;a', serial0: 'socket', vga: 'qxl', agent: 'enabled=1,fstrim_cloned_disks=1'}
    await sandbox.put('/nodes/pve/qemu/201/config', form)
    const guest = sandbox.cluster.guest(201)
    if (guest) guest.config['lock'] = 'backup'
    expect(await statusOf(201)).to.include({
      lock: 'backup',
      tags: 'a;b',
      serial: 1,
      spice: 1,
      clipboard: null,
      agent: 1,
    })
  })

  it('runs an unversioned machine as the newest of its kind', async () => {
    await sandbox.put('/nodes/pve/qemu/201/config', {machine: 'q35'})
    await sandbox.outcome(sandbox.post('/nodes/pve/qemu/201/status/start', {}))
    expect((await statusOf(201))['running-machine']).to.equal('pc-i440fx-10.1', 'says the stand-in')
    delete sandbox.cluster.state.knobs.isHypervisorFaked
    expect((await statusOf(201))['running-machine']).to.equal('pc-q35-10.1')
  })
})
