import {expect} from 'chai'
import {InProcessSandbox} from '../../../support/in-process-sandbox.ts'

const NOBODY = 'nobody@pve!none=44444444-5555-6666-7777-888888888888'

describe('index pages', () => {
  const sandbox = new InProcessSandbox()
  const childrenOf = async (path: string, key: string, token?: string): Promise<unknown[]> =>
    ((await sandbox.get(path, token)).data as Record<string, unknown>[]).map((row) => row[key])

  it('name their children by the word that Proxmox uses at that place', async () => {
    expect(await childrenOf('/nodes/pve/hardware', 'type')).to.deep.equal(['pci', 'usb'])
    expect(await childrenOf('/nodes/pve/scan', 'method')).to.include('nfs')
    expect(await childrenOf('/nodes/pve/apt', 'id')).to.include('versions')
    expect(await childrenOf('/access/openid', 'subdir')).to.deep.equal(['auth-url', 'login'])
    expect(await childrenOf('/nodes/pve/capabilities/qemu', 'name')).to.include('machines')
  })

  it('of a node are the same for a node that does not exist', async () => {
    expect(await childrenOf('/nodes/ghost', 'name', NOBODY)).to.include('lxc')
    expect((await sandbox.get('/nodes/ghost/disks')).reason).to.contain("hostname lookup 'ghost' failed")
  })

  it('of a few places need a privilege', async () => {
    const {reason} = await sandbox.get('/cluster/config', NOBODY)
    expect(reason).to.equal('Permission check failed (/, Sys.Audit)')
    const ceph = await sandbox.get('/nodes/pve/ceph', NOBODY)
    expect(ceph.reason).to.equal('Permission check failed (/, Sys.Audit|Datastore.Audit)')
  })

  it('take no parameters', async () => {
    expect((await sandbox.get('/cluster?x=1')).errors).to.have.property('x')
  })
})

describe('methods of the schema that the sandbox does not have', () => {
  const sandbox = new InProcessSandbox()

  it('are checked as if it had them, then refused in its own words', async () => {
    const reboot = {command: 'reboot'}
    const denied = await sandbox.post('/nodes/pve/status', reboot, NOBODY)
    expect([denied.status, denied.reason]).to.deep.equal([
      403,
      'Permission check failed (/nodes/pve, Sys.PowerMgmt)',
    ])
    expect((await sandbox.post('/nodes/pve/status', {command: 'x'})).errors).to.have.property('command')
    const {status, reason} = await sandbox.post('/nodes/pve/status', reboot)
    expect([status, reason]).to.deep.equal([501, 'the sandbox does not implement POST /nodes/{node}/status'])
  })
})

describe('the firewall', () => {
  const sandbox = new InProcessSandbox()

  it('has no options and no rules, for a guest that does not exist, too', async () => {
    for (const guest of ['lxc/102', 'qemu/201', 'lxc/999']) {
      const folder = `/nodes/pve/${guest}/firewall`
      expect((await sandbox.get(`${folder}/options`)).data).to.have.all.keys('digest')
      expect((await sandbox.get(`${folder}/rules`)).data).to.deep.equal([])
    }
    expect((await sandbox.get('/cluster/firewall/groups', NOBODY)).data).to.deep.equal([])
  })

  it('of a guest is seen by those who see the guest', async () => {
    const {reason} = await sandbox.get('/nodes/pve/lxc/102/firewall/rules', NOBODY)
    expect(reason).to.equal('Permission check failed (/vms/102, VM.Audit)')
  })
})
