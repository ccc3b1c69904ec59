import {expect} from 'chai'
import {InProcessSandbox} from '../../../../support/in-process-sandbox.ts'
import type {Node} from '../../../../../src/lib/sandbox/state.ts'

const VM = '/nodes/pve/qemu/201'
const RUNNING = '/nodes/pve/qemu/200'

describe('migration of a machine', () => {
  let sandbox: InProcessSandbox
  let other: Node

  beforeEach(() => {
    sandbox = new InProcessSandbox()
    const {nodes} = sandbox.cluster.state
    other = {...(nodes[0] as Node), name: 'pve2', ip: '192.0.2.11'}
    nodes.push(other)
  })

  const migrate = (form: Record<string, string | number>, path = VM): Promise<string> =>
    sandbox.outcome(sandbox.post(`${path}/migrate`, {target: 'pve2', ...form}))
  const lastLogLine = (): string => sandbox.cluster.state.tasks.at(-1)?.log.at(-2) ?? ''

  it('takes the config and the local disks to the other node', async () => {
    expect(await migrate({})).to.equal('OK')
    expect(sandbox.cluster.guest(201)?.node).to.equal('pve2')
    expect((await sandbox.get(`${VM}/config`)).reason).to.equal(
      "Configuration file 'nodes/pve/qemu-server/201.conf' does not exist",
    )
    const moved = sandbox.cluster.state.storages.flatMap((s) => s.volumes.filter((v) => v.vmid === 201))
    expect(moved.map((v) => [v.volid, v.node])).to.deep.equal([['local:201/vm-201-disk-0.qcow2', 'pve2']])
    expect(await sandbox.outcome(sandbox.post('/nodes/pve2/qemu/201/status/start', {}))).to.equal('OK')
  })

  it('renames disks that go to another storage, wherever the config names them', async () => {
    await sandbox.outcome(sandbox.post(`${VM}/snapshot`, {snapname: 's1'}))
    expect(await migrate({targetstorage: 'nosnap'})).to.equal('OK')
    const guest = sandbox.cluster.guest(201)
    expect(guest?.config['scsi0']).to.equal('nosnap:201/vm-201-disk-0.qcow2,size=1G')
    expect(guest?.snapshots['s1']?.config['scsi0']).to.equal('nosnap:201/vm-201-disk-0.qcow2,size=1G')
  })

  it('keeps a running machine running, if that and its local disks are allowed', async () => {
    expect(await migrate({}, RUNNING)).to.equal("500 can't migrate running VM without --online")
    expect(await migrate({online: 1}, RUNNING)).to.equal('migration aborted')
    expect(lastLogLine()).to.match(/check log$/)
    expect(await migrate({online: 1, 'with-local-disks': 1}, RUNNING)).to.equal('OK')
    expect(sandbox.cluster.guest(200)).to.deep.include({node: 'pve2'})
    expect(sandbox.cluster.guest(200)?.runtime.status).to.equal('running')
    expect(sandbox.cluster.guest(200)?.config).to.not.have.property('lock')
  })

  it('aborts when the other node does not answer, and nothing has changed', async () => {
    other.online = false
    expect(await migrate({})).to.equal('migration aborted')
    expect(lastLogLine()).to.include("Can't connect to destination address using public key")
    expect(sandbox.cluster.guest(201)?.node).to.equal('pve')
  })

  it('knows what is in its way', async () => {
    expect(await migrate({target: 'ghost'})).to.equal("500 no such cluster node 'ghost'")
    const guest = sandbox.cluster.guest(201)
    if (guest) guest.config['hostpci0'] = '0000:00:02.0'
    expect(await migrate({})).to.equal('migration aborted')
    expect(lastLogLine()).to.include("can't migrate VM which uses local devices: hostpci0")
  })

  it('lists the nodes that have all storages, and the disks that would move', async () => {
    const local = sandbox.cluster.state.storages.find((s) => s.storage === 'local')
    const ask = async (): Promise<Record<string, unknown>> =>
      (await sandbox.get(`${VM}/migrate`)).data as Record<string, unknown>
    const free = await ask()
    expect(free).to.deep.include({running: 0, allowed_nodes: ['pve2'], not_allowed_nodes: {pve2: {}}})
    expect(free['local_disks']).to.deep.equal([
      {
        volid: 'local:201/vm-201-disk-0.qcow2',
        cdrom: 0,
        is_cloudinit: 0,
        is_attached: 1,
        is_unused: 0,
        is_vmstate: 0,
        is_tpmstate: 0,
        replicate: 1,
        shared: 0,
        drivename: 'scsi0',
        size: 2 ** 30,
      },
    ])
    await sandbox.outcome(sandbox.post(`${VM}/snapshot`, {snapname: 's1'}))
    expect((await ask())['local_disks']).to.have.nested.property('[0].referenced_in_snapshot.s1', 1)
    if (local) local.nodes = ['pve']
    const bound = await ask()
    expect(bound).to.deep.include({
      allowed_nodes: [],
      not_allowed_nodes: {pve2: {unavailable_storages: ['local']}},
    })
  })

  it('lets the HA manager move what it manages', async () => {
    sandbox.cluster.state.ha.push({sid: 'vm:201', state: 'stopped'})
    const asked = await sandbox.post(`${VM}/migrate`, {target: 'pve2'})
    expect(String(asked.data)).to.include(':hamigrate:201:')
    await sandbox.clock.advance(30_000)
    expect(sandbox.cluster.guest(201)?.node).to.equal('pve2')
  })
})
