import {mkdtempSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync} from 'node:fs'
import {tmpdir} from 'node:os'
import {join} from 'node:path'
import {expect} from 'chai'
import {MOST_UNPROVEN, writeOutcome} from '../../../../../src/lib/app/daemon/tell/outcome-files.ts'
import type {JobResult} from '../../../../../src/lib/model/daemon.ts'
import {PASS_MS} from '../../../../support/pass-report.ts'

const NONCE = 'AAAAAAAAAAAAAAAAAAAAAA'
const DONE: JobResult = {
  nonce: NONCE,
  op: 'snapshot.delete',
  guest: {kind: 'lxc', vmid: 101},
  outcome: 'succeeded',
  operation: 'r1.1',
}
const REFUSED: JobResult = {nonce: NONCE, op: 'snapshot.delete', outcome: 'refused', refusal: 'expired'}

describe('the outcome of a signed job', () => {
  let top: string
  let dir: string
  let warnings: string[]
  beforeEach(() => {
    top = mkdtempSync(join(tmpdir(), 'felhom-outcomes-'))
    dir = join(top, 'made', 'when-needed')
    warnings = []
  })
  afterEach(() => {
    rmSync(top, {recursive: true})
  })
  const write = (job: JobResult, atMs = PASS_MS): void => {
    writeOutcome(dir, job, atMs, (text) => void warnings.push(text))
  }
  const read = (): unknown => JSON.parse(readFileSync(join(dir, `${NONCE}.json`), 'utf8'))

  it('is for its group to read under a unit that leaves the group nothing, its directory too', () => {
    const mask = process.umask(0o077)
    try {
      write(DONE)
    } finally {
      process.umask(mask)
    }
    const modes = [join(dir, `${NONCE}.json`), dir, join(top, 'made'), top].map(
      (path) => statSync(path).mode & 0o777,
    )
    expect(modes).to.deep.equal([0o640, 0o750, 0o750, 0o700])
  })

  it('is a file of its nonce, which its group may read', () => {
    write(DONE)
    expect(readdirSync(dir)).to.deep.equal([`${NONCE}.json`])
    expect(statSync(join(dir, `${NONCE}.json`)).mode & 0o777).to.equal(0o640)
    expect(read()).to.deep.equal({
      schemaVersion: 1,
      nonce: NONCE,
      op: 'snapshot.delete',
      guest: 'lxc/101',
      outcome: 'succeeded',
      refusal: null,
      detail: null,
      operation: 'r1.1',
      ended: true,
      at: '2026-11-18T06:00:00.000Z',
    })
  })

  it('keeps its time when the same is told again, and follows when something becomes of it', () => {
    write({...DONE, outcome: 'in_flight'})
    write({...DONE, outcome: 'in_flight'}, PASS_MS + 1000)
    expect(read()).to.include({outcome: 'in_flight', ended: false, at: '2026-11-18T06:00:00.000Z'})
    write(DONE, PASS_MS + 2000)
    expect(read()).to.include({outcome: 'succeeded', ended: true, at: '2026-11-18T06:00:02.000Z'})
  })

  it('is not put aside by a forgery of the same nonce', () => {
    write(DONE)
    write(REFUSED)
    expect(read()).to.include({outcome: 'succeeded'})
  })

  it('is not put aside when only its number is remembered', () => {
    write(DONE)
    write({...REFUSED, refusal: 'replay'})
    expect(read()).to.include({outcome: 'succeeded'})
    write({...DONE, outcome: 'failed'})
    expect(read()).to.include({outcome: 'failed'})
  })

  it('takes the place of a refusal, and of a file that is not ours', () => {
    write(REFUSED)
    write(DONE)
    expect(read()).to.include({outcome: 'succeeded'})
    writeFileSync(join(dir, `${NONCE}.json`), '{')
    write(DONE)
    expect(read()).to.include({outcome: 'succeeded'})
  })

  it('stays where our own records know it; of the others the oldest go, of an earlier process too', () => {
    const place = (nonce: string, outcome: object): void =>
      writeFileSync(join(dir, `${nonce}.json`), JSON.stringify({operation: null, ...outcome}))
    const at = (i: number): string => new Date(PASS_MS + i * 1000).toISOString()
    write({...DONE, nonce: 'done'})
    for (let i = 0; i < MOST_UNPROVEN; i++) place(`done${i}`, {operation: 'r1.1', at: at(0)})
    for (let i = 0; i < MOST_UNPROVEN - 1; i++) place(`old${i}`, {refusal: 'expired', at: at(i)})
    place('replayed', {refusal: 'replay', at: at(0)})
    writeFileSync(join(dir, 'notes.txt'), '')
    const later = PASS_MS + 1_000_000_000
    write({...REFUSED, nonce: 'new0'}, later)
    expect(readdirSync(dir)).to.include.members(['new0.json', 'old0.json'])
    write({...REFUSED, nonce: 'new1'}, later)
    write({...REFUSED, nonce: 'new2'}, later)
    const names = readdirSync(dir)
    expect(names).to.include.members(['done.json', 'replayed.json', 'notes.txt', 'new2.json', 'old2.json'])
    expect(names).to.not.include('old0.json').and.not.include('old1.json')
    expect(names.filter((name) => name.startsWith('done'))).to.have.length(MOST_UNPROVEN + 1)
    expect(warnings).to.have.length(1)
  })

  it('is written nowhere else, whatever the nonce says', () => {
    for (const nonce of ['../x', '', 'a/b', '.', 'x'.repeat(100)]) write({...DONE, nonce})
    expect(readdirSync(top)).to.deep.equal([])
  })
})
