import {expect} from 'chai'
import {InProcessSandbox} from '../../../../support/in-process-sandbox.ts'
import type {Guest} from '../../../../../src/lib/sandbox/state.ts'

const RUNNING = 101
const STOPPED = 102
const SECOND = 1000

describe('power of containers', () => {
  let sandbox: InProcessSandbox
  const guest = (vmid: number): Guest => sandbox.cluster.requireGuest('lxc', 'pve', vmid)
  const act = (vmid: number, verb: string, form: Record<string, string | number> = {}): Promise<string> =>
    sandbox.outcome(sandbox.post(`/nodes/pve/lxc/${String(vmid)}/status/${verb}`, form))

  beforeEach(() => {
    sandbox = new InProcessSandbox()
  })

  it('starts, and only then counts as running', async () => {
    const {data} = await sandbox.post(`/nodes/pve/lxc/${String(STOPPED)}/status/start`, {})
    expect(guest(STOPPED).runtime.status).to.equal('stopped')
    expect(await sandbox.outcome({status: 200, reason: 'OK', data})).to.equal('OK')
    expect(guest(STOPPED).runtime.status).to.equal('running')
    await sandbox.clock.advance(5 * SECOND)
    const {data: status} = await sandbox.get(`/nodes/pve/lxc/${String(STOPPED)}/status/current`)
    expect((status as {uptime: number}).uptime).to.be.within(5, 6)
  })

  it('takes longer than the time-out to give up on a container that ignores shutdown', async () => {
    guest(RUNNING).knobs.hang = true
    const before = sandbox.clock.now()
    expect(await act(RUNNING, 'shutdown', {timeout: 3})).to.equal('container did not stop')
    expect(sandbox.clock.now() - before).to.be.within(11 * SECOND, 12 * SECOND)
    expect(guest(RUNNING).runtime.status).to.equal('running')
  })

  it('kills it after the time-out when told to', async () => {
    guest(RUNNING).knobs.hang = true
    expect(await act(RUNNING, 'shutdown', {timeout: 3, forceStop: 1})).to.equal('OK')
    expect(guest(RUNNING).runtime.status).to.equal('stopped')
  })

  it('waits without end for a hanging container where the time-out is 0', async () => {
    guest(RUNNING).knobs.hang = true
    const {data} = await sandbox.post(`/nodes/pve/lxc/${String(RUNNING)}/status/shutdown`, {timeout: 0})
    await sandbox.clock.advance(600 * SECOND)
    expect(sandbox.cluster.tasks.find(String(data))?.exitstatus).to.equal(undefined)
  })

  it('aborts a shutdown that stands in the way of a stop', async () => {
    guest(RUNNING).knobs.hang = true
    const {data: waiting} = await sandbox.post(`/nodes/pve/lxc/${String(RUNNING)}/status/shutdown`, {
      timeout: 60,
    })
    await sandbox.clock.advance(SECOND)
    expect(await act(RUNNING, 'stop', {'overrule-shutdown': 1})).to.equal('OK')
    expect(sandbox.cluster.tasks.find(String(waiting))?.exitstatus).to.equal('unexpected status')
    expect(guest(RUNNING).runtime.status).to.equal('stopped')
  })

  it('does not start a second time what an earlier task has started meanwhile', async () => {
    const answers = [1, 2].map(() => sandbox.post(`/nodes/pve/lxc/${String(STOPPED)}/status/start`, {}))
    const [first, second] = await Promise.all(answers)
    if (!first || !second) throw new Error('no answers')
    expect(await sandbox.outcome(first)).to.equal('OK')
    const {pid} = guest(STOPPED).runtime
    expect(await sandbox.outcome(second)).to.equal('OK')
    expect(guest(STOPPED).runtime.pid).to.equal(pid)
  })

  it('leaves a container stopped whose start fails', async () => {
    guest(STOPPED).knobs.failStart = true
    expect(await act(STOPPED, 'start')).to.equal("startup for container '102' failed")
    expect(guest(STOPPED).runtime.status).to.equal('stopped')
  })

  it('says which command was interrupted when its start is stopped', async () => {
    sandbox.cluster.state.knobs.startDelaySeconds = 30
    const answer = await sandbox.post('/nodes/pve/lxc/102/status/start', {})
    await sandbox.clock.advance(100)
    await sandbox.delete(`/nodes/pve/tasks/${String(answer.data)}`)
    expect(await sandbox.outcome(answer)).to.equal(
      "command 'systemctl start pve-container@102' failed: received interrupt",
    )
    expect(sandbox.cluster.guest(102)?.runtime.status).to.equal('stopped')
  })

  it('does not start on a bridge that is not there', async () => {
    guest(STOPPED).config['net0'] = 'name=eth0,bridge=vmbr9,hwaddr=BC:24:11:00:01:02,type=veth'
    expect(await act(STOPPED, 'start')).to.equal("bridge 'vmbr9' does not exist")
  })

  it('does not start without its volumes', async () => {
    guest(STOPPED).config['mp0'] = 'btr:102/vm-102-disk-7.raw,mp=/x,size=1G'
    expect(await act(STOPPED, 'start')).to.equal("volume 'btr:102/vm-102-disk-7.raw' does not exist")
  })

  it('does not start an unprivileged container with quotas', async () => {
    guest(STOPPED).config['rootfs'] = 'btr:102/vm-102-disk-0.raw,quota=1,size=256M'
    expect(await act(STOPPED, 'start')).to.equal('Quotas are not supported by unprivileged containers.')
  })

  it('respects locks, but starts and stops under the lock of a mount', async () => {
    guest(STOPPED).config['lock'] = 'backup'
    expect(await act(STOPPED, 'start')).to.equal('CT is locked (backup)')
    guest(STOPPED).config['lock'] = 'mounted'
    expect(await act(STOPPED, 'start')).to.equal('OK')
    expect(await act(STOPPED, 'shutdown')).to.equal('CT is locked (mounted)')
    expect(await act(STOPPED, 'stop')).to.equal('OK')
  })

  it('applies what was pending when it reboots, whatever lock it carries', async () => {
    await sandbox.put(`/nodes/pve/lxc/${String(RUNNING)}/config`, {tty: 4})
    expect(guest(RUNNING).config['tty']).to.equal(undefined)
    guest(RUNNING).config['lock'] = 'backup'
    expect(await act(RUNNING, 'reboot')).to.equal('OK')
    expect(guest(RUNNING).config['tty']).to.equal('4')
    expect(guest(RUNNING).pending).to.deep.equal({})
  })

  it('never manages to suspend or to resume', async () => {
    const checkpoint = (id: number, mode: string): string =>
      `command 'lxc-checkpoint -n ${String(id)} ${mode} -D /var/lib/vz/dump' failed: exit code 1`
    expect(await act(RUNNING, 'suspend')).to.equal(checkpoint(RUNNING, '-s'))
    expect(await act(STOPPED, 'resume')).to.equal(checkpoint(STOPPED, '-r --foreground'))
  })

  it('hands the start of a managed container to the HA manager, which acts some seconds later', async () => {
    sandbox.cluster.state.ha.push({sid: 'ct:102', state: 'stopped'})
    const {data} = await sandbox.post(`/nodes/pve/lxc/${String(STOPPED)}/status/start`, {})
    expect(String(data)).to.contain(':hastart:102:')
    expect(await sandbox.outcome({status: 200, reason: 'OK', data})).to.equal('OK')
    expect(guest(STOPPED).runtime.status).to.equal('stopped')
    await sandbox.clock.advance(10 * SECOND)
    expect(guest(STOPPED).runtime.status).to.equal('running')
    const {data: status} = await sandbox.get(`/nodes/pve/lxc/${String(STOPPED)}/status/current`)
    expect(status).to.deep.include({ha: {managed: 1, state: 'started'}})
  })

  it('does not act on a request that was taken back meanwhile', async () => {
    sandbox.cluster.state.ha.push({sid: 'ct:101', state: 'started'})
    expect(await act(RUNNING, 'stop')).to.equal('OK')
    for (const resource of sandbox.cluster.state.ha) resource.state = 'started'
    await sandbox.clock.advance(10 * SECOND)
    expect(guest(RUNNING).runtime.status).to.equal('running')
  })
})
