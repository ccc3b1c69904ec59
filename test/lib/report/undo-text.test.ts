// What an undo says beside its plan.
import {expect} from 'chai'
import type {UndoAccount, UndoRemark} from '../../../src/lib/model/undo.ts'
import {makePalette} from '../../../src/lib/report/palette.ts'
import {describeUndoWarnings, renderUndo} from '../../../src/lib/report/undo-text.ts'
import {RUN, RUN_MS} from '../../support/operations.ts'

const options = {palette: makePalette(false), width: 60, nowMs: RUN_MS + 300_000}

const remark = (vmid: number, message: string): UndoRemark => ({
  guest: {kind: 'lxc', vmid},
  name: vmid === 101 ? 'web' : undefined,
  code: 'grown',
  message,
})

const account = (more: Partial<UndoAccount> = {}): UndoAccount => ({
  run: RUN,
  atMs: RUN_MS,
  newer: undefined,
  remarks: [],
  conflicts: [],
  ...more,
})

describe('the text of an undo', () => {
  it('stands around the plan, with what is left as it is under each guest', () => {
    const remarks = [
      remark(101, 'rootfs was grown from 8GiB to 16GiB: a disk cannot shrink'),
      remark(102, 'it no longer exists'),
      remark(101, 'it was restarted: that cannot be taken back'),
    ]
    expect(renderUndo(account({remarks}), 'THE PLAN', options)).to.equal(
      [
        `Undo of ${RUN}, 5 min ago.`,
        '',
        'THE PLAN',
        '',
        'Left as it is:',
        '  lxc/101 web',
        '    ! rootfs was grown from 8GiB to 16GiB: a disk cannot',
        '      shrink',
        '    ! it was restarted: that cannot be taken back',
        '  lxc/102',
        '    ! it no longer exists',
      ].join('\n'),
    )
  })

  it('says that there is nothing, of a run and of a journal', () => {
    expect(renderUndo(account(), undefined, options)).to.match(/5 min ago\.\n\nNothing to undo\.$/)
    expect(renderUndo(account({run: undefined}), undefined, options)).to.match(
      /^Nothing to undo: the journal/,
    )
  })

  it('lets nothing from outside act on the terminal', () => {
    const text = renderUndo(account({remarks: [remark(101, 'changed to \u001b[2J')]}), undefined, options)
    expect(text).to.not.contain('\u001b')
  })
})

describe('the warnings of an undo', () => {
  it('name what the files still ask for, and not all of it if that is much', () => {
    const many = Array.from({length: 7}, (_, n) => `memory of lxc/${101 + n}`)
    const [warning = '', ...more] = describeUndoWarnings(account({conflicts: many}))
    expect(warning).to.contain('memory of lxc/105 and 2 more): change it too').and.not.contain('lxc/106')
    expect(more).to.deep.equal([])
  })

  it('are none when the files agree, and a word of caution when nobody could look', () => {
    expect(describeUndoWarnings(account())).to.deep.equal([])
    expect(describeUndoWarnings(account({conflicts: undefined}))[0]).to.match(
      /^If the desired state still asks/,
    )
  })

  it('say that a newer run was passed over', () => {
    expect(describeUndoWarnings(account({newer: 'X'}))[0]).to.match(/^The latest run, X, changed nothing/)
  })
})
