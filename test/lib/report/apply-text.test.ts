import {expect} from 'chai'
import type {ActionResult} from '../../../src/lib/model/run-event.ts'
import {renderApply} from '../../../src/lib/report/apply-text.ts'
import {makePalette} from '../../../src/lib/report/palette.ts'
import {actionResult, plannedAction, setOptions} from '../../support/action-result.ts'
import {expectGolden} from '../../support/golden.ts'

const GIB = 1024 ** 3
const start = plannedAction({type: 'start'})
const restart = plannedAction({type: 'restart'})
const create = plannedAction({type: 'create', from: {template: 'local:vztmpl/a'}, options: []})
const grow = plannedAction({type: 'resize', disk: 'rootfs', fromBytes: 8 * GIB, toBytes: 16 * GIB})
const destroy = plannedAction(
  {type: 'destroy', volumes: []},
  {class: 'destructive', blockers: [{code: 'needs_signature', message: 'it can lose data'}]},
)

const EVERYTHING: ActionResult[] = [
  actionResult(101, setOptions('memory', 'nameserver', '-swap'), 'succeeded', {
    detail: 'nameserver waits for a restart',
  }),
  actionResult(101, grow, 'succeeded'),
  actionResult(102, create, 'succeeded'),
  actionResult(102, start, 'failed', {
    detail: 'the task ended with: command lxc-start failed: exit code 1. Its log ends with: TASK ERROR',
  }),
  actionResult(103, setOptions('cores'), 'blocked', {detail: 'locked (backup)'}),
  actionResult(104, destroy, 'blocked'),
  actionResult(105, restart, 'in_flight', {op: 'r.1', detail: 'the answer did not come'}),
  actionResult(105, start, 'skipped'),
  actionResult(106, start, 'frozen', {detail: 'r.0 of this guest is open'}),
  actionResult(107, setOptions('cores'), 'stale', {detail: 'it was changed by others'}),
  actionResult(108, start, 'not_started'),
  actionResult(109, start, 'satisfied', {detail: 'it was running already', name: undefined}),
]

const render = (results: ActionResult[], width = 80, colour = false): string =>
  renderApply(results, {palette: makePalette(colour), width})

describe('the report of an apply', () => {
  it('tells of each guest what became of it, and what to do next', () => {
    expectGolden('apply-report.txt', `${render(EVERYTHING)}\n`)
  })

  it('fits the width, narrow or wide', () => {
    for (const width of [40, 60, 80, 100]) {
      for (const line of render(EVERYTHING, width).split('\n')) {
        expect(line.length, line).to.be.at.most(width)
      }
    }
  })

  it('is the same text in colour, but for the colour', () => {
    expect(render(EVERYTHING, 80, true).replaceAll(/\u001b\[\d+m/g, '')).to.equal(render(EVERYTHING))
  })

  it('closes with one line when all is done', () => {
    expect(render([actionResult(101, start, 'succeeded')])).to.equal(
      'done  lxc/101 guest-101  started\n\nApply complete: 1 started.',
    )
  })

  it('says so when nothing was changed', () => {
    expect(render([actionResult(104, destroy, 'blocked')])).to.contain(
      'Apply complete: nothing was changed; 1 waits for a signature.',
    )
  })

  it('lets no text from outside act on the terminal', () => {
    const hostile = '\u001b[2Jx\u202e\n'
    const text = render([actionResult(101, start, 'failed', {name: hostile, detail: hostile})])

    expect(text).to.not.match(/[\u001b\u202e]/)
    expect(text).to.contain(String.raw`\x1b[2Jx\u{202e}\n`)
  })
})
