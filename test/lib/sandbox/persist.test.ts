import {expect} from 'chai'
import {decodeState, encodeState} from '../../../src/lib/sandbox/persist.ts'
import {InProcessSandbox} from '../../support/in-process-sandbox.ts'
import {homelabSeed} from '../../support/homelab-seed.ts'

describe('a kept state', () => {
  it('reads back as it was', () => {
    const {state} = new InProcessSandbox(homelabSeed).cluster
    expect(decodeState(encodeState(state))).to.deep.equal(state)
  })

  it('reads a task that was running as one that was killed', async () => {
    const sandbox = new InProcessSandbox()
    const {data} = await sandbox.post('/nodes/pve/lxc/102/status/start', {})
    const task = decodeState(encodeState(sandbox.cluster.state)).tasks.find((t) => t.upid === data)
    expect(task?.exitstatus).to.equal('unexpected status')
    expect(task?.log.at(-1)).to.equal('the sandbox ended while this task was running')
    expect(sandbox.cluster.tasks.find(String(data))?.exitstatus).to.equal(undefined)
  })

  it('is refused when it is of another format', () => {
    expect(() => decodeState('{"format": "x"}')).to.throw('expected the format felhom-sandbox-state/1, got x')
    expect(() => decodeState('null')).to.throw('not a state of this sandbox')
  })
})
