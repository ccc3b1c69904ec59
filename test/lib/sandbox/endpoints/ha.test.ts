import {expect} from 'chai'
import {InProcessSandbox} from '../../../support/in-process-sandbox.ts'
import {homelabSeed} from '../../../support/homelab-seed.ts'

type Row = Record<string, unknown>

describe('HA endpoints', () => {
  let sandbox: InProcessSandbox
  const statusOf = (vmid: number): string | undefined => sandbox.cluster.guest(vmid)?.runtime.status

  beforeEach(() => {
    sandbox = new InProcessSandbox(homelabSeed)
  })

  it('turn a stop of a managed guest into a request that ends before the guest does', async () => {
    const answer = await sandbox.post('/nodes/pve1/lxc/110/status/stop', {})
    expect(answer.data).to.match(/:hastop:110:/)
    expect(await sandbox.outcome(answer)).to.equal('OK')
    expect(statusOf(110)).to.equal('running')
    await sandbox.clock.advance(20_000)
    expect(statusOf(110)).to.equal('stopped')
  })

  it('start a guest that is to be started, and stop it when that changes', async () => {
    expect((await sandbox.post('/cluster/ha/resources', {sid: 'ct:150'})).status).to.equal(200)
    expect(statusOf(150)).to.equal('stopped')
    await sandbox.clock.advance(20_000)
    expect(statusOf(150)).to.equal('running')
    expect((await sandbox.put('/cluster/ha/resources/ct:150', {state: 'disabled'})).status).to.equal(200)
    await sandbox.clock.advance(20_000)
    expect(statusOf(150)).to.equal('stopped')
  })

  it('refuse what is not there, there already, or of another kind', async () => {
    const add = async (sid: string): Promise<string> =>
      (await sandbox.post('/cluster/ha/resources', {sid})).reason
    expect(await add('ct:999')).to.equal("resource 'ct:999' does not exist in cluster")
    expect(await add('ct:200')).to.equal("resource 'ct:200' - guest with ID 200 is not a container")
    expect(await add('110')).to.equal("create resource failed: resource ID 'ct:110' already defined")
    const removed = await sandbox.delete('/cluster/ha/resources/vm:200')
    expect(removed.reason).to.equal("cannot delete service 'vm:200', not HA managed!")
  })

  it('tell the state of every service', async () => {
    const rows = (await sandbox.get('/cluster/ha/status/current')).data as Row[]
    expect(rows.map((r) => r['id'])).to.deep.equal([
      'quorum',
      'master',
      'fencing',
      'lrm:pve1',
      'lrm:pve2',
      'lrm:pve3',
      'service:ct:110',
    ])
    expect(rows.at(-1)).to.include({node: 'pve1', state: 'started', request_state: 'started'})
  })

  it('let go of a guest that is removed', async () => {
    expect((await sandbox.delete('/cluster/ha/resources/ct:110')).status).to.equal(200)
    const answer = await sandbox.post('/nodes/pve1/lxc/110/status/stop', {})
    expect(answer.data).to.match(/:vzstop:110:/)
  })

  it('know nothing of groups any more', async () => {
    expect((await sandbox.get('/cluster/ha/groups')).reason).to.equal(
      'cannot index groups: ha groups have been migrated to rules',
    )
    const added = await sandbox.post('/cluster/ha/resources', {sid: 'ct:150', group: 'g1'})
    expect(added.reason).to.equal("invalid parameter 'group': ha groups have been migrated to rules")
  })

  it('show of a resource only what was said, and forget it on demand', async () => {
    const resource = async (): Promise<unknown> => (await sandbox.get('/cluster/ha/resources/ct:150')).data
    await sandbox.post('/cluster/ha/resources', {sid: '150', failback: 0})
    expect(await resource())
      .to.include({sid: 'ct:150', type: 'ct', failback: 0})
      .and.not.have.property('state')
    await sandbox.put('/cluster/ha/resources/ct:150', {state: 'enabled', comment: 'x', delete: 'failback'})
    expect(await resource())
      .to.include({state: 'started', comment: 'x'})
      .and.not.have.property('failback')
    const wrong = await sandbox.put('/cluster/ha/resources/ct:150', {delete: 'bogus'})
    expect(wrong.reason).to.equal("update resources config failed: no such option 'bogus'")
  })

  it('name what is no guest, and what is not managed', async () => {
    expect((await sandbox.get('/cluster/ha/resources/998')).reason).to.equal(
      'unable to detect SID from VMID - VM/CT 998 does not exist',
    )
    expect((await sandbox.put('/cluster/ha/resources/ct:150', {state: 'stopped'})).reason).to.equal(
      "update resources config failed: no such resource 'ct:150'",
    )
    const moved = await sandbox.post('/cluster/ha/resources/ct:150/migrate', {node: 'pve2'})
    expect(moved.reason).to.equal("resource 'ct:150' is not HA managed")
  })

  it('move a service to another node some seconds later', async () => {
    const {data} = await sandbox.post('/cluster/ha/resources/ct:110/relocate', {node: 'pve2'})
    expect(data).to.deep.equal({sid: 'ct:110', 'requested-node': 'pve2'})
    expect(sandbox.cluster.guest(110)?.node).to.equal('pve1')
    await sandbox.clock.advance(20_000)
    expect(sandbox.cluster.guest(110)?.node).to.equal('pve2')
  })

  it('count an ignored service as not managed', async () => {
    await sandbox.put('/cluster/ha/resources/ct:110', {state: 'ignored'})
    const {data} = await sandbox.get('/nodes/pve1/lxc/110/status/current')
    expect(data).to.deep.include({ha: {managed: 0}})
  })

  describe('of rules', () => {
    const add = async (form: Record<string, string | number>): Promise<string> =>
      (await sandbox.post('/cluster/ha/rules', {rule: 'here', type: 'node-affinity', ...form})).reason

    it('keep services on nodes, with sorted names and the order of making', async () => {
      expect(await add({resources: 'ct:110', nodes: 'pve2,pve1:2', strict: 1})).to.equal('OK')
      const [row] = (await sandbox.get('/cluster/ha/rules')).data as Row[]
      expect(row).to.include({rule: 'here', type: 'node-affinity', nodes: 'pve1:2,pve2', strict: 1, order: 1})
      await sandbox.put('/cluster/ha/rules/here', {type: 'node-affinity', delete: 'strict', comment: 'c'})
      expect((await sandbox.get('/cluster/ha/rules/here')).data)
        .to.include({comment: 'c'})
        .and.not.have.property('strict')
    })

    it('refuse unknown nodes, unmanaged services and what makes no sense', async () => {
      const failed = 'create ha rule failed: '
      expect(await add({resources: 'ct:150', nodes: 'pve1'})).to.equal(
        `${failed}cannot use unmanaged resource(s) ct:150.`,
      )
      expect(await add({resources: 'ct:110', nodes: 'pve9'})).to.equal(
        `${failed}cannot use non-existent node(s) pve9.`,
      )
      expect(await add({resources: 'ct:110'})).to.equal("missing value for required option 'nodes'")
      expect(await add({type: 'resource-affinity', resources: 'ct:110', affinity: 'positive'})).to.equal(
        `${failed}400 Rule 'here' is invalid.`,
      )
      expect((await sandbox.get('/cluster/ha/rules/here')).reason).to.equal("no such ha rule 'here'")
    })

    it('go with the last service that they name', async () => {
      await add({resources: 'ct:110', nodes: 'pve1'})
      await sandbox.delete('/cluster/ha/resources/ct:110')
      expect((await sandbox.get('/cluster/ha/rules')).data).to.deep.equal([])
    })
  })
})
