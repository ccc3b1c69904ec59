import {expect} from 'chai'
import {mkdtempSync, rmSync} from 'node:fs'
import {tmpdir} from 'node:os'
import {join} from 'node:path'
import {checkAudit, findAuditHead, isWhole, listAudit} from '../../../../src/lib/app/gate/gate-audit.ts'
import {readClockMark, resetClockMark} from '../../../../src/lib/app/gate/gate-upkeep.ts'
import {withGateStores} from '../../../../src/lib/app/state/open-state.ts'
import {rejection} from '../../../support/reject.ts'

const [THEN, NOW] = [Date.UTC(2030, 0), Date.UTC(2026, 10, 18)]

describe('the mark of the clock', () => {
  let dir: string
  const request = () => ({
    settings: {state: join(dir, 'state')},
    holder: 'a test',
    lockTimeoutMs: 0,
    signal: new AbortController().signal,
    warn: () => undefined,
    onLocked: () => undefined,
  })

  beforeEach(async () => {
    dir = mkdtempSync(join(tmpdir(), 'felhom-upkeep-'))
    const place = {...request(), dir: request().settings.state}
    await withGateStores(place, ({nonces}) => nonces.advance({clockMs: THEN}))
  })
  afterEach(() => {
    rmSync(dir, {recursive: true, force: true})
  })

  it('is set back by the operator, and the audit tells who did it', async () => {
    const {settings} = request()
    const markMs = await readClockMark({settings})
    expect(markMs).to.be.greaterThan(NOW)
    await resetClockMark(request(), markMs, NOW)
    expect(await readClockMark({settings})).to.equal(NOW)
    const {records, total} = await listAudit(settings, 10)
    expect(total).to.equal(1)
    expect(records[0]).to.include({type: 'clock_reset', fromMs: markMs, toMs: NOW})
    const checked = await checkAudit(settings, undefined)
    expect(isWhole(checked)).to.equal(true)
    expect(checked.head).to.deep.equal(await findAuditHead(settings))
  })

  it('is left alone if it is no longer the one that was shown', async () => {
    const error = await rejection(resetClockMark(request(), 1, NOW))
    expect(error).to.have.property('code', 'declined')
    expect(await readClockMark(request())).to.be.greaterThan(NOW)
    expect((await listAudit(request().settings, 10)).total).to.equal(0)
  })
})

describe('the head of the audit', () => {
  it('is refused in any other form than the printed one', () => {
    expect(() => checkAudit({state: 'nowhere'}, 'abc')).to.throw('no head')
  })
})
