import {expect} from 'chai'
import {FelhomError} from '../../../src/lib/model/felhom-error.ts'
import {MemoryDisk} from '../../support/memory-disk.ts'
import {rejection} from '../../support/reject.ts'
import {JOURNAL, knowledgeOf, makeIntent, openOn, segmentPath, writeEveryKind} from './journal-fixture.ts'

interface Written {
  readonly bytes: Buffer
  /** Where each line ends, its newline included. */
  readonly ends: readonly number[]
  /** What is known when that many lines are there. */
  readonly known: ReadonlyMap<number, unknown>
  readonly machine: MemoryDisk
  readonly path: string
}

/** A journal with every kind of record, in its first segment or behind a checkpoint. */
async function write(segment: 1 | 2): Promise<Written> {
  const machine = new MemoryDisk()
  const journal = await openOn(machine)
  if (segment === 2) {
    await journal.start(makeIntent('r.0', 100, {key: 'nonce-2'}))
    await journal.rotate()
  }
  const path = segmentPath(segment)
  const lines = (): number => machine.bytes(path).toString('latin1').split('\n').length - 1
  const known = new Map<number, unknown>([[lines(), knowledgeOf(journal)]])
  await writeEveryKind(journal, () => known.set(lines(), knowledgeOf(journal)))
  await journal.close()
  const bytes = machine.bytes(path)
  const ends = [...bytes.entries()].filter(([, byte]) => byte === 0x0a).map(([at]) => at + 1)
  return {bytes, ends, known, machine, path}
}

async function openDamaged(
  {machine, path}: Written,
  bytes: Buffer,
): Promise<{known: unknown; warnings: string[]; machine: MemoryDisk} | FelhomError> {
  const copy = machine.copy()
  copy.put(path, bytes)
  const warnings: string[] = []
  try {
    const journal = await openOn(copy, {warnings})
    const known = knowledgeOf(journal)
    await journal.close()
    return {known, warnings, machine: copy}
  } catch (error) {
    if (error instanceof FelhomError) return error
    throw error
  }
}

for (const segment of [1, 2] as const) {
  const head = segment
  describe(`a journal ${segment === 1 ? 'in its first segment' : 'behind a checkpoint'}`, () => {
    let written: Written
    before(async () => {
      written = await write(segment)
    })

    it('torn at any byte is mended to exactly the records that are whole, or is loud in its head', async () => {
      const {bytes, ends, known, path} = written
      for (let length = 0; length < bytes.length; length++) {
        const opened = await openDamaged(written, bytes.subarray(0, length))
        // A record that lacks only its newline is there.
        const whole = ends.filter((end) => end - 1 <= length).length
        const isCut = !ends.includes(length) && !ends.includes(length + 1)
        if (length < (ends[head - 1] ?? 0)) {
          expect(opened, `cut at ${length}`)
            .to.be.instanceOf(FelhomError)
            .with.property('code', 'journal_corrupt')
          continue
        }
        if (opened instanceof FelhomError) throw opened
        expect(opened.known, `cut at ${length}`).to.deep.equal(known.get(whole))
        expect(opened.warnings, `cut at ${length}`).to.have.length(isCut ? 1 : 0)
        expect(opened.machine.bytes(path)).to.deep.equal(bytes.subarray(0, ends[whole - 1]))
        const aside = opened.machine.names(JOURNAL).filter((name) => name.includes('.torn-'))
        const kept = aside.map((name) => opened.machine.bytes(`${JOURNAL}/${name}`))
        expect(kept).to.deep.equal(isCut ? [bytes.subarray(ends[whole - 1], length)] : [])
      }
    })

    it('with any one bit flipped is loud, and says where', async () => {
      const {bytes, ends, path} = written
      // Behind a checkpoint the records are the same: only what is new is gone through.
      const end = segment === 1 ? bytes.length : (ends[head] ?? 0)
      const machine = written.machine.copy()
      for (let at = 0; at < end; at++) {
        const line = ends.findIndex((other) => other > at) + 1
        for (let bit = 0; bit < 8; bit++) {
          const flipped = Buffer.from(bytes)
          flipped[at] = (flipped[at] ?? 0) ^ (1 << bit)
          machine.put(path, flipped)
          const error = await rejection(openOn(machine))
          if (
            error.code !== 'journal_corrupt' ||
            !error.message.startsWith(`0000000${segment}.log, line ${line} (`)
          )
            throw new Error(`bit ${bit} of byte ${at}: ${error.message}`)
        }
      }
    })

    it('that lacks a line, has one twice, or two swapped, is loud', async () => {
      const {bytes, ends} = written
      const lines = ends.map((end, index) => bytes.subarray(ends[index - 1] ?? 0, end))
      for (let at = 0; at < lines.length; at++) {
        const isLast = at === lines.length - 1
        const others = [
          ...(isLast
            ? []
            : [lines.toSpliced(at, 1), lines.toSpliced(at, 2, ...lines.slice(at, at + 2).reverse())]),
          lines.toSpliced(at, 0, lines[at] ?? Buffer.alloc(0)),
        ]
        for (const other of others)
          expect(await openDamaged(written, Buffer.concat(other)), `line ${at + 1}`)
            .to.be.instanceOf(FelhomError)
            .with.property('code', 'journal_corrupt')
      }
    })
  })
}

describe('the end of a journal', () => {
  const longReason = 'x'.repeat(2000)
  /** The last record is longer than three sectors. */
  async function writeLong(): Promise<{machine: MemoryDisk; start: number; bytes: Buffer}> {
    const machine = new MemoryDisk()
    const journal = await openOn(machine)
    await journal.start(makeIntent('r.1', 101))
    const start = machine.bytes(segmentPath(1)).length
    await journal.start(makeIntent('r.2', 102, {name: longReason}))
    await journal.close()
    return {machine, start, bytes: machine.bytes(segmentPath(1))}
  }
  const openWith = (machine: MemoryDisk, bytes: Buffer): ReturnType<typeof openOn> => {
    machine.put(segmentPath(1), bytes)
    return openOn(machine)
  }
  const sectorIn = (start: number): number => Math.ceil(start / 512) * 512

  it('is torn when a whole sector of the last line was never written, newline or not', async () => {
    for (const end of ['newline', 'zeros', 'part of a sector']) {
      const {machine, start, bytes} = await writeLong()
      const zeroed = Buffer.from(bytes)
      const sector = sectorIn(start)
      if (end === 'newline') zeroed.fill(0, sector, sector + 512)
      else zeroed.fill(0, end === 'zeros' ? sector : sectorIn(bytes.length) - 512)
      const journal = await openWith(machine, zeroed)
      expect(
        journal.openOperations().map(({intent}) => intent.op),
        end,
      ).to.deep.equal(['r.1'])
    }
  })

  it('is damaged when only part of a sector is zero, or the sector is not of the last line', async () => {
    const {machine, start, bytes} = await writeLong()
    const part = Buffer.from(bytes)
    part.fill(0, sectorIn(start), sectorIn(start) + 511)
    expect(await rejection(openWith(machine, part))).to.have.property('code', 'journal_corrupt')
    const journal = await openWith(machine, bytes)
    await journal.settle('r.1', {state: 'failed', by: 'engine', reason: ''})
    await journal.close()
    const middle = machine.bytes(segmentPath(1))
    middle.fill(0, sectorIn(start), sectorIn(start) + 512)
    expect(await rejection(openWith(machine, middle))).to.have.property('code', 'journal_corrupt')
  })

  it('that is no beginning of a record is damaged, not torn', async () => {
    for (const tail of ['x', '{"seq":9', '{"seq":4,"a":1}', '{"seq":4,"a":\u0001', '[', '\n', '}', ' ']) {
      const {machine, bytes} = await writeLong()
      const error = await rejection(openWith(machine, Buffer.concat([bytes, Buffer.from(tail)])))
      expect(error, tail).to.have.property('code', 'journal_corrupt')
    }
    const {machine, bytes} = await writeLong()
    await openWith(machine, Buffer.concat([bytes, Buffer.from('{"seq":4,"a":"}')]))
  })

  it('is told with the file, the line, the byte, and what to do', async () => {
    const {machine, start, bytes} = await writeLong()
    bytes[start + 20] = 0x41
    const error = await rejection(openWith(machine, bytes))
    expect(error.message).to.equal(`00000001.log, line 3 (byte ${start}): its hash is wrong`)
    expect(error.hint).to.contain('felhom journal verify --repair')
  })
})
