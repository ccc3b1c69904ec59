import {expect} from 'chai'
import {parseDuration} from '../../../src/lib/app/parse-duration.ts'

describe('a duration of the command line', () => {
  it('is a number with its unit, or several', () => {
    const durations = {
      '0': 0,
      '0s': 0,
      '10s': 10_000,
      '1.5 h': 5_400_000,
      '1m30s': 90_000,
      '90d': 90 * 86_400_000,
    }
    for (const [text, ms] of Object.entries(durations)) expect(parseDuration(text), text).to.deep.equal({ms})
  })

  it('is nothing else', () => {
    for (const text of ['', '10', '-5s', 's', '5s ago', '2026-11-18T12:00:00Z', '10 parsecs'])
      expect(parseDuration(text), text).to.have.property('expected')
  })
})
