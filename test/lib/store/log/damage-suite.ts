// What damage does to a log, byte by byte and bit by bit, for any kind of log: each record type that `write` makes is
// torn everywhere and flipped everywhere, and nothing of it may pass in silence.
import {expect} from 'chai'
import {FelhomError} from '../../../../src/lib/model/felhom-error.ts'
import {MemoryDisk} from '../../../../src/lib/testing/memory-disk.ts'
import {rejection} from '../../../support/reject.ts'

export interface OpenSubject {
  /** All that it knows, to be compared with what another knows. */
  known(): unknown
  close(): Promise<void>
}

export interface LogSubject {
  readonly name: string
  /** Of the segments. */
  readonly dir: string
  /** What an error says before the segment's name. */
  readonly place: string
  open(machine: MemoryDisk, warnings?: string[]): Promise<OpenSubject>
  /** One record of every kind, told after each; in the first segment, or behind a checkpoint that holds something. */
  write(machine: MemoryDisk, segment: 1 | 2, onRecord: (open: OpenSubject) => void): Promise<void>
}

interface Written {
  readonly bytes: Buffer
  /** Where each line ends, its newline included. */
  readonly ends: readonly number[]
  /** What is known when that many lines are there. */
  readonly known: ReadonlyMap<number, unknown>
  readonly machine: MemoryDisk
  readonly path: string
}

async function write(subject: LogSubject, segment: 1 | 2): Promise<Written> {
  const machine = new MemoryDisk()
  const path = `${subject.dir}/0000000${segment}.log`
  // A log that is made with its first record knows as much before as its header tells.
  const lines = (): number =>
    machine.files().has(path) ? machine.bytes(path).toString('latin1').split('\n').length - 1 : 1
  const known = new Map<number, unknown>()
  await subject.write(machine, segment, (open) => known.set(lines(), open.known()))
  const bytes = machine.bytes(path)
  const ends = [...bytes.entries()].filter(([, byte]) => byte === 0x0a).map(([at]) => at + 1)
  return {bytes, ends, known, machine, path}
}

type Opened = {known: unknown; warnings: string[]; machine: MemoryDisk} | FelhomError

async function openDamaged(subject: LogSubject, {machine, path}: Written, bytes: Buffer): Promise<Opened> {
  const copy = machine.copy()
  copy.put(path, bytes)
  const warnings: string[] = []
  try {
    const open = await subject.open(copy, warnings)
    const known = open.known()
    await open.close()
    return {known, warnings, machine: copy}
  } catch (error) {
    if (error instanceof FelhomError) return error
    throw error
  }
}

const expectCorrupt = (opened: Opened, place: string): void => {
  expect(opened, place).to.be.instanceOf(FelhomError).with.property('code', 'journal_corrupt')
}

export function describeDamage(subject: LogSubject): void {
  for (const segment of [1, 2] as const)
    describe(`${subject.name} ${segment === 1 ? 'in its first segment' : 'behind a checkpoint'}`, () => {
      let written: Written
      before(async () => {
        written = await write(subject, segment)
      })

      it('torn at any byte is mended to exactly the records that are whole, or is loud in its head', async () => {
        const {bytes, ends} = written
        for (let length = 0; length < bytes.length; length++) {
          const opened = await openDamaged(subject, written, bytes.subarray(0, length))
          if (length < (ends[segment - 1] ?? 0)) expectCorrupt(opened, `cut at ${length}`)
          else expectMended(subject, written, opened, length)
        }
      })

      it('with any one bit flipped is loud, and says where', async () => {
        const {bytes, ends, path} = written
        // Behind a checkpoint the records are the same: only what is new is gone through.
        const end = segment === 1 ? bytes.length : (ends[segment] ?? 0)
        const machine = written.machine.copy()
        for (let at = 0; at < end; at++) {
          const line = ends.findIndex((other) => other > at) + 1
          for (let bit = 0; bit < 8; bit++) {
            const flipped = Buffer.from(bytes)
            flipped[at] = (flipped[at] ?? 0) ^ (1 << bit)
            machine.put(path, flipped)
            const {code, message} = await rejection(subject.open(machine))
            const start = `${subject.place}0000000${segment}.log, line ${line} (`
            if (code !== 'journal_corrupt' || !message.startsWith(start))
              throw new Error(`bit ${bit} of byte ${at}: ${message}`)
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
            expectCorrupt(await openDamaged(subject, written, Buffer.concat(other)), `line ${at + 1}`)
        }
      })
    })
}

function expectMended(subject: LogSubject, written: Written, opened: Opened, length: number): void {
  const {bytes, ends, known, path} = written
  // A record that lacks only its newline is there.
  const whole = ends.filter((end) => end - 1 <= length).length
  const isCut = !ends.includes(length) && !ends.includes(length + 1)
  if (opened instanceof FelhomError) throw opened
  expect(opened.known, `cut at ${length}`).to.deep.equal(known.get(whole))
  expect(opened.warnings, `cut at ${length}`).to.have.length(isCut ? 1 : 0)
  expect(opened.machine.bytes(path)).to.deep.equal(bytes.subarray(0, ends[whole - 1]))
  const aside = opened.machine.names(subject.dir).filter((name) => name.includes('.torn-'))
  const kept = aside.map((name) => opened.machine.bytes(`${subject.dir}/${name}`))
  expect(kept).to.deep.equal(isCut ? [bytes.subarray(ends[whole - 1], length)] : [])
}
