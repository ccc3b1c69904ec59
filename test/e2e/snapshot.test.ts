// Snapshots, volumes and guests that are lost only under a signature: the commands as an operator uses them, with
// the operator's own ssh-keygen, over HTTPS.
import {mkdtempSync, readdirSync, rmSync} from 'node:fs'
import {tmpdir} from 'node:os'
import {join} from 'node:path'
import {expect} from 'chai'
import {ApplyLab} from '../support/apply-lab.ts'
import {runFelhom, type Run} from '../support/felhom.ts'
import {runSshKeygen} from '../support/gate-keys.ts'

const SNAPSHOT = '/nodes/pve1/lxc/101/snapshot'

describe('what is lost only under a signature', function () {
  this.timeout(120_000)
  let lab: ApplyLab
  /** The operator's own directory: keys, and the trust store that they have made once. */
  let desk: string
  let settings: string

  before(async () => {
    lab = await ApplyLab.start()
    desk = mkdtempSync(join(tmpdir(), 'felhom-e2e-desk-'))
    for (const name of ['anna', 'safe'])
      runSshKeygen(['-q', '-t', 'ed25519', '-N', '', '-C', name, '-f', join(desk, name)])
    const init = await runFelhom(
      ['gate', 'trust', 'init', '--operational', 'anna=anna.pub', '--recovery', 'safe=safe.pub'],
      {cwd: desk},
    )
    const [genesis = ''] = /sha256:[0-9a-f]{64}/.exec(init.stdout) ?? []
    expect(genesis, init.stdout + init.stderr).not.to.equal('')
    const dir = join(desk, readdirSync(desk).includes('trust') ? 'trust' : join('.felhom', 'trust'))
    settings = `felhom: 1\napprovals: approvals\ntrust:\n  dir: ${dir}\n  genesis: ${genesis}\n`
  })
  after(async () => {
    rmSync(desk, {recursive: true, force: true})
    await lab.stop()
  })
  beforeEach(async () => {
    await lab.renew()
    lab.write('felhom.yaml', settings)
  })

  const settle = async (run: Promise<Run>, code: number): Promise<Run> => {
    const ended = await run
    expect(ended.code, ended.stdout + ended.stderr).to.equal(code)
    return ended
  }
  const sign = (job: string, guest: string): Promise<Run> =>
    settle(lab.felhom(['gate', 'sign', '--job', job, '--key', join(desk, 'anna'), '--confirm', guest]), 0)
  const names = async (): Promise<string[]> => {
    const rows = (await lab.sandbox.call('GET', SNAPSHOT)) as {name: string}[]
    return rows.map(({name}) => name).filter((name) => name !== 'current')
  }

  it('a snapshot is listed, waits for a signature, is deleted once, and the same approval is spent', async () => {
    const list = await settle(lab.felhom(['snapshot', 'list', '101']), 0)
    expect(list.stdout)
      .to.match(/^NAME +TAKEN/)
      .and.to.include('before-upgrade')
    const pending = await settle(lab.felhom(['snapshot', 'delete', 'lxc/101', 'before-upgrade']), 3)
    expect(pending.stdout).to.include("felhom gate sign --job 'snapshot.delete lxc/101 before-upgrade'")
    // That lists what the files ask for, and no file asks for this.
    expect(pending.stdout).to.include('1 action needs a signature.').and.not.to.include('gate pending')
    expect(await lab.mutations()).to.deep.equal([])
    await sign('snapshot.delete lxc/101 before-upgrade', 'dns1')
    const deleted = await settle(lab.felhom(['snapshot', 'delete', '101', 'before-upgrade']), 0)
    expect(deleted.stdout).to.include('deleted snapshot before-upgrade')
    expect(await names()).to.deep.equal([])
    // Somebody takes another of the same name: what was signed for was the one before it.
    await lab.sandbox.call('POST', SNAPSHOT, {snapname: 'before-upgrade'})
    const again = (): Promise<Run> => lab.felhom(['snapshot', 'delete', '101', 'before-upgrade', '--json'])
    // It was taken with our token, past the journal: nothing destructive until somebody has looked at that.
    expect((await settle(again(), 3)).stdout).to.include('"refusal":"disarmed"')
    await settle(lab.felhom(['journal', 'rearm', '--auto-approve']), 0)
    expect((await settle(again(), 3)).stdout).to.include('"refusal":"replay"')
    expect(await names()).to.deep.equal(['before-upgrade'])
  })

  it('a rollback needs its own signature, and one for another snapshot does not do', async () => {
    await sign('snapshot.delete lxc/101 before-upgrade', 'dns1')
    await settle(lab.felhom(['snapshot', 'rollback', 'lxc/101', 'before-upgrade']), 3)
    expect(await lab.mutations()).to.deep.equal([])
    await sign('snapshot.rollback lxc/101 before-upgrade', 'dns1')
    const rolled = await settle(lab.felhom(['snapshot', 'rollback', 'lxc/101', 'before-upgrade']), 0)
    expect(rolled.stdout).to.include('rolled back to snapshot before-upgrade')
    expect(await lab.status('lxc', 101)).to.equal('stopped')
  })

  it('what is not there is told before anybody signs', async () => {
    const typo = await settle(lab.felhom(['snapshot', 'delete', 'lxc/101', 'before-updrage']), 64)
    expect(typo.stderr).to.include('before-upgrade')
    await settle(lab.felhom(['snapshot', 'list', 'qemu/101']), 64)
    await settle(lab.felhom(['snapshot', 'list', 'web']), 64)
  })

  it('an approval from a file does, and is void once the guest was changed', async () => {
    const args = ['gate', 'sign', '--job', 'snapshot.delete 101 before-upgrade', '--key', join(desk, 'anna')]
    await settle(lab.felhom([...args, '--confirm', 'dns1', '--out', 'mine.json']), 0)
    await lab.sandbox.call('PUT', '/nodes/pve1/lxc/101/config', {description: 'changed since'})
    const job = ['snapshot', 'delete', '101', 'before-upgrade', '--approval', 'mine.json']
    const late = await settle(lab.felhom([...job, '--json']), 3)
    expect(late.stdout).to.include('"refusal":"binding_mismatch"')
    expect(await names()).to.deep.equal(['before-upgrade'])
  })

  it('a running guest is destroyed by an apply: not shut down before somebody has signed', async () => {
    lab.wish('{102: {kind: lxc, ensure: absent}}')
    await settle(lab.apply(), 3)
    expect(await lab.mutations()).to.deep.equal([])
    await sign('guest.destroy lxc/102', 'dns2')
    const done = await settle(lab.apply(), 0)
    expect(done.stdout).to.include('destroyed')
    await settle(lab.apply(), 0)
  })

  it('a volume is detached under one signature and removed under another', async () => {
    const config = (): Promise<Record<string, unknown>> => lab.config('lxc', 150, 'pve2')
    await lab.sandbox.call('PUT', '/nodes/pve2/lxc/150/config', {mp0: 'nas:1,mp=/data'})
    const {hostname} = (await config()) as {hostname: string}
    lab.wish('{150: {kind: lxc, disks: {mp0: null}}}')
    await settle(lab.apply(), 3)
    expect(await config()).to.have.property('mp0')
    await sign('volume.detach lxc/150 mp0', hostname)
    await settle(lab.apply(), 0)
    const detached = await config()
    expect(detached).not.to.have.property('mp0')
    const {unused0: volume} = detached as {unused0: string}
    expect(volume).to.match(/^nas:150\/vm-150-disk-/)
    lab.wish('{150: {kind: lxc, disks: {unused0: null}}}')
    await settle(lab.apply(), 3)
    await sign('volume.remove lxc/150 unused0', hostname)
    await settle(lab.apply(), 0)
    expect(await config()).not.to.have.property('unused0')
    const left = (await lab.sandbox.call('GET', '/nodes/pve2/storage/nas/content')) as {volid: string}[]
    expect(left.map(({volid}) => volid)).not.to.include(volume)
  })
})
