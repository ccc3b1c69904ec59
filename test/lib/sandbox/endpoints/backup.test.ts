import {expect} from 'chai'
import {InProcessSandbox} from '../../../support/in-process-sandbox.ts'
import {homelabSeed, LEAST_TOKEN} from '../../../support/homelab-seed.ts'

type Row = Record<string, unknown>

describe('backup endpoints', () => {
  let sandbox: InProcessSandbox
  const dump = (form: Record<string, string | number>, node = 'pve1'): Promise<string> =>
    sandbox.outcome(sandbox.post(`/nodes/${node}/vzdump`, {storage: 'nas', compress: 'zstd', ...form}))
  const backups = async (vmid: number): Promise<Row[]> =>
    (await sandbox.get(`/nodes/pve1/storage/nas/content?content=backup&vmid=${String(vmid)}`)).data as Row[]

  beforeEach(() => {
    sandbox = new InProcessSandbox(homelabSeed)
  })

  it('lock the guest while it is read', async () => {
    const answer = await sandbox.post('/nodes/pve1/vzdump', {vmid: 110, storage: 'nas'})
    await sandbox.clock.advance(100)
    expect(sandbox.cluster.guest(110)?.config['lock']).to.equal('backup')
    const put = await sandbox.put('/nodes/pve1/lxc/110/config', {cores: 1})
    expect(put.reason).to.equal('CT is locked (backup)')
    expect(await sandbox.outcome(answer)).to.equal('OK')
    expect(sandbox.cluster.guest(110)?.config).not.to.have.property('lock')
  })

  it('stop a running guest in stop mode and start it again', async () => {
    const states: unknown[] = []
    const answer = await sandbox.post('/nodes/pve2/vzdump', {vmid: 102, storage: 'nas', mode: 'stop'})
    for (let i = 0; i < 40; i++) {
      await sandbox.clock.advance(100)
      states.push(sandbox.cluster.guest(102)?.runtime.status)
    }
    expect(await sandbox.outcome(answer)).to.equal('OK')
    expect(states).to.include('stopped')
    expect(sandbox.cluster.guest(102)?.runtime.status).to.equal('running')
  })

  it('run one after the other on a node', async () => {
    const first = await sandbox.post('/nodes/pve1/vzdump', {vmid: 101, storage: 'nas'})
    const second = await sandbox.post('/nodes/pve1/vzdump', {vmid: 110, storage: 'nas'})
    await sandbox.clock.advance(500)
    expect(sandbox.cluster.guest(101)?.config['lock']).to.equal('backup')
    expect(sandbox.cluster.guest(110)?.config).not.to.have.property('lock')
    expect(await sandbox.outcome(first)).to.equal('OK')
    expect(await sandbox.outcome(second)).to.equal('OK')
  })

  it('refuse stop mode for a service that HA keeps running', async () => {
    expect(await dump({vmid: 110, mode: 'stop'})).to.equal('job errors')
  })

  it('go on with the other guests when one fails', async () => {
    const {config} = sandbox.cluster.requireGuest('lxc', 'pve1', 110)
    config['lock'] = 'migrate'
    expect(await dump({vmid: '101,110'})).to.equal('job errors')
    expect(await backups(101)).to.have.length(2)
    expect(await backups(110)).to.have.length(0)
  })

  it('keep as many backups as the storage says, protected ones apart', async () => {
    for (let i = 0; i < 4; i++) expect(await dump({vmid: 101})).to.equal('OK')
    expect(await backups(101)).to.have.length(3)
    expect(await dump({vmid: 101, protected: 1})).to.equal('OK')
    expect((await backups(101)).filter((b) => b['protected'] === 1)).to.have.length(1)
  })

  it('fill in the notes and refuse what they do not know', async () => {
    expect(
      await dump({vmid: 101, 'notes-template': '{{guestname}} on {{node}} of {{cluster}}\\n{{vmid}}'}),
    ).to.equal('OK')
    const listed = (await backups(101)).find((b) => b['notes'] === 'dns1 on pve1 of homelab')
    const path = `/nodes/pve1/storage/nas/content/${encodeURIComponent(String(listed?.['volid']))}`
    expect((await sandbox.get(path)).data).to.include({notes: 'dns1 on pve1 of homelab\n101'})
    const answer = await sandbox.post('/nodes/pve1/vzdump', {
      vmid: 101,
      storage: 'nas',
      'notes-template': '{{nope}}',
    })
    expect(answer.errors).to.deep.equal({'notes-template': "found unknown: variable 'nope' at char 4\n"})
  })

  it('do nothing for guests of other nodes', async () => {
    const answer = await sandbox.post('/nodes/pve1/vzdump', {vmid: 102, storage: 'nas'})
    expect(answer.data).to.equal('OK')
  })

  it('fail in the task without VM.Backup and at once without the storage', async () => {
    const noRight = await sandbox.post('/nodes/pve1/vzdump', {vmid: 101, storage: 'nas'}, LEAST_TOKEN)
    expect(await sandbox.outcome(noRight)).to.equal('403 Permission check failed (/vms/101, VM.Backup)')
    sandbox.cluster.state.access.acl = []
    const noStorage = await sandbox.post('/nodes/pve1/vzdump', {vmid: 101, storage: 'nas'}, LEAST_TOKEN)
    expect(noStorage.reason).to.equal('Permission check failed (/storage/nas, Datastore.AllocateSpace)')
  })

  it('bring a guest back from an archive', async () => {
    const [archive] = await backups(200)
    const restored = sandbox.post('/nodes/pve1/qemu', {
      vmid: 400,
      archive: String(archive?.['volid']),
      storage: 'local-lvm',
    })
    expect(await sandbox.outcome(restored)).to.equal('OK')
    expect(sandbox.cluster.guest(400)?.config).to.include({name: 'home', memory: '4096'})
    expect(sandbox.cluster.guest(400)?.config['scsi0']).to.match(/^local-lvm:vm-400-disk-0,.*size=32G/)
  })

  it('tell what they do by default, to who may see it', async () => {
    const path = '/nodes/pve1/vzdump/defaults?storage=nas'
    const defaults = (await sandbox.get(path)).data
    expect(defaults).to.deep.include({storage: 'nas', mode: 'snapshot', remove: 1, fleecing: {enabled: 0}})
    const {access} = sandbox.cluster.state
    access.acl = access.acl.map((a) => ({...a, path: '/storage'}))
    expect((await sandbox.get(path, LEAST_TOKEN)).data).not.to.have.any.keys('ionice', 'dumpdir')
    expect((await sandbox.get('/nodes/pve1/vzdump/defaults?storage=local-lvm')).reason).to.equal(
      "can't use storage 'local-lvm' for backups - wrong content type",
    )
  })
})
