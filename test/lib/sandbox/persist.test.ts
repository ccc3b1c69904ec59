import {expect} from 'chai'
import {decodeState, encodeState} from '../../../src/lib/sandbox/persist.ts'
import {InProcessSandbox} from '../../support/in-process-sandbox.ts'

describe('the saved state', () => {
  it('reads back as it was', () => {
    const {state} = new InProcessSandbox().cluster
    expect(decodeState(encodeState(state))).to.deep.equal(state)
  })

  it('holds a task that was running as one that was killed', () => {
    const {state} = new InProcessSandbox().cluster
    const [task] = state.tasks
    if (!task) throw new Error('no task')
    delete task.endtime
    delete task.exitstatus
    const [read] = decodeState(encodeState(state)).tasks
    expect(read).to.include({exitstatus: 'unexpected status', endtime: task.starttime})
  })
})
