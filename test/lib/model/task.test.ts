import {expect} from 'chai'
import {hasSucceeded, taskVerdict} from '../../../src/lib/model/task.ts'

describe('the end of a task', () => {
  const VERDICTS: [string, string, boolean][] = [
    ['OK', 'ok', true],
    ['WARNINGS: 1', 'warnings', true],
    ['WARNINGS: 12', 'warnings', true],
    ['unexpected status', 'unexpected', false],
    ['WARNINGS: many', 'failed', false],
    ['OK ', 'failed', false],
    ['ok', 'failed', false],
    ['', 'failed', false],
    ['CT is locked (backup)', 'failed', false],
  ]
  for (const [exit, verdict, success] of VERDICTS) {
    it(`is ${verdict} for "${exit}"`, () => {
      expect(taskVerdict(exit)).to.equal(verdict)
      expect(hasSucceeded({state: 'stopped', exit, verdict: taskVerdict(exit)})).to.equal(success)
    })
  }

  it('is no success while it runs, nor when nobody knows', () => {
    expect(hasSucceeded({state: 'running'})).to.equal(false)
    expect(hasSucceeded({state: 'lost'})).to.equal(false)
  })
})
