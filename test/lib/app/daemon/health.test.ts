import {expect} from 'chai'
import {HealthWatch} from '../../../../src/lib/app/daemon/health.ts'
import type {PassReport} from '../../../../src/lib/model/daemon.ts'
import {failedPass, PASS_MS, passReport} from '../../../support/pass-report.ts'

const MINUTE_MS = 60_000
const LIMITS = {intervalMs: MINUTE_MS, jitter: 0, taskTimeoutMs: 60 * MINUTE_MS}

describe('the health of the daemon', () => {
  let watch: HealthWatch
  beforeEach(() => {
    watch = new HealthWatch(LIMITS, PASS_MS)
  })
  const end = (report: PassReport): void => {
    watch.note({type: 'pass_ended', atMs: report.endedMs, report})
  }
  const isAlive = (minutes: number): boolean => watch.alive(PASS_MS + minutes * MINUTE_MS).ok

  it('is good for three intervals and a spare minute without progress', () => {
    expect([isAlive(0), isAlive(4), isAlive(4.1)]).to.deep.equal([true, true, false])
    watch.noteProgress(PASS_MS + 4 * MINUTE_MS)
    expect([isAlive(8), isAlive(8.1)]).to.deep.equal([true, false])
    expect(watch.alive(PASS_MS + 9 * MINUTE_MS)).to.deep.equal({
      ok: false,
      reason: 'the loop has not moved for 5 min, and the next pass is due: more than 4 min is wrong',
      lastProgress: '2026-11-18T06:04:00.000Z',
    })
  })

  it('is given as long as a pass took, and while one is made as long as a task may take', () => {
    end({...passReport(1), endedMs: passReport(1).startedMs + 10 * MINUTE_MS})
    expect([isAlive(14), isAlive(14.1)]).to.deep.equal([true, false])
    watch.note({type: 'pass_started', atMs: 0, pass: 2})
    expect([isAlive(74), isAlive(74.1)]).to.deep.equal([true, false])
    end(passReport(2))
    expect(isAlive(74)).to.equal(false)
  })

  it('is ready once a pass has ended well, and stays so when Proxmox goes away', () => {
    const ready = (): string | null => watch.ready(PASS_MS).reason
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
    expect(watch.ready(PASS_MS)).to.include({
      ok: false,
      reason: 'the journal cannot be used (journal_failed): EIO',
    })
    end(passReport(3))
    expect(watch.ready(PASS_MS).ok).to.equal(true)
    expect(watch.ready(PASS_MS + 10 * MINUTE_MS).ok).to.equal(false)
  })
})
