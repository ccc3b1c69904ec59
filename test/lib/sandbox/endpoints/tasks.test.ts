import {expect} from 'chai'
import {Api} from '../../../../src/lib/sandbox/api.ts'
import {FULL_TOKEN, InProcessSandbox} from '../../../support/in-process-sandbox.ts'

type Row = Record<string, unknown>

const RO_TOKEN = 'ro@pve!audit=22222222-3333-4444-5555-666666666666'
const OPS_TOKEN = 'ops@pve!partial=33333333-4444-5555-6666-777777777777'

describe('task endpoints', () => {
  let sandbox: InProcessSandbox
  const rows = async (path: string, token?: string): Promise<Row[]> =>
    (await sandbox.get(path, token)).data as Row[]

  beforeEach(() => {
    sandbox = new InProcessSandbox()
  })

  it('lists the last ended first and takes start and limit', async () => {
    const all = await rows('/nodes/pve/tasks')
    expect(all).to.have.length(12)
    const page = await rows('/nodes/pve/tasks?start=2&limit=3')
    expect(page.map((r) => r['upid'])).to.deep.equal(all.slice(2, 5).map((r) => r['upid']))
  })

  it('filters by time, by class of status and by user', async () => {
    const all = await rows('/nodes/pve/tasks')
    const newest = Math.max(...all.map((r) => Number(r['starttime'])))
    expect(await rows(`/nodes/pve/tasks?since=${String(newest)}`)).to.have.length(1)
    expect(await rows('/nodes/pve/tasks?statusfilter=error,warning')).to.have.length(0)
    expect(await rows('/nodes/pve/tasks?userfilter=ROOT')).to.have.length(12)
    expect(await rows('/nodes/pve/tasks?userfilter=felhom')).to.have.length(0)
  })

  it('shows a running task only when asked, and with the full token name', async () => {
    const {data: upid} = await sandbox.post('/nodes/pve/lxc/102/status/start', {})
    expect(await rows('/nodes/pve/tasks?vmid=102')).to.have.length(1)
    const [active] = await rows('/nodes/pve/tasks?vmid=102&source=active')
    expect(active).to.include({upid, user: 'root@pam!felhom', status: 'RUNNING', saved: '0'})
    const all = await rows('/nodes/pve/tasks?vmid=102&source=all')
    expect(all.map((r) => r['status'])).to.deep.equal(['RUNNING', 'OK'])
  })

  it('hides other people’s tasks from who may not audit the node', async () => {
    expect(await rows('/nodes/pve/tasks', RO_TOKEN)).to.have.length(12)
    expect(await rows('/nodes/pve/tasks', OPS_TOKEN)).to.have.length(0)
    const {data: upid} = await sandbox.post('/nodes/pve/lxc/102/status/start', {})
    const answer = await sandbox.get(`/nodes/pve/tasks/${String(upid)}/status`, OPS_TOKEN)
    expect(answer).to.include({status: 403, reason: 'Permission check failed (/nodes/pve, Sys.Audit)'})
  })

  it('pages a log and tells its length', async () => {
    const {data} = await sandbox.post('/nodes/pve/vzdump', {vmid: 102, storage: 'local'})
    const upid = String(data)
    await sandbox.outcome({status: 200, reason: 'OK', data})
    const all = await rows(`/nodes/pve/tasks/${upid}/log`)
    expect(all.length).to.be.above(3)
    const part = await rows(`/nodes/pve/tasks/${upid}/log?start=1&limit=1`)
    expect(part).to.deep.equal([all[1]])
    expect((await rows(`/nodes/pve/tasks/${upid}/log?limit=0`)).at(-1)).to.deep.equal({
      n: all.length,
      t: 'TASK OK',
    })
  })

  it('knows no task whose log was lost', async () => {
    const [{upid} = {}] = await rows('/nodes/pve/tasks')
    const task = sandbox.cluster.tasks.find(String(upid))
    if (task) task.lost = true
    const answer = await sandbox.get(`/nodes/pve/tasks/${String(upid)}/status`)
    expect(answer).to.deep.include({status: 400, errors: {upid: 'no such task'}})
    const [line] = await rows(`/nodes/pve/tasks/${String(upid)}/log`)
    expect(line).to.deep.equal({n: 1, t: 'unable to open file - No such file or directory'})
  })

  it('announces at most 25 tasks of a node to the cluster', async () => {
    for (let i = 0; i < 40; i++) sandbox.cluster.tasks.start('pve', 'test', '', 'root@pam', () => undefined)
    await sandbox.clock.advance(1)
    expect(await rows('/cluster/tasks')).to.have.length(25)
  })

  it('refuses to download a part of a log, or a log that is gone', async () => {
    const {data: upid} = await sandbox.post('/nodes/pve/lxc/102/status/start', {})
    const path = `/nodes/pve/tasks/${String(upid)}/log?download=1`
    expect((await sandbox.get(`${path}&limit=5`)).reason).to.equal(
      "'download' cannot be used together with 'start' or 'limit' parameters",
    )
    const gone = 'UPID:pve:00000001:00000002:6000000A:vzstart:102:root@pam!felhom:'
    expect((await sandbox.get(`/nodes/pve/tasks/${gone}/log?download=1`)).reason).to.equal(
      `Could not open file '/var/log/pve/tasks/A/${gone}' - No such file or directory`,
    )
  })

  it('sends a whole log as a file', async () => {
    const answer = await sandbox.post('/nodes/pve/lxc/102/status/start', {})
    await sandbox.outcome(answer)
    const api = new Api(sandbox.cluster)
    const url = `/api2/json/nodes/pve/tasks/${String(answer.data)}/log?download=1`
    const headers = {authorization: `PVEAPIToken=${FULL_TOKEN}`}
    const file = await sandbox.clock.run(api.handle({method: 'GET', url, headers}))
    expect(file).to.include({status: 200, contentType: 'text/plain', text: 'TASK OK\n'})
    expect(file.headers?.['Content-Disposition']).to.match(
      /^attachment; filename="task-pve-vzstart-\S+Z\.log"$/,
    )
  })
})
