import {expect} from 'chai'
import {describeUse, provenanceOf} from '../../../../src/lib/app/gate/gate-evidence.ts'
import type {GuestIdentity} from '../../../../src/lib/model/identity.ts'
import type {JournalStore} from '../../../../src/lib/store/open-journal.ts'
import {MemoryDisk} from '../../../../src/lib/testing/memory-disk.ts'
import {ending, makeIntent, openOn} from '../../store/journal-fixture.ts'

const identity: GuestIdentity = {kind: 'lxc', vmid: 101, ids: ['rootfs:local-lvm:vm-101-disk-0']}
const body = {type: 'create', from: {empty: true}, options: {}, secrets: [], marker: []} as const

async function created(how: Parameters<typeof ending>, machine = new MemoryDisk()): Promise<JournalStore> {
  const journal = await openOn(machine)
  await journal.start(makeIntent('r1.1', 101, {run: 'r1', body, key: 'nonce-1'}))
  await journal.settle('r1.1', ending(...how))
  return journal
}

describe('what the journal proves to the gate', () => {
  it('is that this run has made this very guest', async () => {
    const proof = provenanceOf(await created(['succeeded', {identity}]))
    expect(proof.createdInRun('r1', identity)).to.equal(true)
    expect(proof.createdInRun('r2', identity)).to.equal(false)
    expect(proof.createdInRun('r1', {...identity, ids: ['rootfs:local-lvm:vm-101-disk-1']})).to.equal(false)
    expect(proof.createdInRun('r1', {...identity, vmid: 102})).to.equal(false)
    expect(proof.createdInRun('r1', {...identity, kind: 'qemu'})).to.equal(false)
    expect(proof.isScratch(identity)).to.equal(false)
  })

  it('is still so after a restart', async () => {
    const machine = new MemoryDisk()
    await (await created(['succeeded', {identity}], machine)).close()
    expect(provenanceOf(await openOn(machine)).createdInRun('r1', identity)).to.equal(true)
  })

  it('is nothing of a creation that failed, or whose author is not proved', async () => {
    for (const state of ['failed', 'satisfied', 'quarantined', 'superseded'] as const) {
      const proof = provenanceOf(await created([state, {identity}]))
      expect(proof.createdInRun('r1', identity), state).to.equal(false)
    }
    const unnamed = provenanceOf(await created(['succeeded', {identity: {...identity, ids: []}}]))
    expect(unnamed.createdInRun('r1', {...identity, ids: []})).to.equal(false)
  })

  it('is nothing of what was only changed', async () => {
    const journal = await openOn(new MemoryDisk())
    await journal.start(makeIntent('r1.1', 101, {run: 'r1'}))
    await journal.settle('r1.1', ending('succeeded', {identity}))
    expect(provenanceOf(journal).createdInRun('r1', identity)).to.equal(false)
  })

  it('is what became of an approval', async () => {
    const journal = await created(['succeeded', {identity}])
    expect(describeUse(journal, 'nonce-1')).to.equal('operation r1.1 (succeeded)')
    expect(describeUse(journal, 'nonce-2')).to.match(/nothing was sent under it/)
    const forgetful = {...evidenceOf(journal), findByKey: () => undefined}
    expect(describeUse(forgetful, 'nonce-1')).to.match(/it was sent/)
  })
})

const evidenceOf = (journal: JournalStore) => ({
  hasCreated: () => false,
  usedKey: (key: string) => journal.usedKey(key),
})
