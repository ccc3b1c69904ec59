import {expect} from 'chai'
import {InProcessSandbox} from '../../../support/in-process-sandbox.ts'
import {homelabSeed, LEAST_TOKEN} from '../../../support/homelab-seed.ts'

type Row = Record<string, unknown>

describe('pool endpoints', () => {
  let sandbox: InProcessSandbox
  const update = (form: Record<string, string | number>): Promise<{reason: string}> =>
    sandbox.put('/pools', form)
  const members = async (poolid: string): Promise<unknown[]> => {
    const {data} = await sandbox.get(`/pools/${poolid}`)
    return ((data as Row)['members'] as Row[]).map((m) => m['id'])
  }

  beforeEach(async () => {
    sandbox = new InProcessSandbox(homelabSeed)
    await sandbox.post('/pools', {poolid: 'other'})
  })

  it('take guests and storages and give them back', async () => {
    await update({poolid: 'other', vms: '150,200', storage: 'nas'})
    expect(await members('other')).to.deep.equal(['lxc/150', 'qemu/200', 'storage/pve1/nas'])
    await update({poolid: 'other', vms: '150', delete: 1})
    expect(await members('other')).to.deep.equal(['qemu/200', 'storage/pve1/nas'])
  })

  it('lose a comment that is emptied', async () => {
    await update({poolid: 'other', comment: 'mine'})
    expect((await sandbox.get('/pools/other')).data).to.include({comment: 'mine'})
    await update({poolid: 'other', comment: ''})
    expect((await sandbox.get('/pools/other')).data).not.to.have.property('comment')
  })

  it('move a guest only when told to', async () => {
    const refused = await update({poolid: 'other', vms: '101'})
    expect(refused.reason).to.equal(
      "update pools failed: VM 101 belongs already to pool 'infra' and 'allow-move' is not set",
    )
    await update({poolid: 'other', vms: '101', 'allow-move': 1})
    expect(await members('other')).to.deep.equal(['lxc/101'])
    expect(await members('infra')).not.to.include('lxc/101')
  })

  it('change nothing when one of several members is refused', async () => {
    expect((await update({poolid: 'other', vms: '150,101'})).reason).to.contain('belongs already')
    expect(await members('other')).to.deep.equal([])
  })

  it('refuse what is not there and names that Proxmox refuses', async () => {
    expect((await sandbox.get('/pools/nosuch')).reason).to.equal("pool 'nosuch' does not exist")
    expect((await update({poolid: 'nosuch', comment: 'x'})).reason).to.equal(
      "update pools failed: pool 'nosuch' does not exist",
    )
    const create = async (poolid: string): Promise<string> => (await sandbox.post('/pools', {poolid})).reason
    expect(await create('other')).to.equal("create pool failed: pool 'other' already exists")
    expect(await create('no/child')).to.equal(
      "create pool failed: parent 'no' of pool 'no/child' does not exist",
    )
    expect(await create('other/child')).to.equal('OK')
    expect((await sandbox.delete('/pools/other')).reason).to.contain(
      "is not empty (contains pool 'other/child')",
    )
  })

  it('list only what the caller may audit', async () => {
    sandbox.cluster.state.access.acl = []
    expect((await sandbox.get('/pools', LEAST_TOKEN)).data).to.deep.equal([])
  })
})
