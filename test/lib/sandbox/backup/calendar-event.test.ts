import {expect} from 'chai'
import {nextEvent} from '../../../../src/lib/sandbox/backup/calendar-event.ts'

/** A Wednesday. */
const NOW = Date.parse('2026-11-18T20:30:15Z') / 1000

function next(event: string): string | undefined {
  const seconds = nextEvent(event, NOW)
  return seconds === undefined ? undefined : new Date(seconds * 1000).toISOString().slice(0, 19)
}

describe('the next time of a calendar event', () => {
  const cases: [string, string][] = [
    ['21:00', '2026-11-18T21:00:00'],
    ['20:30', '2026-11-19T20:30:00'],
    ['mon..fri 2:30', '2026-11-19T02:30:00'],
    ['sat', '2026-11-21T00:00:00'],
    ['fri..mon 01:00', '2026-11-20T01:00:00'],
    ['*/30', '2026-11-18T21:00:00'],
    ['0/2:15', '2026-11-18T22:15:00'],
    ['22,23:05', '2026-11-18T22:05:00'],
    ['*-*-1 4:00', '2026-12-01T04:00:00'],
    ['sun *-*-1..7 4:00', '2026-12-06T04:00:00'],
    ['2027-02-28 12:00:30', '2027-02-28T12:00:30'],
    ['monthly', '2026-12-01T00:00:00'],
    ['minutely', '2026-11-18T20:31:00'],
  ]
  for (const [event, expected] of cases) {
    it(`of ${event} is ${expected}`, () => {
      expect(next(event)).to.equal(expected)
    })
  }

  it('is none for a day that never comes', () => {
    expect(next('2020-1-1 00:00')).to.equal(undefined)
  })
})
