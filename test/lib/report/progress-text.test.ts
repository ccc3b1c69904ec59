import {expect} from 'chai'
import {makePalette} from '../../../src/lib/report/palette.ts'
import {
  renderEnded,
  renderRunning,
  renderStarted,
  showElapsed,
  type RunningAction,
} from '../../../src/lib/report/progress-text.ts'
import {actionResult, plannedAction, setOptions} from '../../support/action-result.ts'

const palette = makePalette(false)
const options = {palette, width: 80}

const running = (vmid: number, change: Partial<RunningAction> = {}): RunningAction => ({
  guest: {kind: 'lxc', vmid},
  name: 'web',
  node: 'pve1',
  action: 'start',
  sinceMs: 0,
  ...change,
})

describe('progress', () => {
  it('shows a line for each action that runs, aligned, with task and time', () => {
    const task = 'UPID:pve1:0000A3F2:00B1C2D3:691C1F00:vzcreate:160:root@pam!felhom:'
    const lines = renderRunning([running(160, {action: 'create', task}), running(99999)], 65_000, options)
    expect(lines).to.deep.equal([
      '  lxc/160 web    creating  1m 05s  vzcreate on pve1',
      '  lxc/99999 web  starting  1m 05s  on pve1',
    ])
  })

  it('keeps within the width, however long a name is', () => {
    const long = running(101, {name: 'x'.repeat(200), node: 'y'.repeat(63)})
    for (const width of [40, 60, 80, 120]) {
      for (const line of renderRunning([long], 0, {palette, width})) expect(line.length).to.be.at.most(width)
    }
  })

  it('keeps within the height, and says how many there are besides', () => {
    const lines = renderRunning(
      [1, 2, 3, 4, 5].map((n) => running(100 + n)),
      0,
      options,
      3,
    )
    expect(lines).to.have.lengthOf(3)
    expect(lines[2]).to.equal('  … and 3 others')
  })

  it('tells what has ended, how, and how long it took', () => {
    const changed = actionResult(101, setOptions('memory', '-swap'), 'succeeded')
    expect(renderEnded(changed, 200, options)).to.equal('lxc/101 guest-101: changed memory; removed swap')
    const start = plannedAction({type: 'start'})
    const failed = actionResult(101, start, 'failed', {detail: 'no such bridge'})
    expect(renderEnded(failed, 3200, options)).to.equal(
      'lxc/101 guest-101: start failed (3s): no such bridge',
    )
    expect(renderEnded(actionResult(101, start, 'blocked'), undefined, options)).to.equal(undefined)
  })

  it('says in plain lines what begins, and what still runs', () => {
    expect(renderStarted(running(101), 0)).to.equal('lxc/101 web: starting (on pve1)')
    expect(renderStarted(running(101), 30_000)).to.equal('lxc/101 web: still starting after 30s (on pve1)')
  })

  it('shows time in seconds, minutes and hours', () => {
    expect([-5, 0, 59_999, 60_000, 3_599_000, 3_600_000, 90_000_000].map(showElapsed)).to.deep.equal([
      '0s',
      '0s',
      '59s',
      '1m 00s',
      '59m 59s',
      '1h 00m',
      '25h 00m',
    ])
  })

  it('lets no text from outside act on the terminal', () => {
    const hostile = '\u001b[2J\u202e\r'
    const shown = [
      ...renderRunning([running(101, {name: hostile, node: hostile})], 0, options),
      renderStarted(running(101, {name: hostile}), 0),
      renderEnded(actionResult(101, setOptions('a'), 'failed', {detail: hostile}), 0, options) ?? '',
    ].join('')

    expect(shown).to.not.match(/[\u001b\u202e\r]/)
  })
})
