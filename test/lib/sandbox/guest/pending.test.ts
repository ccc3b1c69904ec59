import {expect} from 'chai'
import {
  addPendingDelete,
  cleanupPending,
  mergePending,
  parseDeleteList,
  pendingRows,
  printDeleteList,
  revertPending,
  setPending,
  type Staged,
} from '../../../../src/lib/sandbox/guest/pending.ts'

const staged = (config: Record<string, string>): Staged => ({config, pending: {}, pendingDelete: {}})
const asText = (_key: string, text: string): string => text

describe('pending changes', () => {
  it('keep forced deletions apart in the list', () => {
    const list = parseDeleteList('net1, !scsi1;tty')
    expect(list).to.deep.equal({net1: {force: false}, scsi1: {force: true}, tty: {force: false}})
    expect(printDeleteList(list)).to.equal('net1,!scsi1,tty')
    expect(parseDeleteList(undefined)).to.deep.equal({})
  })

  it('are shown in place of the current values, deletions left out', () => {
    const s = staged({cores: '1', tty: '2', console: '0'})
    setPending(s, 'cores', '2')
    addPendingDelete(s, 'tty')
    addPendingDelete(s, 'console')
    expect(mergePending(s)).to.deep.equal({cores: '2', console: '0'})
    expect(s.config).to.deep.equal({cores: '1', tty: '2', console: '0'})
  })

  it('are listed beside the current values', () => {
    const s = staged({cores: '1', mp0: 'a', tty: '2'})
    setPending(s, 'cores', '2')
    setPending(s, 'cmode', 'shell')
    addPendingDelete(s, 'tty')
    addPendingDelete(s, 'mp0', true)
    addPendingDelete(s, 'gone')
    expect(pendingRows(s, asText)).to.deep.equal([
      {key: 'cores', value: '1', pending: '2'},
      {key: 'mp0', value: 'a', delete: 2},
      {key: 'tty', value: '2', delete: 1},
      {key: 'cmode', pending: 'shell'},
      {key: 'gone', delete: 2},
    ])
  })

  it('drop a deletion when the option is set, both when it is reverted', () => {
    const s = staged({tty: '2'})
    addPendingDelete(s, 'tty')
    setPending(s, 'tty', '3')
    expect(s.pendingDelete).to.deep.equal({})
    addPendingDelete(s, 'tty')
    revertPending(s, 'tty')
    expect(s).to.deep.equal(staged({tty: '2'}))
  })

  it('that would change nothing are cleaned up', () => {
    const s = staged({tty: '2', cores: '1'})
    setPending(s, 'tty', '2')
    setPending(s, 'cores', '2')
    addPendingDelete(s, 'cmode')
    cleanupPending(s)
    expect(s).to.deep.equal({...staged({tty: '2', cores: '1'}), pending: {cores: '2'}})
  })
})
