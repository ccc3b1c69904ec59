import {expect} from 'chai'
import {HealthWatch, type Moment} from '../../../../../src/lib/app/daemon/tell/health.ts'
import type {PassReport} from '../../../../../src/lib/model/daemon.ts'
import {failedPass, PASS_MS, passReport} from '../../../../support/pass-report.ts'

const MINUTE_MS = 60_000
const LIMITS = {intervalMs: MINUTE_MS, jitter: 0, taskTimeoutMs: 60 * MINUTE_MS}

const at = (minutes: number, setMs = 0): Moment => ({
  wallMs: PASS_MS + minutes * MINUTE_MS + setMs,
  steadyMs: minutes * MINUTE_MS,
})

describe('the health of the daemon', () => {
  let watch: HealthWatch
  beforeEach(() => {
    watch = new HealthWatch(LIMITS, at(0))
  })
  const end = (report: PassReport, now = at(0)): void => {
    watch.note({type: 'pass_ended', atMs: now.wallMs, report}, now)
  }
  const begin = (pass: number, now = at(0)): void => {
    watch.note({type: 'pass_started', atMs: now.wallMs, pass}, now)
  }
  const isAlive = (minutes: number): boolean => watch.alive(at(minutes)).ok

  it('is good for three intervals and a spare minute without progress', () => {
    expect([isAlive(0), isAlive(4), isAlive(4.1)]).to.deep.equal([true, true, false])
    watch.noteProgress(at(4))
    expect([isAlive(8), isAlive(8.1)]).to.deep.equal([true, false])
    expect(watch.alive(at(9))).to.deep.equal({
      ok: false,
      reason: 'the loop has not moved for 5 min, and the next pass is due: more than 4 min is wrong',
      lastProgress: '2026-11-18T06:04:00.000Z',
    })
  })

  it('is given as long as a pass took, and while one is made as long as a task may take', () => {
    begin(1)
    end(passReport(1), at(10))
    expect([isAlive(14), isAlive(14.1)]).to.deep.equal([true, false])
    begin(2, at(10))
    expect([isAlive(74), isAlive(74.1)]).to.deep.equal([true, false])
    end(passReport(2), at(10))
    expect(isAlive(74)).to.equal(false)
  })

  it('forgets how long a pass once took, as others take less', () => {
    begin(1)
    end(passReport(1), at(60))
    expect(isAlive(60)).to.equal(true)
    for (let pass = 2; pass <= 60; pass++) {
      begin(pass)
      end(passReport(pass))
    }
    expect([isAlive(4), isAlive(5)]).to.deep.equal([true, false])
  })

  it('goes by no clock that can be set, neither in a pass nor between two', () => {
    const year = 365 * 24 * 60 * MINUTE_MS
    begin(1, at(0, -56 * year))
    end(passReport(1), at(0))
    watch.noteProgress(at(0, year))
    expect([isAlive(4), isAlive(4.1)]).to.deep.equal([true, false])
    expect(watch.alive(at(1, year)).lastProgress).to.equal('2027-11-18T06:00:00.000Z')
  })

  it('is ready once a pass has ended well, and stays so when Proxmox goes away', () => {
    const ready = (): string | null => watch.ready(at(0)).reason
    expect(ready()).to.equal('no pass has ended yet')
    end(failedPass(1))
    expect(ready()).to.equal('no pass has ended well yet; the last one failed (unreachable): no way to pve1')
    end(passReport(2))
    expect(ready()).to.equal(null)
    end(failedPass(3))
    expect(ready()).to.equal(null)
  })

  it('is not ready while the journal cannot be used, nor when it is not alive', () => {
    end(passReport(1))
    end(failedPass(2, {problem: {code: 'journal_failed', message: 'EIO'}}))
    expect(watch.ready(at(0))).to.include({
      ok: false,
      reason: 'the journal cannot be used (journal_failed): EIO',
    })
    end(passReport(3))
    expect(watch.ready(at(0)).ok).to.equal(true)
    expect(watch.ready(at(10)).ok).to.equal(false)
  })
})
