import {expect} from 'chai'
import {InProcessSandbox} from '../../../../support/in-process-sandbox.ts'

const VM = '/nodes/pve/qemu/200'
const SPARE = '/nodes/pve/qemu/201'

interface Status {
  status: string
  qmpstatus: string
  uptime: number
  lock?: string
}

describe('power of a machine', () => {
  let sandbox: InProcessSandbox

  beforeEach(() => {
    sandbox = new InProcessSandbox()
  })

  const statusOf = async (path: string): Promise<Status> =>
    (await sandbox.get(`${path}/status/current`)).data as Status
  const run = async (path: string, form: Record<string, string | number> = {}): Promise<string> =>
    sandbox.outcome(sandbox.post(path, form))

  it('starts a stopped machine and counts its uptime from then on', async () => {
    expect(await run(`${SPARE}/status/start`)).to.equal('OK')
    await sandbox.clock.advance(5000)
    expect(await statusOf(SPARE)).to.include({status: 'running', qmpstatus: 'running', uptime: 5})
  })

  it('tells a missing machine in the task, or at once where it must be running', async () => {
    const missing = "unable to find configuration file for VM 999 on node 'pve'"
    const noFile = "Configuration file 'nodes/pve/qemu-server/999.conf' does not exist"
    expect(await run('/nodes/pve/qemu/999/status/start')).to.equal(noFile)
    expect(await run('/nodes/pve/qemu/999/status/stop')).to.equal(missing)
    expect(await sandbox.post('/nodes/pve/qemu/999/status/reset', {})).to.include({
      status: 500,
      reason: missing,
    })
  })

  it('refuses a lock in the task, but not a stop of what is stopped', async () => {
    for (const vmid of [200, 201]) {
      const guest = sandbox.cluster.guest(vmid)
      if (guest) guest.config['lock'] = 'backup'
    }
    expect(await run(`${SPARE}/status/start`)).to.equal('VM is locked (backup)')
    expect(await run(`${SPARE}/status/stop`)).to.equal('OK')
    expect(await run(`${VM}/status/stop`)).to.equal('VM is locked (backup)')
    expect((await statusOf(VM)).status).to.equal('running')
  })

  it('keeps skiplock for root itself', async () => {
    const answer = await sandbox.post(`${SPARE}/status/start`, {skiplock: 1})
    expect(answer.errors).to.deep.equal({skiplock: 'Only root may use this option.'})
  })

  it('waits for a hanging guest as long as the config says, and a stop waits for the lock meanwhile', async () => {
    const guest = sandbox.cluster.guest(200)
    if (guest) guest.knobs.hang = true
    await sandbox.put(`${VM}/config`, {startup: 'down=30'})
    const startedMs = sandbox.clock.now()
    const shutdown = await sandbox.post(`${VM}/status/shutdown`, {})
    expect(await run(`${VM}/status/stop`)).to.equal(
      "can't lock file '/var/lock/qemu-server/lock-200.conf' - got timeout",
    )
    expect(await sandbox.outcome(shutdown)).to.equal('VM quit/powerdown failed - got timeout')
    expect(sandbox.clock.now() - startedMs).to.be.within(30_000, 31_000)
  })

  it('stops a hanging guest at once when the stop overrules the shutdown', async () => {
    const guest = sandbox.cluster.guest(200)
    if (guest) guest.knobs.hang = true
    const shutdown = await sandbox.post(`${VM}/status/shutdown`, {})
    await sandbox.clock.advance(1000)
    expect(await run(`${VM}/status/stop`, {'overrule-shutdown': 1})).to.equal('OK')
    expect(await sandbox.outcome(shutdown)).to.not.equal('OK')
    expect((await statusOf(VM)).status).to.equal('stopped')
  })

  it('ends a guest that was asked to even when the asking task was stopped', async () => {
    const shutdown = await sandbox.post(`${VM}/status/shutdown`, {})
    await sandbox.clock.advance(100)
    await sandbox.clock.run(sandbox.cluster.tasks.stop(String(shutdown.data)))
    await sandbox.clock.advance(2000)
    expect((await statusOf(VM)).status).to.equal('stopped')
  })

  it('does not shut down a paused machine unless it may be forced', async () => {
    expect(await run(`${VM}/status/suspend`)).to.equal('OK')
    expect((await statusOf(VM)).qmpstatus).to.equal('paused')
    const answer = await sandbox.post(`${VM}/status/shutdown`, {})
    expect(answer.reason).to.equal('VM is paused - cannot shutdown')
    expect(await run(`${VM}/status/shutdown`, {forceStop: 1})).to.equal('OK')
    expect((await statusOf(VM)).status).to.equal('stopped')
  })

  it('starts a machine again after a reboot, with what was pending, where a real hypervisor runs', async () => {
    delete sandbox.cluster.state.knobs.isHypervisorFaked
    await sandbox.put(`${VM}/config`, {cores: 1})
    expect(await run(`${VM}/status/reboot`)).to.equal('OK')
    expect((await statusOf(VM)).status).to.equal('stopped')
    await sandbox.clock.advance(10_000)
    expect(await statusOf(VM)).to.include({status: 'running', cpus: 1})
  })

  it('suspends to disk under a lock and resumes from there', async () => {
    expect(await run(`${VM}/status/suspend`, {todisk: 1})).to.equal('OK')
    const suspended = sandbox.cluster.guest(200)?.config ?? {}
    expect(suspended['lock']).to.equal('suspended')
    expect(suspended['vmstate']).to.match(/^local:200\/vm-200-state-suspend-\d{4}-\d\d-\d\d\.raw$/)
    expect((await statusOf(VM)).status).to.equal('stopped')
    expect(await run(`${VM}/status/resume`)).to.equal('OK')
    const resumed = sandbox.cluster.guest(200)?.config ?? {}
    expect(resumed).to.not.have.any.keys('lock', 'vmstate', 'runningmachine', 'runningcpu')
    const states = sandbox.cluster.state.storages.flatMap((s) =>
      s.volumes.filter((v) => v.volid.includes('state')),
    )
    expect(states).to.deep.equal([])
  })

  describe('makes no command line from', () => {
    const refused: [Record<string, string | number>, string][] = [
      [{usb0: 'mapping=stick', hostpci1: 'mapping=card'}, "PCI device mapping not found for 'card'"],
      [{usb0: 'mapping=stick'}, "USB device mapping not found for 'stick'"],
      [{cores: 4}, 'MAX 2 vcpus allowed per VM on this node'],
      [{hotplug: 'memory'}, 'NUMA needs to be enabled for memory hotplug'],
      [{hotplug: 'memory', numa: 1, memory: 512}, 'minimum memory must be 1024MB'],
      [
        {hotplug: 'memory', numa: 1, memory: 1100},
        'memory size (1100) must be aligned to 512 for hotplugging',
      ],
      [
        {hotplug: 'memory', numa: 1, numa0: 'cpus=0,memory=512'},
        'cannot enable memory hotplugging with custom NUMA topology',
      ],
    ]
    for (const [form, text] of refused) {
      it(JSON.stringify(form), async () => {
        await sandbox.put(`${SPARE}/config`, form)
        expect(await run(`${SPARE}/status/start`)).to.equal(text)
      })
    }
  })

  describe('starts with a warning', () => {
    const ignored: Record<string, string>[] = [
      {scsi0: 'local:201/vm-201-disk-0.qcow2,iothread=1'},
      {net0: 'e1000,bridge=vmbr0,mtu=1400'},
      {bios: 'ovmf'},
      {bios: 'ovmf', efidisk0: 'local:1,efitype=4m,pre-enrolled-keys=1'},
    ]
    for (const form of ignored) {
      it(JSON.stringify(form), async () => {
        await sandbox.put(`${SPARE}/config`, form)
        expect(await run(`${SPARE}/status/start`)).to.equal('WARNINGS: 1')
      })
    }
  })

  it('does not start a machine whose disk or bridge is gone', async () => {
    await sandbox.put(`${SPARE}/config`, {net0: 'virtio,bridge=vmbr9'})
    expect(await run(`${SPARE}/status/start`)).to.equal("bridge 'vmbr9' does not exist")
    await sandbox.put(`${SPARE}/config`, {net0: 'e1000,bridge=vmbr9'})
    expect(await run(`${SPARE}/status/start`)).to.equal('start failed: QEMU exited with code 1')
    await sandbox.put(`${SPARE}/config`, {net0: 'virtio,bridge=vmbr0'})
    const local = sandbox.cluster.state.storages.find((s) => s.storage === 'local')
    if (local) local.volumes = local.volumes.filter((v) => v.vmid !== 201)
    expect(await run(`${SPARE}/status/start`)).to.equal(
      "volume 'local:201/vm-201-disk-0.qcow2' does not exist",
    )
    expect((await statusOf(SPARE)).status).to.equal('stopped')
  })

  it('only asks the HA manager about a machine under HA, and the state follows', async () => {
    sandbox.cluster.state.ha.push({sid: 'vm:201', state: 'stopped'})
    const asked = await sandbox.post(`${SPARE}/status/start`, {})
    expect(String(asked.data)).to.include(':hastart:201:')
    expect(await sandbox.outcome(asked)).to.equal('OK')
    expect((await statusOf(SPARE)).status).to.equal('stopped')
    await sandbox.clock.advance(20_000)
    expect(await statusOf(SPARE)).to.include({status: 'running'})
    const last = (): string | undefined => [...sandbox.cluster.tasks.ended('pve')][0]?.type
    for (const [action, type] of [
      ['stop', 'qmstop'],
      ['shutdown', 'qmshutdown'],
    ] as const) {
      await run(`${SPARE}/status/start`)
      await sandbox.clock.advance(20_000)
      expect(await run(`${SPARE}/status/${action}`)).to.equal('OK')
      await sandbox.clock.advance(20_000)
      expect([last(), (await statusOf(SPARE)).status]).to.deep.equal([type, 'stopped'])
    }
  })

  it('says why the guest agent cannot be reached', async () => {
    await sandbox.put(`${SPARE}/config`, {agent: 1})
    const ping = async (): Promise<string> => (await sandbox.post(`${SPARE}/agent/ping`, {})).reason
    expect(await ping()).to.equal('VM 201 is not running')
    await run(`${SPARE}/status/start`)
    expect(await ping()).to.equal('QEMU guest agent is not running')
    const {errors} = await sandbox.post(`${SPARE}/agent`, {command: 'exec'})
    expect(errors?.['command']).to.match(/^value 'exec' does not have a value in the enumeration 'fsfreeze-/)
  })
})
