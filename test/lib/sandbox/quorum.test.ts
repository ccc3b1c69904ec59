import {expect} from 'chai'
import {InProcessSandbox} from '../../support/in-process-sandbox.ts'

describe('without quorum', () => {
  const READ_ONLY = /^unable to open file '\/etc\/pve\/nodes\/pve\/(lxc|qemu-server)\/\d+\.conf\.tmp\.\d+' - /
  let sandbox: InProcessSandbox

  beforeEach(() => {
    sandbox = new InProcessSandbox()
    sandbox.cluster.state.quorate = false
  })

  for (const [guest, vmid] of [
    ['/nodes/pve/lxc/102', 102],
    ['/nodes/pve/qemu/201', 201],
  ] as const) {
    it(`a change of ${guest} comes as far as writing its config file`, async () => {
      const before = structuredClone(sandbox.cluster.guest(vmid))
      expect((await sandbox.put(`${guest}/config`, {cores: 3})).reason).to.match(READ_ONLY)
      expect((await sandbox.put(`${guest}/config`, {cores: 'x'})).status).to.equal(400)
      expect(sandbox.cluster.guest(vmid)).to.deep.equal(before)
    })

    it(`the task that would change ${guest} fails`, async () => {
      const before = structuredClone(sandbox.cluster.guest(vmid))
      const exit = await sandbox.outcome(sandbox.post(`${guest}/snapshot`, {snapname: 'before'}))
      expect(exit).to.match(READ_ONLY)
      expect(sandbox.cluster.guest(vmid)).to.deep.equal(before)
    })

    it(`${guest} is neither destroyed nor started`, async () => {
      expect((await sandbox.delete(guest)).reason).to.match(READ_ONLY)
      const start = await sandbox.post(`${guest}/status/start`, {})
      expect(start.reason).to.equal('cluster not ready - no quorum?')
    })
  }

  it('tasks outside of the lock are refused before they start', async () => {
    expect((await sandbox.post('/nodes/pve/lxc/102/template', {})).reason).to.match(READ_ONLY)
    expect((await sandbox.post('/nodes/pve/qemu/201/config', {cores: 3})).reason).to.match(READ_ONLY)
  })

  it('a guest that is missing is missing still', async () => {
    const {reason} = await sandbox.delete('/nodes/pve/lxc/999')
    expect(reason).to.equal("Configuration file 'nodes/pve/lxc/999.conf' does not exist")
  })

  it('what reads or only signals a process goes on', async () => {
    expect((await sandbox.get('/nodes/pve/lxc/102/config')).status).to.equal(200)
    expect(await sandbox.outcome(sandbox.post('/nodes/pve/lxc/101/status/stop', {}))).to.equal('OK')
  })

  it('the files of the whole cluster cannot be locked', async () => {
    const {reason} = await sandbox.post('/pools', {poolid: 'p2'})
    expect(reason).to.equal("create pool failed: cfs-lock 'file-user_cfg' error: no quorum!")
  })
})
