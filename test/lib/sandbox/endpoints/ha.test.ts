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
})
