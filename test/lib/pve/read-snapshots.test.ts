import {expect} from 'chai'
import {readSnapshotRows} from '../../../src/lib/pve/answers.ts'
import {createReader} from '../../../src/lib/pve/read.ts'
import {InProcessConnection} from '../../../src/lib/testing/in-process-connection.ts'
import {InProcessSandbox} from '../../support/in-process-sandbox.ts'
import {rejection} from '../../support/reject.ts'

describe('snapshots as Proxmox lists them', () => {
  it('are those that were taken, without the entry for the present state', async () => {
    const sandbox = new InProcessSandbox()
    const reader = createReader(new InProcessConnection(sandbox.cluster))
    const guest = {kind: 'lxc', node: 'pve', vmid: 102} as const
    expect(await reader.readSnapshots(guest)).to.deep.equal([])
    const form = {snapname: 'before', description: 'first'}
    await sandbox.outcome(sandbox.post('/nodes/pve/lxc/102/snapshot', form))
    await sandbox.outcome(sandbox.post('/nodes/pve/lxc/102/snapshot', {snapname: 'after'}))
    const [before, after, ...others] = [...(await reader.readSnapshots(guest))].sort(
      (a, b) => (a.snaptime ?? 0) - (b.snaptime ?? 0) || (b.name < a.name ? -1 : 1),
    )
    expect(others).to.deep.equal([])
    expect(before).to.include({name: 'before', vmstate: false})
    expect(before?.description?.trim()).to.equal('first')
    expect(after).to.include({name: 'after', parent: 'before'})
    expect(after).not.to.have.property('description')
    expect(before?.snaptime).to.be.a('number')
  })

  it('of a machine say whether its memory is part of them', () => {
    const rows = readSnapshotRows([
      {name: 's1', description: '', snaptime: '1700000000', vmstate: 1},
      {name: 'current', description: 'You are here!', parent: 's1', running: 1},
    ])
    expect(rows).to.deep.equal([{name: 's1', snaptime: 1_700_000_000, vmstate: true}])
  })

  it('are asked for on the node where the guest is', async () => {
    const reader = createReader(new InProcessConnection(new InProcessSandbox().cluster))
    const missing = await rejection(reader.readSnapshots({kind: 'lxc', node: 'pve', vmid: 999}))
    expect(missing.code).to.equal('guest_missing')
  })

  it('are not made up from an answer of another shape', () => {
    expect(() => readSnapshotRows({})).to.throw(/expected a list/)
    expect(() => readSnapshotRows([{snaptime: 1}])).to.throw(/name: expected a text/)
  })
})
