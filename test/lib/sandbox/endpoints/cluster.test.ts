import {expect} from 'chai'
import {InProcessSandbox} from '../../../support/in-process-sandbox.ts'
import {homelabSeed, LEAST_TOKEN} from '../../../support/homelab-seed.ts'

type Row = Record<string, unknown>

const OPS_TOKEN = 'ops@pve!partial=33333333-4444-5555-6666-777777777777'

describe('cluster endpoints', () => {
  let sandbox: InProcessSandbox
  const rows = async (path: string, token?: string): Promise<Row[]> =>
    (await sandbox.get(path, token)).data as Row[]
  const guest = async (vmid: number): Promise<Row | undefined> =>
    (await rows('/cluster/resources?type=vm')).find((r) => r['vmid'] === vmid)

  beforeEach(() => {
    sandbox = new InProcessSandbox(homelabSeed)
  })

  describe('resources', () => {
    it('show a new state only when the next statistics were gathered', async () => {
      await sandbox.clock.advance(11_000)
      expect(await sandbox.outcome(sandbox.post('/nodes/pve2/lxc/102/status/stop', {}))).to.equal('OK')
      expect((await guest(102))?.['status']).to.equal('running')
      await sandbox.clock.advance(10_000)
      expect((await guest(102))?.['status']).to.equal('stopped')
    })

    it('show a lock and tags at once', async () => {
      expect((await sandbox.put('/nodes/pve2/lxc/102/config', {tags: 'fresh'})).status).to.equal(200)
      expect((await guest(102))?.['tags']).to.equal('fresh')
      expect((await guest(140))?.['lock']).to.equal('backup')
    })

    it('know a new guest by its place alone', async () => {
      await guest(101)
      await sandbox.outcome(sandbox.post('/nodes/pve1/lxc/190/clone', {newid: 500}))
      expect(await guest(500)).to.deep.equal({
        id: 'lxc/500',
        vmid: 500,
        node: 'pve1',
        type: 'lxc',
        status: 'unknown',
      })
    })

    it('keep what a dead node said last for some minutes', async () => {
      expect((await guest(130))?.['status']).to.equal('running')
      const node = sandbox.cluster.node('pve3')
      if (node) node.online = false
      await sandbox.clock.advance(60_000)
      expect((await guest(130))?.['status']).to.equal('running')
      await sandbox.clock.advance(300_000)
      expect((await guest(130))?.['status']).to.equal('unknown')
      const [row] = (await rows('/cluster/resources?type=node')).filter((r) => r['node'] === 'pve3')
      expect(row).to.include({status: 'offline'}).and.not.to.have.property('uptime')
    })

    it('list a storage once for each node that has it', async () => {
      const ids = (await rows('/cluster/resources?type=storage')).map((r) => r['id'])
      expect(ids.filter((id) => String(id).endsWith('/tank'))).to.deep.equal(['storage/pve3/tank'])
      expect(ids.filter((id) => String(id).endsWith('/nas'))).to.have.length(3)
    })

    it('leave out silently what the caller may not audit', async () => {
      sandbox = new InProcessSandbox()
      const seen = await rows('/cluster/resources', OPS_TOKEN)
      expect(seen.map((r) => r['id'])).to.deep.equal(['lxc/101', 'node/pve'])
    })
  })

  it('tell quorum and members, and of a standalone node only itself', async () => {
    sandbox.cluster.state.quorate = false
    const [cluster, ...nodes] = await rows('/cluster/status')
    expect(cluster).to.include({type: 'cluster', name: 'homelab', nodes: 3, quorate: 0})
    expect(nodes.map((n) => [n['name'], n['nodeid'], n['local']])).to.deep.equal([
      ['pve1', 1, 1],
      ['pve2', 2, 0],
      ['pve3', 3, 0],
    ])
    sandbox = new InProcessSandbox()
    expect(await rows('/cluster/status')).to.deep.equal([
      {
        type: 'node',
        id: 'node/pve',
        name: 'pve',
        nodeid: 0,
        ip: '192.0.2.10',
        local: 1,
        online: 1,
        level: '',
      },
    ])
  })

  it('find the next free vmid above the lower bound', async () => {
    await sandbox.put('/cluster/options', {'next-id': 'lower=200,upper=300'})
    expect((await sandbox.get('/cluster/nextid')).data).to.equal('201')
  })

  it('keep the datacenter’s options from who may not audit, but not the tags', async () => {
    const state = sandbox.cluster.state
    state.access.acl = []
    const options = (await sandbox.get('/cluster/options', LEAST_TOKEN)).data
    expect(options).to.deep.equal({'allowed-tags': []})
    expect((await sandbox.get('/cluster/options')).data)
      .to.include({mac_prefix: 'BC:24:11'})
      .and.to.have.property('allowed-tags')
      .that.includes('dns')
  })

  it('take the datacenter’s options apart, and fall back to the defaults', async () => {
    const form = {
      'tag-style': 'ordering=config',
      'registered-tags': 'b;a',
      description: 'Mine',
      max_workers: 4,
    }
    await sandbox.put('/cluster/options', {...form, migration: 'insecure'})
    expect((await sandbox.get('/cluster/options')).data).to.deep.include({
      ...{'tag-style': {ordering: 'config'}, 'registered-tags': ['b', 'a'], description: 'Mine\n'},
      ...{max_workers: '4', migration: {type: 'insecure'}},
    })
    await sandbox.put('/cluster/options', {delete: 'description,migration', mac_prefix: 'AA:BB:CC'})
    const options = (await sandbox.get('/cluster/options')).data
    expect(options).to.deep.include({description: '', mac_prefix: 'AA:BB:CC'})
    expect(options).not.to.have.property('migration')
  })

  it('know nothing of nodes and storages before the recorded node has first told of them', async () => {
    const recorded = new InProcessSandbox()
    const rows = async (type: string): Promise<unknown> =>
      (await recorded.get(`/cluster/resources?type=${type}`)).data
    expect(await rows('node')).to.deep.equal([{id: 'node/pve', node: 'pve', type: 'node', status: 'unknown'}])
    expect(await rows('storage')).to.satisfy((all: {status: string}[]) =>
      all.every((row) => row.status === 'unknown'),
    )
    await recorded.clock.advance(12_000)
    expect(((await rows('node')) as unknown[])[0]).to.include({status: 'online', level: '', maxcpu: 2})
  })
})
