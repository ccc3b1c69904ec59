import {expect} from 'chai'
import {VirtualClock} from '../../../../src/lib/sandbox/clock.ts'
import {permissionDenied, die} from '../../../../src/lib/sandbox/pve-error.ts'
import {parseUpid} from '../../../../src/lib/sandbox/tasks/upid.ts'
import {InProcessSandbox} from '../../../support/in-process-sandbox.ts'
import type {Cluster} from '../../../../src/lib/sandbox/cluster.ts'
import type {Worker} from '../../../../src/lib/sandbox/tasks/task-runner.ts'

describe('task runner', () => {
  let cluster: Cluster
  let clock: VirtualClock
  const start = (worker: Worker, type = 'vzstart'): string =>
    cluster.tasks.start('pve', type, '102', 'root@pam!x', worker)
  const exitOf = (upid: string): string | undefined => cluster.tasks.find(upid)?.exitstatus
  const logOf = (upid: string): string[] | undefined => cluster.tasks.find(upid)?.log

  beforeEach(() => {
    const sandbox = new InProcessSandbox()
    cluster = sandbox.cluster
    clock = sandbox.clock
  })

  it('gives a task a UPID that reads back as what it was made of', () => {
    const upid = start(() => undefined)
    expect(parseUpid(upid)).to.include({node: 'pve', type: 'vzstart', id: '102', user: 'root@pam!x'})
    expect(parseUpid(upid)?.starttime).to.equal(cluster.nowSeconds())
  })

  it('has no exit status while it runs and OK at the end', async () => {
    const upid = start((task) => task.sleep(1000))
    await clock.advance(500)
    expect(exitOf(upid)).to.equal(undefined)
    await clock.advance(600)
    expect(exitOf(upid)).to.equal('OK')
    expect(logOf(upid)).to.deep.equal(['TASK OK'])
  })

  it('counts warnings', async () => {
    const upid = start((task) => {
      task.warn('one')
      task.warn('two')
    })
    await clock.advance(1)
    expect(exitOf(upid)).to.equal('WARNINGS: 2')
    expect(logOf(upid)).to.deep.equal(['WARN: one', 'WARN: two', 'TASK WARNINGS: 2'])
  })

  it('joins the lines of an error', async () => {
    const upid = start(() => die('first\nsecond'))
    await clock.advance(1)
    expect(exitOf(upid)).to.equal('first second')
    expect(logOf(upid)).to.deep.equal(['TASK ERROR: first second'])
  })

  it('names the status of an exception that has one', async () => {
    const upid = start(() => permissionDenied('/vms/1, VM.Backup'))
    await clock.advance(1)
    expect(exitOf(upid)).to.equal('403 Permission check failed (/vms/1, VM.Backup)')
  })

  it('lets a stubborn worker live for five seconds and then leaves no verdict', async () => {
    const upid = start((task) => task.sleep(60_000), 'vzshutdown')
    await clock.advance(100)
    const stopped = cluster.tasks.stop(upid)
    await clock.advance(4000)
    expect(exitOf(upid)).to.equal(undefined)
    await clock.advance(1500)
    await stopped
    expect(exitOf(upid)).to.equal('unexpected status')
    expect(logOf(upid)?.join('\n')).not.to.contain('TASK')
  })

  it('ends another worker with the interrupt as its error', async () => {
    const upid = start((task) => task.sleep(60_000), 'qmclone')
    await clock.advance(100)
    await clock.run(cluster.tasks.stop(upid))
    expect(exitOf(upid)).to.equal('received interrupt')
  })

  it('releases what a stopped worker held', async () => {
    const upid = start((task) => cluster.locks.withLock('lxc', 102, () => task.sleep(60_000)), 'vzshutdown')
    await clock.advance(100)
    await clock.run(cluster.tasks.stop(upid))
    let isFree = false
    await clock.run(cluster.locks.withLock('lxc', 102, () => void (isFree = true)))
    expect(isFree).to.equal(true)
  })

  it('lists only the newest tasks once there are thousands, and still knows the old ones', async () => {
    const first = start(() => undefined)
    for (let i = 0; i < 3000; i++) start(() => undefined)
    await clock.advance(1)
    const listed = [...cluster.tasks.ended('pve')]
    expect(listed.length).to.be.within(500, 1500)
    expect(listed.some((t) => t.upid === first)).to.equal(false)
    expect(exitOf(first)).to.equal('OK')
  })
})
