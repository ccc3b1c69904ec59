import {existsSync, mkdtempSync, readdirSync, rmSync, writeFileSync} from 'node:fs'
import {tmpdir} from 'node:os'
import {join} from 'node:path'
import {expect} from 'chai'
import {auditSuspensions} from '../../../../src/lib/app/suspend/audit-suspensions.ts'
import {checkSuspensions} from '../../../../src/lib/app/doctor/check-suspensions.ts'
import {listAudit} from '../../../../src/lib/app/gate/gate-audit.ts'
import {withGateStores} from '../../../../src/lib/app/state/open-state.ts'
import {lookAtSuspensions, warnOfSuspended} from '../../../../src/lib/app/plan/plan-suspended.ts'
import {readSuspendedGuest, readSuspensionWish} from '../../../../src/lib/app/suspend/read-suspension-wish.ts'
import {resumeGuests, suspendGuests} from '../../../../src/lib/app/suspend/suspend-guests.ts'
import type {Plan} from '../../../../src/lib/model/plan.ts'
import {renderResumed, renderSuspended} from '../../../../src/lib/report/suspension-text.ts'
import {acquireLock} from '../../../../src/lib/store/acquire-lock.ts'
import {readSuspensions} from '../../../../src/lib/store/suspensions.ts'
import {guestPlan, plannedAction} from '../../../support/planned-action.ts'
import {rejection} from '../../../support/reject.ts'

const NOW = Date.UTC(2026, 10, 18)
const HOUR = 3_600_000

describe('suspend and resume', () => {
  let dir: string
  let state: string
  let nowMs: number
  const now = (): number => nowMs
  const request = () => ({
    settings: {state},
    holder: 'a test',
    lockTimeoutMs: 0,
    signal: new AbortController().signal,
    warn: () => undefined,
    onLocked: () => undefined,
  })
  const lock = () => ({dir: state, holder: 'a test', lockTimeoutMs: 0, warn: () => undefined})
  const held = (): (number | 'all')[] => readSuspensions(state, nowMs).map(({vmid}) => vmid)
  const audited = async (): Promise<unknown[]> =>
    (await listAudit({state}, 100)).records.map((record) =>
      'vmid' in record ? [record.type, record.vmid] : record.type,
    )

  beforeEach(() => {
    dir = mkdtempSync(join(tmpdir(), 'felhom-suspend-'))
    state = join(dir, 'state')
    nowMs = NOW
  })
  afterEach(() => {
    rmSync(dir, {recursive: true, force: true})
  })

  it('are kept for each guest and for all, with who and why, and audited', async () => {
    const {suspension} = await suspendGuests(request(), {vmid: 102, reason: 'by hand'}, now)
    expect(suspension).to.include({vmid: 102, sinceMs: NOW, reason: 'by hand'})
    expect(suspension.by).to.match(/^.+@.+$/)
    await suspendGuests(request(), {vmid: 101, untilMs: NOW + HOUR}, now)
    await suspendGuests(request(), {vmid: 'all'}, now)
    expect(held()).to.deep.equal(['all', 101, 102])
    const {lifted, left} = await resumeGuests(request(), 102, now)
    expect(lifted).to.deep.equal(suspension)
    expect(left.map(({vmid}) => vmid)).to.deep.equal(['all', 101])
    await resumeGuests(request(), 'all', now)
    expect(held()).to.deep.equal([101])
    expect(await audited()).to.deep.equal([
      ['suspended', 102],
      ['suspended', 101],
      'suspended',
      ['resumed', 102],
      'resumed',
    ])
  })

  it('again takes the place of what was, and says so', async () => {
    const first = await suspendGuests(request(), {vmid: 101, reason: 'old'}, now)
    nowMs += 5
    const second = await suspendGuests(request(), {vmid: 101, untilMs: NOW + HOUR}, now)
    expect(second.replaced).to.deep.equal(first.suspension)
    expect(readSuspensions(state, nowMs)).to.deep.equal([second.suspension])
    expect(renderSuspended(second.suspension, second.replaced))
      .to.contain('2026-11-18T01:00:00Z')
      .and.contain(': old')
  })

  it('suspend while another has the state directory, and leave it to the next to write the audit', async () => {
    await suspendGuests(request(), {vmid: 101}, now)
    const pass = await acquireLock(state, {timeoutMs: 0, holder: 'felhom daemon'})
    const {suspension, busy} = await suspendGuests(request(), {vmid: 102, reason: 'stop!'}, now)
    expect(busy).to.contain('felhom daemon')
    await suspendGuests(request(), {vmid: 'all'}, now)
    expect(readSuspensions(state, nowMs)).to.deep.include(suspension)
    const resumed = await resumeGuests(request(), 102, now).catch((error: unknown) => error)
    expect(resumed).to.include({code: 'journal_locked'})
    expect(await audited()).to.deep.equal([['suspended', 101]])
    await pass.release()
    await withGateStores(lock(), (place) => auditSuspensions(place, {holder: 'a test', lockTimeoutMs: 0}))
    expect(await audited()).to.deep.equal([['suspended', 101], ['suspended', 102], 'suspended'])
    const [, late] = (await listAudit({state}, 100)).records
    expect(late).to.deep.include({sinceMs: NOW, reason: 'stop!'})
    await withGateStores(lock(), (place) => auditSuspensions(place, {holder: 'a test', lockTimeoutMs: 0}))
    expect(await audited(), 'written once').to.have.length(3)
    expect(held()).to.deep.equal(['all', 101, 102])
  })

  it('tell the audit of what it has missed before they tell it of the end', async () => {
    await suspendGuests(request(), {vmid: 101}, now)
    const pass = await acquireLock(state, {timeoutMs: 0, holder: 'felhom daemon'})
    await suspendGuests(request(), {vmid: 102}, now)
    await pass.release()
    await resumeGuests(request(), 102, now)
    expect(await audited()).to.deep.equal([
      ['suspended', 101],
      ['suspended', 102],
      ['resumed', 102],
    ])
  })

  it('suspend though the audit is damaged, and say both', async () => {
    await suspendGuests(request(), {vmid: 101}, now)
    const [segment = ''] = readdirSync(join(state, 'audit')).filter((name) => name.endsWith('.log'))
    writeFileSync(join(state, 'audit', segment), 'x\n', {mode: 0o600})
    const error = await rejection(suspendGuests(request(), {vmid: 102}, now))
    expect(error).to.include({code: 'journal_corrupt'})
    expect(error).to.have.property('doubt').that.contains('suspended all the same')
    expect(held()).to.deep.equal([101, 102])
  })

  it('drop what has expired with the next write', async () => {
    await suspendGuests(request(), {vmid: 101, untilMs: NOW + HOUR}, now)
    nowMs = NOW + HOUR
    expect(await resumeGuests(request(), 101, now)).to.deep.equal({left: []})
    await suspendGuests(request(), {vmid: 102}, now)
    nowMs = NOW
    expect(held(), 'a clock set back does not bring it back').to.deep.equal([102])
  })

  it('of what is not suspended change nothing, and make no state directory', async () => {
    const resumed = await resumeGuests(request(), 101, now)
    expect(resumed).to.deep.equal({left: []})
    expect(existsSync(state)).to.equal(false)
    expect(renderResumed(101, resumed)).to.equal('Guest 101 is not suspended by itself: nothing to do.')
  })

  it('leave a damaged file alone, and only resume --all begins anew, with the old one kept', async () => {
    await suspendGuests(request(), {vmid: 101}, now)
    writeFileSync(join(state, 'suspensions.json'), 'x', {mode: 0o600})
    const works = [
      () => suspendGuests(request(), {vmid: 'all'}, now),
      () => resumeGuests(request(), 101, now),
    ]
    for (const work of works) {
      const error = await rejection(work())
      expect(error).to.include({code: 'state_unsafe'})
      expect(error).to.have.property('doubt').that.contains('every guest alone')
    }
    expect(held()).to.deep.equal(['all'])
    expect(checkSuspensions(state, nowMs)[0]).to.include({verdict: 'mend'})
    expect(lookAtSuspensions({state}, nowMs).problem).to.contain('cannot be told which guests')
    const {aside} = await resumeGuests(request(), 'all', now)
    expect(aside).to.equal(join(state, 'suspensions.json.damaged-20261118T000000Z'))
    expect(held()).to.deep.equal([])
    expect(readdirSync(state)).to.include('suspensions.json.damaged-20261118T000000Z')
  })

  it('are shown with plans: guests that have changes by name, and all in one sentence', async () => {
    const start = [plannedAction({type: 'start'})]
    const guests = [guestPlan(101, start), guestPlan(102, []), guestPlan(103, start)]
    const plan: Plan = {guests, unmanaged: 0, unchanged: 0, problems: []}
    expect(warnOfSuspended({state}, plan, nowMs)).to.deep.equal([])
    await suspendGuests(request(), {vmid: 101, reason: 'a\u001B[31mb\nc'}, now)
    await suspendGuests(request(), {vmid: 102}, now)
    const [single, ...rest] = warnOfSuspended({state}, plan, nowMs)
    expect(rest).to.deep.equal([])
    expect(single)
      .to.contain('lxc/101 (since 2026-11-18T00:00:00Z, by ')
      .and.contain(String.raw`: a\x1b[31mb\nc).`)
      .and.contain('That keeps no apply of yours from it.')
      .and.not.contain('102')
    await suspendGuests(request(), {vmid: 'all', untilMs: NOW + HOUR}, now)
    expect(warnOfSuspended({state}, plan, nowMs)[0]).to.match(
      /^All guests are suspended for the daemon \(since .*, until 2026-11-18T01:00:00Z, by /,
    )
    expect(checkSuspensions(state, nowMs)).to.have.lengthOf(1).and.have.nested.property('[0].verdict', 'note')
  })

  it('take a guest or --all, a time to come, and a short reason', () => {
    expect(readSuspendedGuest('qemu/104', false)).to.equal(104)
    expect(readSuspendedGuest(undefined, true)).to.equal('all')
    expect(readSuspensionWish({guest: '101', all: false, for: HOUR}, NOW)).to.deep.equal({
      vmid: 101,
      untilMs: NOW + HOUR,
    })
    const wrong: readonly [() => unknown, string][] = [
      [() => readSuspendedGuest(undefined, false), 'nothing is named'],
      [() => readSuspendedGuest('101', true), 'cannot be joined'],
      [() => readSuspendedGuest('web', false), 'names no guest'],
      [() => readSuspensionWish({all: true, until: NOW}, NOW), 'before it begins'],
      [() => readSuspensionWish({all: true, for: 8.64e15}, NOW), 'so late'],
      [() => readSuspensionWish({all: true, reason: 'x'.repeat(501)}, NOW), '501 characters'],
    ]
    for (const [work, said] of wrong) expect(work).to.throw(said).with.property('code', 'usage')
  })
})
