import {expect} from 'chai'
import {InProcessSandbox} from '../../../../support/in-process-sandbox.ts'
import type {Guest} from '../../../../../src/lib/sandbox/state.ts'

const CT = 102
const FOLDER = '/nodes/pve/lxc/102/snapshot'

describe('snapshots of containers', () => {
  let sandbox: InProcessSandbox
  const guest = (): Guest => sandbox.cluster.requireGuest('lxc', 'pve', CT)
  const take = (snapname: string): Promise<string> => sandbox.outcome(sandbox.post(FOLDER, {snapname}))
  const remove = (name: string): Promise<string> => sandbox.outcome(sandbox.delete(`${FOLDER}/${name}`))
  const rollback = (name: string): Promise<string> =>
    sandbox.outcome(sandbox.post(`${FOLDER}/${name}/rollback`, {}))
  const parents = (): Record<string, string | undefined> =>
    Object.fromEntries([
      ...Object.entries(guest().snapshots).map(([name, s]): [string, string | undefined] => [name, s.parent]),
      ['current', guest().config['parent']],
    ])

  beforeEach(() => {
    sandbox = new InProcessSandbox()
  })

  it('form a chain that closes again when one in the middle goes', async () => {
    for (const name of ['one', 'two', 'three']) expect(await take(name)).to.equal('OK')
    expect(parents()).to.deep.equal({one: undefined, two: 'one', three: 'two', current: 'three'})
    expect(await remove('two')).to.equal('OK')
    expect(parents()).to.deep.equal({one: undefined, three: 'one', current: 'three'})
    expect(await remove('three')).to.equal('OK')
    expect(parents()).to.deep.equal({one: undefined, current: 'one'})
    expect(await remove('one')).to.equal('OK')
    expect(parents()).to.deep.equal({current: undefined})
  })

  it('fork where a rollback was followed by another snapshot', async () => {
    for (const name of ['one', 'two']) await take(name)
    await rollback('one')
    await take('three')
    expect(parents()).to.deep.equal({one: undefined, two: 'one', three: 'one', current: 'three'})
  })

  it('show how far they are while the guest is locked for them', async () => {
    const {data} = await sandbox.post(FOLDER, {snapname: 'one'})
    await sandbox.clock.advance(10)
    expect(guest().config['lock']).to.equal('snapshot')
    const {data: rows} = await sandbox.get(FOLDER)
    expect(rows).to.deep.include.members([
      {name: 'one', description: '', snaptime: sandbox.cluster.nowSeconds(), snapstate: 'prepare'},
    ])
    expect(await rollback('one')).to.equal('unable to rollback to incomplete snapshot (snapstate = prepare)')
    await sandbox.outcome({status: 200, reason: 'OK', data})
    expect(guest().snapshots['one']?.snapstate).to.equal(undefined)
    expect(guest().config['lock']).to.equal(undefined)
  })

  it('leave the lock of somebody else alone', async () => {
    await take('one')
    guest().config['lock'] = 'backup'
    for (const outcome of [take('two'), remove('one'), rollback('one')]) {
      expect(await outcome).to.equal('CT is locked (backup)')
    }
    expect(guest().config['lock']).to.equal('backup')
  })

  it('bring back the config, keep what came since as unused, and drop what was pending', async () => {
    await take('one')
    await sandbox.put('/nodes/pve/lxc/102/config', {
      mp0: 'btr:0.1,mp=/data',
      memory: 777,
      description: 'kept',
    })
    guest().pending = {tty: '3'}
    expect(await rollback('one')).to.equal('OK')
    expect(guest().config).to.include({
      memory: '256',
      description: 'kept\n',
      unused0: 'btr:102/vm-102-disk-1.raw',
    })
    expect(guest().config).not.to.have.property('mp0')
    expect(guest().pending).to.deep.equal({})
  })

  it('stop a running container for a rollback, and start it only when told to', async () => {
    await sandbox.outcome(sandbox.post('/nodes/pve/lxc/102/status/start', {}))
    expect(await take('live')).to.equal('OK')
    expect(await rollback('live')).to.equal('OK')
    expect(guest().runtime.status).to.equal('stopped')
    await sandbox.outcome(sandbox.post(`${FOLDER}/live/rollback`, {start: 1}))
    await sandbox.clock.advance(3000)
    expect(guest().runtime.status).to.equal('running')
  })

  it('keep a volume as unused that only a deleted snapshot still named', async () => {
    await sandbox.put('/nodes/pve/lxc/102/config', {mp0: 'btr:0.1,mp=/data'})
    await take('one')
    await sandbox.put('/nodes/pve/lxc/102/config', {delete: 'mp0'})
    delete guest().config['unused0']
    expect(await remove('one')).to.equal('OK')
    expect(guest().config['unused0']).to.equal('btr:102/vm-102-disk-1.raw')
  })

  it('are not for templates, nor for what a storage cannot do', async () => {
    guest().config['template'] = '1'
    expect(await take('one')).to.equal("you can't take a snapshot if it's a template")
    const other = sandbox.outcome(sandbox.post('/nodes/pve/lxc/103/snapshot', {snapname: 'one'}))
    expect(await other).to.equal('snapshot feature is not available')
    guest().config = {...guest().config, template: '0', mp1: '/mnt/host,mp=/host'}
    expect(await take('one')).to.equal('snapshot feature is not available')
  })

  it('lose their description when it is emptied', async () => {
    await take('one')
    await sandbox.put(`${FOLDER}/one/config`, {description: 'text\n\n'})
    expect(guest().snapshots['one']?.description).to.equal('text\n')
    await sandbox.put(`${FOLDER}/one/config`, {description: ''})
    expect(guest().snapshots['one']).not.to.have.property('description')
  })

  it('bring back the size that a volume had', async () => {
    await take('small')
    await sandbox.outcome(sandbox.put('/nodes/pve/lxc/102/resize', {disk: 'rootfs', size: '+64M'}))
    expect(await rollback('small')).to.equal('OK')
    expect(guest().config['rootfs']).to.contain('size=256M')
    const again = sandbox.put('/nodes/pve/lxc/102/resize', {disk: 'rootfs', size: '256M'})
    expect((await again).reason).to.equal('disk is already at specified size')
  })

  it('go back only to the last one on ZFS', async () => {
    const storage = sandbox.cluster.state.storages.find((s) => s.storage === 'btr')
    if (storage) Object.assign(storage, {type: 'zfspool', volumes: []})
    const volid = 'btr:subvol-102-disk-0'
    storage?.volumes.push({volid, node: 'pve', vmid: CT, format: 'subvol', content: 'rootdir', size: 2 ** 28})
    guest().config['rootfs'] = `${volid},size=256M`
    for (const name of ['one', 'two']) expect(await take(name)).to.equal('OK')
    expect(await rollback('one')).to.equal(`can't rollback, 'one' is not most recent snapshot on '${volid}'`)
    expect(await rollback('two')).to.equal('OK')
  })
})
