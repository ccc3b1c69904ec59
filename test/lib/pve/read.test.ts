import {expect} from 'chai'
import {parseUpid, type Upid} from '../../../src/lib/model/upid.ts'
import {createReader, type Reader} from '../../../src/lib/pve/read.ts'
import {createWriter, type Dispatched} from '../../../src/lib/pve/write.ts'
import {journaledIntent} from '../../support/journaled-intent.ts'
import {rejection} from '../../support/reject.ts'
import {TestSandbox} from '../../support/test-sandbox.ts'
import {waitFor} from '../../support/wait-for.ts'

const STOPPED = {kind: 'lxc', node: 'pve', vmid: 102} as const

const taskOf = (dispatched: Dispatched): Upid => {
  if (dispatched.kind !== 'task') throw new Error('no task was started')
  return dispatched.upid
}

describe('a reader', () => {
  let sandbox: TestSandbox
  let reader: Reader

  before(async () => {
    sandbox = await TestSandbox.start()
  })
  beforeEach(() => {
    reader = createReader(sandbox.connect())
  })
  afterEach(() => sandbox.reset())
  after(() => sandbox.close())

  const start = async (): Promise<Upid> =>
    taskOf(await createWriter(sandbox.connect()).dispatch(journaledIntent(STOPPED, {type: 'start'})))
  const ended = (upid: Upid): Promise<void> =>
    waitFor(async () => (await reader.taskStatus(upid)).state === 'stopped')

  it('has no way to write', () => {
    expect(
      Object.keys(reader).filter((name) => /^(start|stop|shutdown|reboot|set|mutate)/.test(name)),
    ).to.deep.equal([])
  })

  it('reads one guest, state and config', async () => {
    const guest = await reader.readGuest({kind: 'qemu', node: 'pve', vmid: 200})
    expect(guest).to.deep.include({kind: 'qemu', vmid: 200, node: 'pve', name: 'vm-web', run: 'running'})
    expect(guest.ha).to.deep.equal({managed: false})
    expect(guest.config.known && guest.config.current['memory']).to.equal('512')
  })

  it('says that a guest is missing, and cannot tell when it may not look', async () => {
    const missing = {kind: 'lxc', node: 'pve', vmid: 999} as const
    expect((await rejection(reader.readGuest(missing))).code).to.equal('guest_missing')
    expect((await rejection(createReader(sandbox.connect('nobody')).readConfig(missing))).code).to.equal(
      'forbidden',
    )
  })

  it('follows a task from running to its verdict', async () => {
    await sandbox.control({startDelaySeconds: 60})
    const upid = await start()
    expect(await reader.taskStatus(upid)).to.deep.equal({state: 'running'})
    const running = await reader.listTasks('pve', {vmid: 102})
    expect(running.map((task) => [task.upid.text, task.status.state])).to.deep.include([upid.text, 'running'])
    await ended(upid)
    expect(await reader.taskStatus(upid)).to.deep.equal({state: 'stopped', exit: 'OK', verdict: 'ok'})
    const log = await reader.taskLog(upid)
    expect(log.lines.at(-1)?.text).to.equal('TASK OK')
    expect(log.total).to.equal(log.lines.length)
  })

  it('lists its own tasks with the whole token, running or ended', async () => {
    const upid = await start()
    await ended(upid)
    const [task] = await reader.listTasks('pve', {vmid: 102, limit: 1})
    expect(task?.upid).to.deep.equal(upid)
    expect(task?.upid.user).to.equal('root@pam!felhom')
    expect(task?.status).to.deep.equal({state: 'stopped', exit: 'OK', verdict: 'ok'})
  })

  it('tells a task that ended in warnings from one that failed', async () => {
    await sandbox.control({warnStart: 102, on: true})
    const warned = await start()
    await ended(warned)
    expect(await reader.taskStatus(warned)).to.deep.include({exit: 'WARNINGS: 1', verdict: 'warnings'})
    await sandbox.control({failStart: 103, on: true})
    const failed = taskOf(
      await createWriter(sandbox.connect()).dispatch(
        journaledIntent({...STOPPED, vmid: 103}, {type: 'start'}),
      ),
    )
    await ended(failed)
    expect(await reader.taskStatus(failed)).to.deep.include({state: 'stopped', verdict: 'failed'})
  })

  it('calls a task lost that Proxmox no longer knows', async () => {
    const upid = await start()
    await ended(upid)
    await sandbox.control({loseTask: upid.text})
    expect(await reader.taskStatus(upid)).to.deep.equal({state: 'lost'})
    const never = parseUpid('UPID:pve:00000001:00000002:60000000:vzstart:102:root@pam:')
    expect(await reader.taskStatus(never)).to.deep.equal({state: 'lost'})
  })

  it('knows version, cluster, privileges and the next free number', async () => {
    expect(await reader.version()).to.deep.equal({version: '9.1.10', release: '9.1'})
    expect((await reader.clusterStatus()).nodes).to.deep.equal([{name: 'pve', online: true}])
    expect((await reader.permissions()).get('/vms')?.get('VM.Audit')).to.equal(true)
    expect(await reader.nextId()).to.equal(104)
  })

  it('knows a number that is taken, even by a guest that the token may not see', async () => {
    const blind = createReader(sandbox.connect('nobody'))
    expect(await blind.isVmidFree(101)).to.equal(false)
    expect(await blind.isVmidFree(555)).to.equal(true)
  })
})
