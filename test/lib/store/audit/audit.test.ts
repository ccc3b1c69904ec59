import {expect} from 'chai'
import type {AuditSink} from '../../../../src/lib/gate/ports.ts'
import type {OpenAudit} from '../../../../src/lib/store/audit/open-audit.ts'
import {readAuditHead, verifyAudit, type AuditReport} from '../../../../src/lib/store/audit/read-audit.ts'
import {sealLine} from '../../../../src/lib/store/log/line.ts'
import {MemoryDisk} from '../../../../src/lib/testing/memory-disk.ts'
import {rejection} from '../../../support/reject.ts'
import {START_MS, STATE, tickingClock} from '../journal-fixture.ts'
import {describeDamage, type OpenSubject} from '../log/damage-suite.ts'
import {allowed, AUDIT, openOn, readAll, refused, signed, writeEveryKind} from './audit-fixture.ts'

/** The head seals all that is before it; but of a header alone it is not known when nothing was written yet. */
const subjectOf = (audit: OpenAudit): OpenSubject => ({
  known: () => (audit.head().seq <= 1 ? 'nothing' : audit.head()),
  close: () => audit.close(),
})

describeDamage({
  name: 'an audit',
  dir: AUDIT,
  place: 'audit/',
  open: async (machine, warnings = []) => subjectOf(await openOn(machine, {warnings})),
  write: async (machine, segment, onRecord) => {
    if (segment === 2) await beginSecond(machine)
    const audit = await openOn(machine)
    onRecord(subjectOf(audit))
    await writeEveryKind(audit, () => onRecord(subjectOf(audit)))
    await audit.close()
  },
})

/** A segment ends when the next record finds it full; that one is taken away again, so that the head stands alone. */
async function beginSecond(machine: MemoryDisk): Promise<void> {
  const audit = await openOn(machine, {segmentBytes: 1})
  while (!machine.names(AUDIT).includes('00000002.log')) await audit.append(signed)
  await audit.close()
  const path = `${AUDIT}/00000002.log`
  const [header = '', checkpoint = ''] = machine.text(path).split('\n')
  machine.put(path, Buffer.from(`${header}\n${checkpoint}\n`))
}

const verify = (machine: MemoryDisk, anchor?: {seq: number; h: string}): Promise<AuditReport> =>
  verifyAudit({disk: machine.mount(), dir: STATE}, anchor)

/** Several segments with ten records each or so. */
async function writeSegments(machine: MemoryDisk, count = 60): Promise<OpenAudit> {
  const audit = await openOn(machine, {segmentBytes: 2000, clock: tickingClock()})
  for (let n = 0; n < count; n++) await audit.append(allowed({vmid: n}))
  return audit
}

describe('the audit', () => {
  it('keeps every decision and event in order, each sealed, through restarts and segments', async () => {
    const machine = new MemoryDisk()
    const audit = await openOn(machine, {segmentBytes: 500})
    const sink: AuditSink = audit
    expect(audit.head()).to.deep.equal({seq: 0, h: '0'.repeat(32)})
    await sink.append(signed)
    machine.losePower()
    const again = await openOn(machine, {segmentBytes: 500})
    await again.append(refused)
    await writeEveryKind(again, () => undefined)
    const records = await readAll(machine)
    expect(records.map(({type}) => type)).to.deep.equal([
      ...Array.from({length: 5}, () => 'decision'),
      'trust_changed',
      'clock_reset',
      'journal_rearmed',
      'approval_rejected',
      'suspended',
      'resumed',
      'source_accepted',
    ])
    expect(records[0]).to.deep.include({...signed, seq: 2, at: START_MS + 1})
    expect(records[1]).to.deep.include(refused)
    const {seq, h} = records.at(-1) ?? {}
    expect(again.head()).to.deep.equal({seq, h})
    expect(await readAuditHead({disk: machine.mount(), dir: STATE})).to.deep.equal({seq, h})
    expect(machine.names(AUDIT).length).to.be.greaterThan(1)
    const report = await verify(machine)
    expect(report).to.deep.include({records: 12, problems: [], head: {seq, h}})
  })

  it('is made with its first record, and reading makes nothing', async () => {
    const machine = new MemoryDisk()
    const audit = await openOn(machine)
    expect(await readAll(machine)).to.deep.equal([])
    expect(await readAuditHead({disk: machine.mount(), dir: STATE})).to.equal(undefined)
    expect(await verify(machine)).to.deep.equal({segments: [], records: 0, bytes: 0, problems: []})
    expect(await audit.compact({olderThanMs: 0})).to.deep.equal({removed: [], kept: []})
    await audit.close()
    expect([...machine.files().keys()]).to.deep.equal([])
  })

  it('shares a sync between decisions that fall at once', async () => {
    const machine = new MemoryDisk()
    const audit = await openOn(machine)
    await audit.append(allowed())
    const before = machine.syncs
    await Promise.all(Array.from({length: 50}, (_, vmid) => audit.append(allowed({vmid}))))
    expect(machine.syncs - before).to.equal(1)
  })

  it('refuses what it could not read back, and writes nothing of it', async () => {
    const machine = new MemoryDisk()
    const audit = await openOn(machine)
    const wrong: object[] = [
      {op: 5},
      {class: 'harmless'},
      {vmid: -1},
      {decision: 'maybe'},
      {signers: ['x']},
      {signers: [null]},
      {message: 7},
    ]
    for (const part of wrong)
      expect((await rejection(audit.append(allowed(part)))).code).to.equal('unexpected')
    const event = {type: 'clock_reset', fromMs: 1, toMs: Number.NaN, by: 'x'} as const
    expect((await rejection(audit.note(event))).message).to.equal(
      'a record clock_reset cannot have this toMs',
    )
    expect(machine.names(AUDIT)).to.deep.equal([])
  })

  it('tells when it cannot be kept, and never that it was', async () => {
    const machine = new MemoryDisk()
    const audit = await openOn(machine)
    await audit.append(allowed())
    machine.onCall = ({name}) => (name === 'write' ? {error: 'ENOSPC', afterBytes: 9} : undefined)
    expect((await rejection(audit.append(signed))).code).to.equal('journal_failed')
    machine.onCall = undefined
    await audit.append(refused)
    machine.losePower()
    expect((await readAll(machine)).map((record) => 'refusal' in record)).to.deep.equal([false, true])
  })

  it('holds every record that was told, wherever the machine dies', async () => {
    const run = async (machine: MemoryDisk, told: number[]): Promise<void> => {
      const audit = await openOn(machine, {segmentBytes: 800})
      for (let n = 0; n < 5; n++)
        await Promise.all(
          [0, 1, 2].map(async (lane) => {
            await audit.append(allowed({vmid: n * 3 + lane}))
            told.push(n * 3 + lane)
          }),
        )
    }
    const whole = new MemoryDisk()
    await run(whole, [])
    for (let index = 0; index < whole.calls; index++)
      for (const crash of ['before', 'after'] as const) {
        let draw = index
        const machine = new MemoryDisk({random: () => (draw = (draw * 7 + 3) % 101) / 101})
        machine.onCall = (call) => (call.index === index ? {crash} : undefined)
        const told: number[] = []
        await run(machine, told).catch(() => undefined)
        machine.onCall = undefined
        await (await openOn(machine)).close()
        const kept = (await readAll(machine)).map((record) => ('vmid' in record ? record.vmid : undefined))
        expect(kept, `call ${index}, ${crash}`).to.include.members(told)
        expect((await verify(machine)).problems, `call ${index}, ${crash}`).to.deep.equal([])
      }
  })
})

describe('old segments of the audit', () => {
  it('stay, however many there are, until the operator asks by age', async () => {
    const machine = new MemoryDisk()
    const audit = await writeSegments(machine)
    const names = machine.names(AUDIT)
    expect(names.length).to.be.greaterThan(3)
    expect((await readAll(machine)).length).to.equal(60)
    expect(await audit.compact({olderThanMs: 1e9})).to.deep.equal({removed: [], kept: names})
    const {removed} = await audit.compact({olderThanMs: -1e9})
    expect(removed).to.deep.equal(names.slice(0, -1))
    expect((await verify(machine)).problems).to.deep.equal([])
    await audit.append(signed)
    expect((await readAll(machine)).at(-1)).to.deep.include(signed)
  })

  it('are loud with any byte changed, though the newest alone is read at a start', async () => {
    const machine = new MemoryDisk()
    await (await writeSegments(machine)).close()
    const path = `${AUDIT}/00000002.log`
    const bytes = machine.bytes(path)
    for (let at = 0; at < bytes.length; at++) {
      const changed = Buffer.from(bytes)
      changed[at] = (changed[at] ?? 0) ^ (1 << (at % 8))
      machine.put(path, changed)
      const {problems} = await verify(machine)
      if (!problems.some(({file}) => file === '00000002.log' || file === '00000003.log'))
        throw new Error(`byte ${at} was changed in silence`)
    }
    const error = await rejection(readAll(machine))
    expect(error.message).to.match(/^audit\/00000002\.log, line /)
    expect(error.hint).to.contain('felhom gate audit --verify')
  })

  it('are loud when one is missing between others', async () => {
    const machine = new MemoryDisk()
    await (await writeSegments(machine)).close()
    machine.drop(`${AUDIT}/00000002.log`)
    expect((await rejection(openOn(machine))).message).to.contain('audit/00000002.log')
    expect((await verify(machine)).problems[0]?.message).to.equal('the file is missing')
  })
})

describe('a head that was kept elsewhere', () => {
  it('is held by an audit that has grown since, and not by one that was cut or written anew', async () => {
    const machine = new MemoryDisk()
    const audit = await writeSegments(machine, 20)
    const early = audit.head()
    for (let n = 0; n < 20; n++) await audit.append(allowed())
    const late = audit.head()
    await audit.close()
    expect((await verify(machine, early)).holdsAnchor).to.equal(true)
    expect((await verify(machine, late)).holdsAnchor).to.equal(true)
    expect((await verify(machine, {...late, h: early.h})).holdsAnchor).to.equal(false)

    const newest = `${AUDIT}/${machine.names(AUDIT).at(-1) ?? ''}`
    const lines = machine.text(newest).trimEnd().split('\n')
    machine.put(newest, Buffer.from(`${lines.slice(0, -1).join('\n')}\n`))
    const cut = await verify(machine, late)
    expect([cut.problems, cut.holdsAnchor]).to.deep.equal([[], false])
    expect((await verify(machine, early)).holdsAnchor).to.equal(true)

    const other = new MemoryDisk()
    await (await writeSegments(other, 40)).close()
    expect((await verify(other, late)).holdsAnchor).to.equal(false)
  })
})

describe('a record of the audit that could never have been written', () => {
  it('is as loud as a wrong hash, and one of a newer felhom is told as such', async () => {
    for (const [record, message] of [
      [{type: 'decision', at: 1, op: 'x'}, 'a record decision cannot have this class'],
      [{type: 'later', at: 1}, 'records of type later are not known'],
    ] as const) {
      const machine = new MemoryDisk()
      const audit = await openOn(machine)
      await audit.append(allowed())
      const {seq, h} = audit.head()
      await audit.close()
      const path = `${AUDIT}/00000001.log`
      const text = machine.text(path) + sealLine(h, seq + 1, JSON.stringify(record)).text
      machine.put(path, Buffer.from(text))
      expect((await rejection(openOn(machine))).message).to.contain(message)
      expect((await verify(machine)).problems).to.have.length(1)
    }
  })
})
