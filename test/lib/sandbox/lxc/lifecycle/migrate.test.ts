import {expect} from 'chai'
import {InProcessSandbox} from '../../../../support/in-process-sandbox.ts'
import {allocateVolume, findVolume} from '../../../../../src/lib/sandbox/storage/volumes.ts'
import type {Guest} from '../../../../../src/lib/sandbox/state.ts'

describe('migrating containers', () => {
  let sandbox: InProcessSandbox
  const guest = (vmid: number): Guest => {
    const found = sandbox.cluster.guest(vmid)
    if (!found) throw new Error(`no guest ${String(vmid)}`)
    return found
  }
  const migrate = (vmid: number, form: Record<string, string | number> = {}): Promise<string> =>
    sandbox.outcome(sandbox.post(`/nodes/pve/lxc/${String(vmid)}/migrate`, {target: 'pve2', ...form}))

  beforeEach(() => {
    sandbox = new InProcessSandbox()
    const {state} = sandbox.cluster
    const first = state.nodes[0]
    if (!first) throw new Error('no node')
    state.clusterName = 'lab'
    state.nodes.push({...first, name: 'pve2', ip: '192.0.2.11'}, {...first, name: 'pve3', online: false})
    const nfs = {storage: 'nas', type: 'nfs', config: {content: 'rootdir,images'}, shared: true}
    state.storages.push({...nfs, totalBytes: 2 ** 40, usedBytes: 0, volumes: []})
  })

  it('copies local volumes under their names and frees the originals', async () => {
    const volid = 'btr:102/vm-102-disk-0.raw'
    expect(await migrate(102)).to.equal('OK')
    expect(guest(102).node).to.equal('pve2')
    expect(guest(102).config)
      .to.include({rootfs: `${volid},size=256M`})
      .and.not.have.property('lock')
    expect(findVolume(sandbox.cluster, volid, 'pve')).to.equal(undefined)
    expect(findVolume(sandbox.cluster, volid, 'pve2')?.node).to.equal('pve2')
    expect((await sandbox.get('/nodes/pve/lxc/102/config')).status).to.equal(500)
    expect((await sandbox.get('/nodes/pve2/lxc/102/config')).status).to.equal(200)
  })

  it('gives a volume another number where its name is taken', async () => {
    allocateVolume(sandbox.cluster, {
      storage: 'btr',
      node: 'pve2',
      vmid: 102,
      sizeBytes: 1024,
      content: 'rootdir',
    })
    expect(await migrate(102)).to.equal('OK')
    expect(guest(102).config['rootfs']).to.equal('btr:102/vm-102-disk-1.raw,size=256M')
  })

  it('takes volumes to another storage when told to', async () => {
    expect(await migrate(102, {'target-storage': 'btr:local'})).to.equal('OK')
    expect(guest(102).config['rootfs']).to.equal('local:102/vm-102-disk-0.raw,size=256M')
  })

  it('leaves volumes on shared storage where they are', async () => {
    await sandbox.outcome(
      sandbox.post('/nodes/pve/lxc/103/move_volume', {volume: 'rootfs', storage: 'nas', delete: 1}),
    )
    const before = sandbox.clock.now()
    expect(await migrate(103)).to.equal('OK')
    expect(sandbox.clock.now() - before).to.be.lessThan(400)
    expect(findVolume(sandbox.cluster, 'nas:103/vm-103-disk-0.raw')?.node).to.equal(undefined)
  })

  it('restarts a running container on the other node', async () => {
    expect(await migrate(101)).to.equal("500 can't migrate running container without --online or --restart")
    expect(await migrate(101, {restart: 1})).to.equal('OK')
    expect(guest(101).node).to.equal('pve2')
    expect(guest(101).runtime.status).to.equal('running')
  })

  it('leaves a container where it is that does not shut down', async () => {
    guest(101).knobs.hang = true
    expect(await migrate(101, {restart: 1, timeout: 2})).to.equal('migration aborted')
    expect(guest(101)).to.include({node: 'pve'})
    expect(guest(101).runtime.status).to.equal('running')
  })

  it('says so when the container does not come up over there', async () => {
    guest(101).knobs.failStart = true
    expect(await migrate(101, {restart: 1})).to.equal('migration problems')
    expect(guest(101)).to.include({node: 'pve2'})
    expect(guest(101).runtime.status).to.equal('stopped')
  })

  const obstacles: [string, (ct: Guest) => void, Record<string, string | number>][] = [
    ['a lock', (ct) => (ct.config['lock'] = 'backup'), {}],
    ['a bind mount', (ct) => (ct.config['mp0'] = '/mnt/host,mp=/x'), {}],
    ['a node that is down', () => undefined, {target: 'pve3'}],
    [
      'a snapshot on a storage that cannot send it',
      (ct) => (ct.snapshots['s1'] = {config: {rootfs: ct.config['rootfs'] ?? ''}, snaptime: 1}),
      {},
    ],
  ]
  for (const [what, prepare, form] of obstacles) {
    it(`is aborted by ${what}`, async () => {
      prepare(guest(103))
      const lock = guest(103).config['lock']
      expect(await migrate(103, form)).to.equal('migration aborted')
      expect(guest(103)).to.include({node: 'pve'})
      expect(guest(103).config['lock']).to.equal(lock)
    })
  }

  it('is aborted where the other node lacks the storage', async () => {
    for (const storage of sandbox.cluster.state.storages)
      if (storage.storage === 'btr') storage.nodes = ['pve']
    expect(await migrate(102)).to.equal('migration aborted')
    expect(await migrate(102, {'target-storage': 'local'})).to.equal('OK')
  })

  it('lists the other nodes beforehand', async () => {
    const {data} = await sandbox.get('/nodes/pve/lxc/102/migrate')
    expect(data).to.deep.equal({running: 0, 'allowed-nodes': ['pve2', 'pve3'], 'not-allowed-nodes': {}})
  })

  it('is left to the HA manager for a managed container', async () => {
    sandbox.cluster.state.ha.push({sid: 'ct:101', state: 'started'})
    const answer = await sandbox.post('/nodes/pve/lxc/101/migrate', {target: 'pve2', restart: 1})
    expect(String(answer.data)).to.contain(':hamigrate:101:')
    expect(await sandbox.outcome(answer)).to.equal('OK')
    expect(guest(101).node).to.equal('pve')
    await sandbox.clock.advance(30_000)
    expect(guest(101).node).to.equal('pve2')
  })

  it('never reaches another cluster', async () => {
    const endpoint = 'host=192.0.2.99,apitoken=PVEAPIToken=root@pam!x=secret'
    const form = {'target-endpoint': endpoint, 'target-storage': 'local', 'target-bridge': 'vmbr0'}
    const {status, reason} = await sandbox.post('/nodes/pve/lxc/102/remote_migrate', form)
    expect(`${String(status)} ${reason}`).to.equal(
      "500 Can't connect to 192.0.2.99:8006 (Connection refused)",
    )
  })
})
