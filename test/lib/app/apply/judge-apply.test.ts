import {expect} from 'chai'
import {judgeApply} from '../../../../src/lib/app/apply/judge-apply.ts'
import {exitCodeOf} from '../../../../src/lib/cli/exit-codes.ts'
import type {ActionOutcome, ActionResult} from '../../../../src/lib/model/run-event.ts'
import {actionResult, plannedAction, setOptions} from '../../../support/action-result.ts'

const ended = (outcome: ActionOutcome): ActionResult => actionResult(101, setOptions('memory'), outcome)

const unsigned = actionResult(
  102,
  plannedAction(
    {type: 'destroy', volumes: []},
    {class: 'destructive', blockers: [{code: 'needs_signature', message: 'needs a signature'}]},
  ),
  'blocked',
)

const exit = (results: ActionResult[], more: {isOpen?: boolean; isBlind?: boolean} = {}): number => {
  const verdict = judgeApply(results, {isOpen: false, isBlind: false, ...more})
  return verdict === undefined ? 0 : exitCodeOf(verdict)
}

describe('the exit code of an apply', () => {
  const cases: [string, ActionResult[], number][] = [
    ['everything was done', [ended('succeeded'), ended('satisfied')], 0],
    ['there was nothing to do', [], 0],
    ['a signature is pending', [ended('succeeded'), unsigned], 3],
    ['the gate refused', [ended('refused')], 3],
    ['an action failed', [ended('succeeded'), ended('failed'), unsigned], 4],
    ['a guest had changed', [ended('stale')], 4],
    ['a guest is locked', [ended('blocked'), unsigned], 4],
    ['something is in flight', [ended('in_flight'), ended('failed'), ended('skipped')], 5],
    ['a guest is frozen', [ended('frozen'), ended('failed')], 5],
    ['it was stopped before its end', [ended('not_started'), ended('in_flight'), ended('failed')], 130],
  ]
  for (const [when, results, code] of cases) {
    it(`is ${code} when ${when}`, () => {
      expect(exit(results)).to.equal(code)
    })
  }

  it('is 5 as long as anything is open, though nothing of it is of this run', () => {
    expect(exit([ended('succeeded')], {isOpen: true})).to.equal(5)
    expect(exit([], {isOpen: true})).to.equal(5)
  })

  it('is 6 when a node is away and guests could not be planned, whatever else there is', () => {
    expect(exit([ended('succeeded')], {isBlind: true})).to.equal(6)
    expect(exit([ended('in_flight'), ended('failed')], {isBlind: true, isOpen: true})).to.equal(6)
  })
})
