import {expect} from 'chai'
import {Permissions} from '../../../../src/lib/app/daemon/permission.ts'
import {Windows} from '../../../../src/lib/app/daemon/windows.ts'
import type {Settings} from '../../../../src/lib/settings/settings.ts'

const HOUR_MS = 3_600_000
const at = (text: string): number => Date.parse(text)
const night = (timezone: string): Windows =>
  new Windows([{cron: '0 2 * * *', durationMs: 2 * HOUR_MS, timezone}])

describe('maintenance windows', () => {
  it('are open from each moment of their pattern for their duration, and not a millisecond longer', () => {
    const windows = night('UTC')
    const isOpen = (text: string): boolean => windows.at(at(text)).isOpen
    expect(isOpen('2026-11-18T01:59:59.999Z')).to.equal(false)
    expect(isOpen('2026-11-18T02:00:00.000Z')).to.equal(true)
    expect(isOpen('2026-11-18T03:59:59.999Z')).to.equal(true)
    expect(isOpen('2026-11-18T04:00:00.000Z')).to.equal(false)
  })

  it('say when that changes', () => {
    const windows = night('UTC')
    expect(windows.at(at('2026-11-18T03:00:00Z')).untilMs).to.equal(at('2026-11-18T04:00:00Z'))
    expect(windows.at(at('2026-11-18T12:00:00Z')).untilMs).to.equal(at('2026-11-19T02:00:00Z'))
  })

  it('go by the clock of their own time zone, in summer and in winter', () => {
    expect(night('Europe/Budapest').at(at('2026-07-01T00:30:00Z')).isOpen).to.equal(true)
    expect(night('Europe/Budapest').at(at('2026-12-01T00:30:00Z')).isOpen).to.equal(false)
    expect(night('Europe/Budapest').at(at('2026-12-01T01:30:00Z')).isOpen).to.equal(true)
  })

  it('may reach over midnight, and overlap', () => {
    const windows = new Windows([
      {cron: '0 23 * * *', durationMs: 3 * HOUR_MS, timezone: 'UTC'},
      {cron: '0 1 * * *', durationMs: 2 * HOUR_MS, timezone: 'UTC'},
    ])
    const state = windows.at(at('2026-11-18T01:30:00Z'))
    expect(state).to.include({isOpen: true, untilMs: at('2026-11-18T03:00:00Z')})
  })

  it('are found again when the clock was put back', () => {
    const windows = night('UTC')
    expect(windows.at(at('2026-11-18T03:00:00Z')).isOpen).to.equal(true)
    expect(windows.at(at('2026-11-18T01:00:00Z')).isOpen).to.equal(false)
    expect(windows.at(at('2026-11-18T03:00:00Z')).isOpen).to.equal(true)
  })

  it('are always open where there is none, and never where none will come', () => {
    expect(new Windows([]).at(0)).to.deep.include({isOpen: true, untilMs: undefined})
    const never = new Windows([{cron: '0 0 30 2 *', durationMs: HOUR_MS, timezone: 'UTC'}])
    expect(never.at(at('2026-11-18T00:00:00Z'))).to.include({isOpen: false, untilMs: undefined})
  })

  it('refuse a pattern that means nothing', () => {
    const make = (): Windows => new Windows([{cron: '99 99 * * *', durationMs: HOUR_MS, timezone: 'UTC'}])
    expect(make).to.throw('is no cron pattern').with.property('code', 'settings_invalid')
  })
})

type Daemon = Pick<Settings['daemon'], 'mode' | 'outside' | 'windows'>

describe('what the daemon may do', () => {
  const windows = [{cron: '0 2 * * *', durationMs: 2 * HOUR_MS, timezone: 'UTC'}]
  const inside = at('2026-11-18T02:30:00Z')
  const outside = at('2026-11-18T12:00:00Z')
  const permissions = (daemon: Daemon): Permissions => new Permissions(daemon as Settings['daemon'])

  it('is its mode inside of the windows, and never more than that outside', () => {
    const benign = permissions({mode: 'benign', outside: 'live', windows})
    expect([benign.at(inside), benign.at(outside)]).to.deep.equal(['benign', 'live'])
    const observing = permissions({mode: 'observe', outside: 'benign', windows})
    expect([observing.at(inside), observing.at(outside)]).to.deep.equal(['observe', 'observe'])
    const full = permissions({mode: 'full', outside: 'benign', windows})
    expect([full.at(inside), full.at(outside)]).to.deep.equal(['full', 'benign'])
  })

  const held = (daemon: Daemon, nowMs: number): string[] => {
    const withhold = permissions(daemon).withholdAt(nowMs)
    return [
      withhold({type: 'set-config', impact: 'live'}, 'benign') === undefined ? 'live' : '',
      withhold({type: 'restart', impact: 'outage'}, 'benign') === undefined ? 'outage' : '',
      withhold({type: 'set-config', impact: 'restart'}, 'benign') === undefined ? 'restart' : '',
      withhold({type: 'destroy', impact: 'none'}, 'destructive') === undefined ? 'destroy' : '',
    ].filter((word) => word !== '')
  }

  it('is all, what loses nothing, what interrupts nothing, or nothing', () => {
    const always: Pick<Daemon, 'windows' | 'outside'> = {windows: [], outside: 'observe'}
    expect(held({mode: 'full', ...always}, 0)).to.deep.equal(['live', 'outage', 'restart', 'destroy'])
    expect(held({mode: 'benign', ...always}, 0)).to.deep.equal(['live', 'outage', 'restart'])
    expect(held({mode: 'observe', ...always}, 0)).to.deep.equal([])
    expect(held({mode: 'full', outside: 'live', windows}, outside)).to.deep.equal(['live'])
  })

  it('comes with its reason, and with the time when that changes', () => {
    const action = {type: 'destroy', impact: 'none'} as const
    const why = (daemon: Daemon): string | undefined =>
      permissions(daemon).withholdAt(outside)(action, 'destructive')
    expect(why({mode: 'observe', outside: 'observe', windows})).to.equal(
      'the daemon only observes (daemon.mode)',
    )
    expect(why({mode: 'full', outside: 'live', windows})).to.equal(
      'outside of the maintenance windows only what interrupts nothing is done; the next begins 2026-11-19T02:00:00.000Z',
    )
  })
})
