// `felhom daemon --once` as cron runs it: what it does in each mode, and what its exit code says.
import {existsSync, writeFileSync} from 'node:fs'
import {join} from 'node:path'
import {expect} from 'chai'
import {ApplyLab} from '../support/apply-lab.ts'
import type {Run} from '../support/felhom.ts'

describe('felhom daemon --once', () => {
  let lab: ApplyLab
  before(async () => {
    lab = await ApplyLab.start()
  })
  after(() => lab.stop())
  beforeEach(async () => {
    await lab.renew()
    lab.write('felhom.yaml', 'felhom: 1\ndesired: guests.yaml\n')
  })

  const once = (...args: string[]): Promise<Run> => lab.felhom(['daemon', '--once', ...args])

  it('observes and changes nothing, as a new installation does', async () => {
    lab.wish('{101: {kind: lxc, config: {memory: 777}}}')
    const {code, stdout, stderr} = await once()
    expect(code, stderr).to.equal(0)
    expect(stdout).to.equal('')
    expect((await lab.plan('--detailed-exitcode')).code).to.equal(2)
    expect((await once('--detailed-exitcode')).code).to.equal(2)
  })

  it('does what loses nothing in mode benign, and is then done', async () => {
    lab.wish('{101: {kind: lxc, config: {memory: 777}}}')
    expect((await once('--mode', 'benign')).code).to.equal(0)
    expect((await lab.plan('--detailed-exitcode')).code).to.equal(0)
    expect((await once('--mode', 'benign', '--detailed-exitcode')).code).to.equal(0)
  })

  it('runs cleanly with no desired state at all', async () => {
    lab.write('felhom.yaml', 'felhom: 1\n')
    const {code, stderr} = await once('--mode', 'full')
    expect(code, stderr).to.equal(0)
  })

  it('exits 3 when a signature is pending, and nothing is destroyed', async () => {
    lab.wish('{150: {kind: lxc, ensure: absent}}')
    for (const mode of ['observe', 'benign', 'full', 'full'])
      expect((await once('--mode', mode)).code, mode).to.equal(3)
    expect((await lab.plan('--detailed-exitcode')).stdout).to.contain(
      'lxc/150 wiki on pve2 will be destroyed',
    )
  })

  it('exits 6 when Proxmox cannot be reached, and 65 when the desired state cannot be used', async () => {
    lab.wish('{101: {kind: lxc, config: {memory: 777}}}')
    const away = await lab.felhom(['daemon', '--once'], {FELHOM_ENDPOINT: 'https://127.0.0.1:9'})
    expect(away.code, away.stderr).to.equal(6)
    lab.wish('{101: {kind: lxc, config: {memroy: 777}}}')
    expect((await once()).code).to.equal(65)
  })

  it('keeps to the last good state while the files are broken', async () => {
    lab.wish('{101: {kind: lxc, config: {memory: 777}}}')
    expect((await once()).code).to.equal(0)
    lab.write('guests.yaml', 'felhom: 1\nguests: {101: {kind: lxc, config: {memory: [}}}\n')
    expect((await once('--mode', 'benign')).code).to.equal(65)
    lab.wish('{101: {kind: lxc, config: {memory: 777}}}')
    expect((await lab.plan('--detailed-exitcode')).code).to.equal(0)
  })

  it('refuses settings that mean nothing with 65, and an unknown mode with 64', async () => {
    lab.write('felhom.yaml', 'felhom: 1\ndaemon: {windows: [{cron: "99 99 * * *", duration: 1h}]}\n')
    const {code, stderr} = await once()
    expect(code).to.equal(65)
    expect(stderr).to.contain('is no cron pattern')
    expect((await once('--mode', 'brave')).code).to.equal(64)
  })

  it('exits 7 when its journal is damaged, and sends nothing', async () => {
    lab.wish('{101: {kind: lxc, config: {memory: 777}}}')
    expect((await once('--mode', 'benign')).code).to.equal(0)
    const journal = join(lab.dir, '.felhom/journal/00000001.log')
    expect(existsSync(journal)).to.equal(true)
    writeFileSync(journal, 'nonsense\n')
    lab.wish('{101: {kind: lxc, config: {memory: 778}}}')
    expect((await once('--mode', 'benign')).code).to.equal(7)
    expect((await lab.plan('--detailed-exitcode')).code).to.equal(2)
  })
})
