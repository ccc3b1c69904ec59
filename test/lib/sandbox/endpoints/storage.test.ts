import {expect} from 'chai'
import {InProcessSandbox} from '../../../support/in-process-sandbox.ts'
import {homelabSeed, LEAST_TOKEN} from '../../../support/homelab-seed.ts'

type Row = Record<string, unknown>

describe('storage endpoints', () => {
  let sandbox: InProcessSandbox
  const rows = async (path: string, token?: string): Promise<Row[]> =>
    (await sandbox.get(path, token)).data as Row[]

  beforeEach(() => {
    sandbox = new InProcessSandbox(homelabSeed)
  })

  it('list a storage that is not on the node as disabled, and not at all when content is asked for', async () => {
    const [tank] = (await rows('/nodes/pve1/storage')).filter((r) => r['storage'] === 'tank')
    expect(tank).to.include({enabled: 0, active: 0, total: 0})
    const names = (await rows('/nodes/pve1/storage?content=images')).map((r) => r['storage'])
    expect(names).to.deep.equal(['local-lvm', 'nas'])
  })

  it('list for a clone elsewhere only what both nodes share', async () => {
    const names = (await rows('/nodes/pve1/storage?target=pve2')).map((r) => r['storage'])
    expect(names).to.deep.equal(['nas'])
  })

  it('show of other people’s volumes only what the caller may work with', async () => {
    expect(await rows('/nodes/pve1/storage/nas/content', LEAST_TOKEN)).to.have.length(4)
    sandbox.cluster.state.access.acl = sandbox.cluster.state.access.acl.map((a) => ({...a, path: '/storage'}))
    const [only, ...more] = await rows('/nodes/pve1/storage/nas/content', LEAST_TOKEN)
    expect(only).to.include({content: 'iso'})
    expect(more).to.deep.equal([])
  })

  it('count an image without a container as an image', async () => {
    sandbox.cluster.state.guests.delete(150)
    const [image] = await rows('/nodes/pve1/storage/nas/content?vmid=150')
    expect(image).to.include({content: 'images'})
  })

  it('allocate a named image once', async () => {
    const form = {vmid: 150, filename: 'vm-150-disk-7.qcow2', size: '1G'}
    const path = '/nodes/pve1/storage/nas/content'
    expect((await sandbox.post(path, form)).data).to.equal('nas:150/vm-150-disk-7.qcow2')
    expect((await sandbox.post(path, form)).reason).to.contain('already exists')
    expect((await sandbox.post(path, {...form, filename: 'x', size: '1G'})).reason).to.contain(
      "unable to parse volume filename 'x'",
    )
    expect((await sandbox.post(path, {...form, size: '1X'})).status).to.equal(400)
  })

  it('remove a volume in a task, a protected backup not', async () => {
    const [backup] = await rows('/nodes/pve1/storage/nas/content?content=backup&vmid=120')
    const path = `/nodes/pve1/storage/nas/content/${encodeURIComponent(String(backup?.['volid']))}`
    expect(await sandbox.outcome(sandbox.delete(path))).to.match(
      /^cannot remove protected volume 'backup\/vzdump-lxc-120/,
    )
    expect((await sandbox.put(path, {protected: 0, notes: 'old'})).status).to.equal(200)
    expect((await sandbox.get(path)).data).to.include({notes: 'old', protected: 0, format: 'raw'})
    expect(await sandbox.outcome(sandbox.delete(path))).to.equal('OK')
    expect(await rows('/nodes/pve1/storage/nas/content?content=backup&vmid=120')).to.deep.equal([])
  })

  it('note things on backups only', async () => {
    const path = '/nodes/pve1/storage/nas/content/nas:150%2Fvm-150-disk-0.raw'
    expect((await sandbox.put(path, {notes: 'x'})).reason).to.equal('only backups can have notes')
  })

  it('refuse a volume of another storage', async () => {
    const answer = await sandbox.get('/nodes/pve1/storage/nas/content/local:iso%2Fx.iso')
    expect(answer.errors).to.deep.equal({volume: 'storage ID mismatch (local != nas)\n'})
  })

  it('wait for a removal when told to, and tell how it failed', async () => {
    const [backup] = await rows('/nodes/pve1/storage/nas/content?content=backup&vmid=120')
    const path = `/nodes/pve1/storage/nas/content/${encodeURIComponent(String(backup?.['volid']))}`
    const refused = await sandbox.delete(`${path}?delay=5`)
    expect(refused.reason).to.match(/^cannot remove protected volume/)
    await sandbox.put(path, {protected: 0})
    expect(await sandbox.delete(`${path}?delay=5`)).to.deep.include({status: 200, data: null})
  })

  it('show empty notes of a backup, and take notes where there is none', async () => {
    const answer = await sandbox.post('/nodes/pve1/vzdump', {vmid: 101, storage: 'nas'})
    await sandbox.outcome(answer)
    const all = await rows('/nodes/pve1/storage/nas/content?content=backup&vmid=101')
    const path = (volid: unknown): string =>
      `/nodes/pve1/storage/nas/content/${encodeURIComponent(String(volid))}`
    expect((await sandbox.get(path(all.at(-1)?.['volid']))).data).to.include({notes: '', protected: 0})
    const missing = path('nas:backup/vzdump-lxc-101-2020_01_01-00_00_00.tar.zst')
    expect((await sandbox.put(missing, {notes: 'x'})).status).to.equal(200)
  })
})

describe('storage.cfg', () => {
  let sandbox: InProcessSandbox

  beforeEach(() => {
    sandbox = new InProcessSandbox()
  })

  it('takes a new storage, changes it and forgets it with its permissions', async () => {
    const created = await sandbox.post('/storage', {storage: 'iso2', type: 'dir', path: '/mnt/iso2/'})
    expect(created.data).to.deep.equal({storage: 'iso2', type: 'dir'})
    expect((await sandbox.get('/storage/iso2')).data).to.include({
      path: '/mnt/iso2',
      content: 'images,rootdir',
    })
    await sandbox.put('/storage/iso2', {content: 'iso', disable: 1, nodes: 'pve'})
    expect((await sandbox.get('/storage/iso2')).data).to.include({content: 'iso', disable: 1, nodes: 'pve'})
    expect((await sandbox.get('/nodes/pve/storage/iso2/content')).reason).to.equal(
      "storage 'iso2' is disabled",
    )
    await sandbox.put('/storage/iso2', {delete: 'disable,content'})
    const {state} = sandbox.cluster
    state.access.acl.push({
      path: '/storage/iso2',
      type: 'user',
      ugid: 'x@pve',
      propagate: 1,
      roleid: 'PVEAdmin',
    })
    expect((await sandbox.get('/storage/iso2')).data).to.include({content: 'images,rootdir'})
    expect((await sandbox.delete('/storage/iso2')).status).to.equal(200)
    expect(state.access.acl.map((a) => a.path)).not.to.include('/storage/iso2')
  })

  const refusals: [string, Record<string, string>, string][] = [
    ['POST', {storage: 'new1', type: 'dir'}, "missing value for required option 'path'"],
    ['POST', {storage: 'new1', type: 'dir', path: '/x', server: 'nas'}, "unexpected property 'server'"],
    ['POST', {storage: 'new1', type: 'dir', path: '/x y'}, 'illegal path for directory storage: /x y'],
    [
      'POST',
      {storage: 'btr', type: 'dir', path: '/x'},
      "create storage failed: storage ID 'btr' already defined",
    ],
    ['PUT', {delete: 'path'}, "update storage failed: unable to delete required option 'path'"],
    ['PUT', {delete: 'bogus'}, "update storage failed: no such option 'bogus'"],
    [
      'PUT',
      {delete: 'content', content: 'iso'},
      "update storage failed: cannot set and delete property 'content' at the same time!",
    ],
  ]
  for (const [method, form, reason] of refusals) {
    it(`refuses ${method} ${JSON.stringify(form)}`, async () => {
      const answer = method === 'POST' ? sandbox.post('/storage', form) : sandbox.put('/storage/btr', form)
      expect(await answer).to.include({status: 500, reason})
    })
  }

  it('always has its local storage', async () => {
    await sandbox.delete('/storage/local')
    expect((await sandbox.get('/storage/local')).data).to.include({path: '/var/lib/vz'})
    expect((await sandbox.delete('/storage/nosuch')).reason).to.equal(
      "delete storage failed: storage 'nosuch' does not exist",
    )
  })
})
