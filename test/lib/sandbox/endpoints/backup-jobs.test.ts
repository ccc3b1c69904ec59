import {expect} from 'chai'
import {InProcessSandbox} from '../../../support/in-process-sandbox.ts'

type Row = Record<string, unknown>

describe('backup jobs', () => {
  let sandbox: InProcessSandbox
  const create = (form: Record<string, string | number>): ReturnType<InProcessSandbox['post']> =>
    sandbox.post('/cluster/backup', {id: 'nightly', schedule: '21:00', ...form})
  const job = async (): Promise<Row> => (await sandbox.get('/cluster/backup/nightly')).data as Row

  beforeEach(() => {
    sandbox = new InProcessSandbox()
  })

  it('read back with numbers, and property strings taken apart', async () => {
    await create({all: 1, storage: 'local', 'prune-backups': 'keep-last=3', mode: 'stop'})
    expect(await job()).to.deep.equal({
      id: 'nightly',
      type: 'vzdump',
      schedule: '21:00',
      all: 1,
      enabled: 1,
      storage: 'local',
      mode: 'stop',
      'prune-backups': {'keep-last': '3'},
    })
    const [row] = (await sandbox.get('/cluster/backup')).data as Row[]
    expect(row?.['next-run']).to.be.above(sandbox.cluster.nowSeconds())
  })

  it('turn the old start time into a schedule', async () => {
    await sandbox.post('/cluster/backup', {id: 'nightly', starttime: '2:30', dow: 'mon,sat', vmid: 102})
    expect(await job()).to.include({schedule: 'mon,sat 2:30', vmid: '102'})
    const both = await create({starttime: '2:30', vmid: 102})
    expect(both.errors).to.deep.equal({starttime: "'starttime' and 'schedule' cannot both be set"})
  })

  it('lose the code of a refusal under the lock', async () => {
    expect(await create({})).to.deep.include({status: 500, reason: '400 Parameter verification failed.'})
    await create({vmid: 102})
    expect((await create({vmid: 102})).reason).to.equal("Job 'nightly' already exists")
    expect((await sandbox.delete('/cluster/backup/other')).status).to.equal(500)
    expect((await sandbox.get('/cluster/backup/other')).errors).to.deep.equal({id: "No such job 'other'"})
  })

  it('replace one selection by another, and forget options on demand', async () => {
    await create({vmid: '101,102', comment: 'old'})
    await sandbox.put('/cluster/backup/nightly', {pool: 'homelab', delete: 'comment'})
    expect(await job())
      .to.include({pool: 'homelab'})
      .and.not.have.any.keys('vmid', 'comment')
    await sandbox.put('/cluster/backup/nightly', {vmid: 103})
    expect(await job())
      .to.include({vmid: '103'})
      .and.not.have.any.keys('pool', 'all')
    expect((await sandbox.put('/cluster/backup/nightly', {})).reason).to.equal('no options specified')
    expect((await sandbox.put('/cluster/backup/x1', {vmid: 103})).reason).to.equal('no such vzdump job')
  })

  it('tell which guests and volumes they cover, and which are in none', async () => {
    await create({vmid: '101,999'})
    await sandbox.put('/nodes/pve/lxc/101/config', {mp0: 'local:101/vm-101-disk-1.raw,mp=/data'})
    const {children} = (await sandbox.get('/cluster/backup/nightly/included_volumes')).data as {
      children: Row[]
    }
    expect(children[0]).to.deep.include({id: 101, type: 'lxc', name: 'media', leaf: 0})
    expect(
      (children[0]?.['children'] as Row[]).map((v) => [v['id'], v['included'], v['reason']]),
    ).to.deep.equal([
      ['101:mp0', 1, 'enabled'],
      ['101:rootfs', 1, 'rootfs'],
    ])
    expect(children[1]).to.deep.equal({id: 999, type: 'unknown', leaf: 1})
    const uncovered = (await sandbox.get('/cluster/backup-info/not-backed-up')).data as Row[]
    expect(uncovered.map((g) => g['vmid'])).to.deep.equal([100, 102, 103, 200, 201])
  })

  it('let a purged guest go', async () => {
    await create({vmid: '102,103'})
    await sandbox.outcome(sandbox.delete('/nodes/pve/lxc/102?purge=1'))
    expect(await job()).to.include({vmid: '103'})
    await sandbox.outcome(sandbox.delete('/nodes/pve/lxc/103?purge=1'))
    expect((await sandbox.get('/cluster/backup')).data).to.deep.equal([])
  })
})

describe('pruning of backups', () => {
  let sandbox: InProcessSandbox
  const path = '/nodes/pve/storage/local/prunebackups'
  const marks = async (query: string): Promise<unknown[]> =>
    ((await sandbox.get(`${path}?${query}`)).data as Row[]).map((r) => r['mark'])

  beforeEach(async () => {
    sandbox = new InProcessSandbox()
    for (const extra of [{}, {protected: 1}, {}]) {
      await sandbox.outcome(sandbox.post('/nodes/pve/vzdump', {vmid: 102, storage: 'local', ...extra}))
    }
  })

  it('is previewed without harm', async () => {
    expect(await marks('prune-backups=keep-last%3D1')).to.deep.equal(['remove', 'protected', 'keep'])
    expect(await marks('')).to.deep.equal(['keep', 'protected', 'keep'])
    expect(await marks('prune-backups=keep-last%3D1&type=qemu')).to.deep.equal([])
    expect((await sandbox.get('/nodes/pve/storage/btr/prunebackups')).reason).to.equal(
      "storage 'btr' does not support backups",
    )
  })

  it('removes in a task what a retention does not keep', async () => {
    const answer = sandbox.delete(`${path}?prune-backups=keep-last%3D1&vmid=102`)
    expect(await sandbox.outcome(answer)).to.equal('OK')
    expect(String((await answer).data)).to.contain(':prunebackups:102@local:')
    expect(await marks('')).to.deep.equal(['protected', 'keep'])
  })

  it('does not make room for a backup that may not prune', async () => {
    const form = {vmid: 102, storage: 'local', 'prune-backups': 'keep-last=2', remove: 0}
    expect(await sandbox.outcome(sandbox.post('/nodes/pve/vzdump', form))).to.equal('job errors')
  })
})
