import {mkdtempSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync} from 'node:fs'
import {tmpdir} from 'node:os'
import {join} from 'node:path'
import {expect} from 'chai'
import {MOST_UNPROVEN, writeOutcome} from '../../../../src/lib/app/daemon/outcome-files.ts'
import type {JobResult} from '../../../../src/lib/model/daemon.ts'
import {PASS_MS} from '../../../support/pass-report.ts'

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

  it('takes the place of a refusal, and of a file that is not ours', () => {
    write(REFUSED)
    write(DONE)
    expect(read()).to.include({outcome: 'succeeded'})
    writeFileSync(join(dir, `${NONCE}.json`), '{')
    write(DONE)
    expect(read()).to.include({outcome: 'succeeded'})
  })

  it('is written without end only for what our own records know', () => {
    write(REFUSED)
    for (let i = 1; i < MOST_UNPROVEN; i++) writeFileSync(join(dir, `f${i}`), '')
    write({...REFUSED, nonce: 'B'})
    expect(readdirSync(dir)).to.have.length(MOST_UNPROVEN)
    expect(warnings).to.have.length(1)
    write({...DONE, nonce: 'C'})
    expect(readdirSync(dir)).to.include('C.json')
  })

  it('is written nowhere else, whatever the nonce says', () => {
    for (const nonce of ['../x', '', 'a/b', '.', 'x'.repeat(100)]) write({...DONE, nonce})
    expect(readdirSync(top)).to.deep.equal([])
  })
})
