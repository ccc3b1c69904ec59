// The real program, killed with SIGKILL when it is about to make a record durable: at every such moment of an apply
// that needs every operation, one after the other. `npm run kill-storm` does more of it.
import {expect} from 'chai'
import {OPERATIONS} from './all-operations.ts'
import type {FaultLab} from './fault-lab.ts'
import {killAtEach} from './kill-at-each.ts'
import {startLabs, stopLabs} from './take-turns.ts'

describe('felhom apply, killed when it makes something durable', function () {
  this.timeout(600_000)
  let labs: FaultLab[]
  before(async () => {
    labs = await startLabs(3)
  })
  after(() => stopLabs(labs))

  it('at each fdatasync: recover settles, apply finishes, and nothing is done twice', async () => {
    // The header, and at least the begin and the end of each operation.
    expect(await killAtEach(labs, {call: 'fdatasync'})).to.be.at.least(1 + OPERATIONS.length * 2)
  })

  it('at each fsync of making the state directory and the journal', async () => {
    const cases = OPERATIONS.slice(0, 1)
    expect(await killAtEach(labs, {call: 'fsync', cases})).to.be.at.least(1)
  })
})
