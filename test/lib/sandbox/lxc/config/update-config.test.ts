import {expect} from 'chai'
import {InProcessSandbox} from '../../../../support/in-process-sandbox.ts'
import {applyPendingAtStart} from '../../../../../src/lib/sandbox/lxc/config/apply-pending.ts'
import {findVolume} from '../../../../../src/lib/sandbox/storage/volumes.ts'
import type {Guest} from '../../../../../src/lib/sandbox/state.ts'

const STOPPED = 102
const RUNNING = 101

describe('changing the config of a container', () => {
  let sandbox: InProcessSandbox
  let put: (vmid: number, form: Record<string, string | number>) => Promise<string>
  const guest = (vmid: number): Guest => sandbox.cluster.requireGuest('lxc', 'pve', vmid)

  beforeEach(() => {
    sandbox = new InProcessSandbox()
    put = async (vmid, form) => {
      const {status, reason, errors} = await sandbox.put(`/nodes/pve/lxc/${String(vmid)}/config`, form)
      return [status, reason, ...Object.entries(errors ?? {}).flat()].join(' ')
    }
  })

  describe('refuses contradictions', () => {
    const cases: [Record<string, string | number>, string][] = [
      [{digest: '0'.repeat(40)}, '500 no options specified'],
      [{cores: 1, revert: 'cores'}, "revert you can't use '-cores' and '-revert cores' at the same time"],
      [
        {delete: 'tty', revert: 'tty'},
        "delete you can't use '-delete tty' and '-revert tty' at the same time",
      ],
      [{delete: 'digest'}, "delete unknown option 'digest'"],
      [{delete: 'net32'}, "delete unknown option 'net32'"],
      [{cores: 1, digest: '0'.repeat(40)}, '500 detected modified configuration'],
    ]
    for (const [form, expected] of cases) {
      it(`in ${new URLSearchParams(Object.entries(form).map(([k, v]): [string, string] => [k, String(v)])).toString()}`, async () => {
        const before = {...guest(STOPPED).config}
        expect(await put(STOPPED, form)).to.contain(expected)
        expect(guest(STOPPED).config).to.deep.equal(before)
      })
    }
  })

  it('takes the current digest', async () => {
    const {data} = await sandbox.get('/nodes/pve/lxc/102/config')
    expect(await put(STOPPED, {cores: 1, digest: (data as {digest: string}).digest})).to.equal('200 OK')
  })

  it('writes what was sent and reads it as its type, which the next write then writes', async () => {
    await put(STOPPED, {cores: '02', tags: ''})
    expect(guest(STOPPED).config).to.include({cores: '02', tags: ''})
    await put(STOPPED, {swap: 100})
    expect(guest(STOPPED).config).to.include({cores: '2', tags: ' '})
  })

  it('protects the drives of a protected container', async () => {
    await put(RUNNING, {protection: 1})
    expect(await put(RUNNING, {delete: 'mp0'})).to.equal(
      "500 can't remove CT 101 drive 'mp0' - protection mode enabled",
    )
    expect(await put(RUNNING, {mp1: 'local:1,mp=/x'})).to.equal(
      "500 can't update CT 101 drive 'mp1' - protection mode enabled",
    )
  })

  it('refuses a storage that holds no container volumes', async () => {
    const local = sandbox.cluster.state.storages.find((s) => s.storage === 'nosnap')
    if (local) local.config['content'] = 'images'
    expect(await put(STOPPED, {mp0: 'nosnap:1,mp=/x'})).to.equal(
      "500 storage 'nosnap' does not allow content type 'rootdir' (Container)",
    )
  })

  it('refuses an MTU above the bridge, before anything is written', async () => {
    expect(await put(STOPPED, {net0: 'name=eth0,bridge=vmbr0,mtu=9000'})).to.equal(
      "500 net0: MTU size '9000' is bigger than bridge MTU '1500'",
    )
    expect(guest(STOPPED).config['net0']).to.contain('firewall=1')
  })

  it('refuses a line end inside a value when it writes, and keeps everything', async () => {
    expect(await put(STOPPED, {cores: 1, hostname: 'a\n'})).to.equal(
      "500 detected invalid newline inside property 'hostname'",
    )
    expect(await put(RUNNING, {cores: 1, entrypoint: 'a\nb'})).to.equal(
      "500 detected invalid newline inside property 'entrypoint'",
    )
    expect([guest(STOPPED).config['cores'], guest(RUNNING).config['cores']]).to.deep.equal([undefined, '2'])
  })

  it('reads wide characters back byte by byte, and only the first line of a variable', async () => {
    await put(STOPPED, {entrypoint: 'é', env: 'A=1\nB=2'})
    const read = async (): Promise<unknown> => (await sandbox.get('/nodes/pve/lxc/102/config')).data
    expect(await read()).to.include({entrypoint: 'é', env: 'A=1'})
    await put(STOPPED, {entrypoint: 'ő'})
    expect(await read()).to.include({entrypoint: '\xc5\x91'})
  })

  it('misses the privilege of the first option in the order of the list that deletes', async () => {
    const {access} = sandbox.cluster.state
    access.roles.push({roleid: 'Cpu', special: 0, privs: ['VM.Config.CPU']})
    access.acl.push({path: '/vms/102', type: 'user', ugid: 'ops@pve', roleid: 'Cpu', propagate: 1})
    const ops = 'ops@pve!partial=33333333-4444-5555-6666-777777777777'
    const answer = await sandbox.put('/nodes/pve/lxc/102/config', {delete: 'cores,onboot,memory'}, ops)
    expect(answer.reason).to.equal('Permission check failed (/vms/102, VM.Config.Options)')
  })

  it('names the keys that a network without value lacks', async () => {
    const {status, reason, errors} = await sandbox.put('/nodes/pve/lxc/102/config?net0', {})
    expect([status, reason]).to.deep.equal([500, 'format error'])
    expect(errors).to.deep.equal({name: 'property is missing and it is not optional'})
  })

  it('takes a CPU weight without value for the default, also while it runs', async () => {
    expect((await sandbox.put('/nodes/pve/lxc/101/config?cpuunits', {})).status).to.equal(200)
  })

  describe('while it is stopped', () => {
    it('detaches, re-attaches and destroys a volume', async () => {
      await put(STOPPED, {mp0: 'local:0.1,mp=/a'})
      const volid = 'local:102/vm-102-disk-0.raw'
      expect(guest(STOPPED).config['mp0']).to.equal(`${volid},mp=/a,size=102M`)
      await put(STOPPED, {mp0: 'btr:0.05,mp=/b'})
      expect(guest(STOPPED).config['unused0']).to.equal(volid)
      await put(STOPPED, {mp1: `${volid},mp=/c,size=9G`})
      expect(guest(STOPPED).config)
        .to.include({mp1: `${volid},mp=/c,size=102M`})
        .and.not.have.property('unused0')
      await put(STOPPED, {delete: 'mp1'})
      await put(STOPPED, {delete: 'unused0'})
      expect(findVolume(sandbox.cluster, volid)).to.equal(undefined)
    })

    it('keeps a volume that belongs to another guest when its entry is deleted', async () => {
      const foreign = 'local:103/vm-103-disk-0.raw'
      await put(STOPPED, {unused0: foreign})
      expect(await put(STOPPED, {delete: 'unused0'})).to.equal('200 OK')
      expect(findVolume(sandbox.cluster, foreign)).to.not.equal(undefined)
    })

    it('leaves what was pending alone unless the update names it', async () => {
      guest(STOPPED).pending['tty'] = '4'
      await put(STOPPED, {cores: 1})
      expect(guest(STOPPED).pending).to.deep.equal({tty: '4'})
      await put(STOPPED, {delete: 'tty'})
      expect(guest(STOPPED).config['tty']).to.equal('4')
    })

    it('names the option that cannot be applied and writes nothing', async () => {
      const local = sandbox.cluster.state.storages.find((s) => s.storage === 'local')
      if (local) local.config['disable'] = '1'
      expect(await put(STOPPED, {cores: 1, mp0: 'local:1,mp=/x'})).to.equal(
        "400 Parameter verification failed. mp0 unable to apply pending change mp0 : storage 'local' is disabled\n",
      )
      expect(guest(STOPPED).config).to.not.have.any.keys('cores', 'mp0')
    })
  })

  describe('while it is running', () => {
    it('keeps the steps of a network change that an error of another option follows', async () => {
      const net = 'name=lan0,bridge=vmbr1,hwaddr=BC:24:11:00:01:01,ip=192.0.2.9/24'
      expect(await put(RUNNING, {cpuunits: 0, net0: net, tty: 3})).to.contain(
        '400 Parameter verification failed.',
      )
      expect(guest(RUNNING).config['net0']).to.equal(
        'name=lan0,bridge=vmbr1,hwaddr=BC:24:11:00:01:01,ip=192.0.2.9/24,type=veth',
      )
      expect(guest(RUNNING).pending).to.have.keys('cpuunits', 'net0', 'tty')
    })

    it('refuses a new interface on a bridge that is not there', async () => {
      expect(await put(RUNNING, {net1: 'name=eth1,bridge=vmbr9'})).to.equal(
        "400 Parameter verification failed. net1 unable to hotplug net1: bridge 'vmbr9' does not exist\n",
      )
      expect(guest(RUNNING).config).to.not.have.property('net1')
    })

    it('removes only networks with one digit at once', async () => {
      const net = 'name=eth9,bridge=vmbr0'
      await put(RUNNING, {net9: net, net10: net.replace('9', '10')})
      await put(RUNNING, {delete: 'net9,net10'})
      expect(guest(RUNNING).config).to.have.property('net10')
      expect(guest(RUNNING).config).to.not.have.property('net9')
      expect(guest(RUNNING).pendingDelete).to.deep.equal({net10: {force: false}})
    })

    it('lets a changed mount point wait and applies it at the next start', async () => {
      const {config} = guest(RUNNING)
      await put(RUNNING, {mp0: 'local:0.05,mp=/data2', delete: 'features'})
      expect(guest(RUNNING).config['mp0']).to.equal(config['mp0'])
      applyPendingAtStart(sandbox.cluster, guest(RUNNING))
      expect(guest(RUNNING).config).to.include({
        mp0: 'local:101/vm-101-disk-2.raw,mp=/data2,size=51M',
        unused0: 'local:101/vm-101-disk-1.raw',
      })
      expect(guest(RUNNING).config).to.not.have.property('features')
      expect(guest(RUNNING).pending).to.deep.equal({})
    })
  })

  it('shows a snapshot with its own keys, and refuses it together with current', async () => {
    guest(STOPPED).snapshots['s1'] = {config: {cores: '3'}, snaptime: 1_700_000_000, description: 'x\n'}
    const {data} = await sandbox.get('/nodes/pve/lxc/102/config?snapshot=s1')
    expect(data)
      .to.include({cores: 3, snaptime: 1_700_000_000, description: 'x\n'})
      .and.to.have.property('digest')
    const both = await sandbox.get('/nodes/pve/lxc/102/config?snapshot=s1&current=1')
    expect(both.errors).to.have.keys('snapshot', 'current')
  })
})
