// Kills an apply at the n-th call of one kind, for every n, until a run ends by itself; after each kill felhom comes
// back, and all is as it should be.
import {expect} from 'chai'
import type {OperationCase} from './all-operations.ts'
import {APPLY, type FaultLab} from './fault-lab.ts'
import {killAt, runStruck} from './strace.ts'
import {takeTurns, upwards} from './take-turns.ts'

export interface Storm {
  readonly call: string
  /** All of them, unless said otherwise. */
  readonly cases?: readonly OperationCase[]
  /** Every n-th call only. */
  readonly step?: number
}

/** How often it was killed. */
export async function killAtEach(labs: readonly FaultLab[], {call, cases, step = 1}: Storm): Promise<number> {
  let kills = 0
  await takeTurns(upwards(), labs, async (lab: FaultLab, turn) => {
    const n = turn * step
    const what = `killed at ${call} number ${n}`
    await lab.renew(cases)
    const args = [...APPLY, '--parallelism', '1']
    const run = await runStruck(args, killAt(call, n), {cwd: lab.lab.dir, env: lab.env})
    if (run.signal === null) {
      expect(run.code, `${what}: ${run.stderr}`).to.equal(0)
      await lab.expectDone(what)
      return false
    }
    expect(run.signal, what).to.equal('SIGKILL')
    kills++
    await lab.comeBack(what)
    return true
  })
  return kills
}
