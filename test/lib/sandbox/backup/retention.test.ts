import {expect} from 'chai'
import {
  keepsAll,
  markBackups,
  parseRetention,
  type Marked,
} from '../../../../src/lib/sandbox/backup/retention.ts'

const at = (text: string): Marked => ({ctime: Date.parse(`${text}Z`) / 1000})

function kept(times: string[], rules: string): string[] {
  const backups = times.map(at)
  markBackups(backups, parseRetention(rules))
  return times.filter((_, i) => backups[i]?.mark === 'keep')
}

describe('the retention of backups', () => {
  const days = ['2026-11-01T03:00:00', '2026-11-02T03:00:00', '2026-11-02T15:00:00', '2026-11-03T03:00:00']

  it('keeps the last, then the newest of further days', () => {
    expect(kept(days, 'keep-last=1')).to.deep.equal(days.slice(3))
    expect(kept(days, 'keep-last=1,keep-daily=1')).to.deep.equal(days.slice(2))
    expect(kept(days, 'keep-daily=2')).to.deep.equal(days.slice(2))
  })

  it('knows hours, months and years', () => {
    const times = ['2025-06-01T10:10:00', '2026-11-01T10:10:00', '2026-11-01T10:40:00']
    expect(kept(times, 'keep-hourly=1')).to.deep.equal(times.slice(2))
    expect(kept(times, 'keep-monthly=2')).to.deep.equal([times[0], times[2]])
    expect(kept(times, 'keep-yearly=2')).to.deep.equal([times[0], times[2]])
  })

  it('counts a week by the year of its Thursday', () => {
    const newYear = ['2025-12-28T03:00:00', '2025-12-29T03:00:00', '2026-01-04T03:00:00']
    expect(kept(newYear, 'keep-weekly=1')).to.deep.equal([newYear[2]])
    expect(kept(newYear, 'keep-weekly=2')).to.deep.equal([newYear[0], newYear[2]])
  })

  it('keeps everything where no rule names a number', () => {
    expect(kept(days, 'keep-all=1')).to.deep.equal(days)
    expect(kept(days, 'keep-last=0')).to.deep.equal(days)
    expect(keepsAll(parseRetention('keep-daily=1'))).to.equal(false)
  })

  it('leaves a protected backup out of the count', () => {
    const [first, second] = [at('2026-11-01T03:00:00'), at('2026-11-02T03:00:00')]
    second.mark = 'protected'
    markBackups([first, second], {'keep-last': 1})
    expect([first.mark, second.mark]).to.deep.equal(['keep', 'protected'])
  })
})
