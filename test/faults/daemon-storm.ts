// Kills daemons with SIGKILL while they have work in hand, one after the other on one state directory: each is killed
// some records after it began, at no particular moment. The last one is left to finish.
import {setTimeout as sleep} from 'node:timers/promises'
import {expect} from 'chai'
import {Random} from '../simulation/random.ts'
import type {DaemonLab} from './daemon-lab.ts'
import {untilSo} from './started-process.ts'

export interface StormResult {
  readonly kills: number
  /** Kills that left an operation open. */
  readonly interrupted: number
  readonly operations: number
}

export async function killDaemons(lab: DaemonLab, kills: number, seed: number): Promise<StormResult> {
  const random = new Random(seed)
  let interrupted = 0
  await lab.renew()
  lab.startDrift(() => random.next())
  for (let kill = 1; kill <= kills; kill++) {
    const what = `kill ${kill} of seed ${seed}`
    const run = lab.startDaemon()
    const records = lab.countRecords() + random.between(1, 14)
    await untilSo(`it has begun (${what})`, run, () => lab.countRecords() >= records)
    await sleep(random.below(60))
    run.child.kill('SIGKILL')
    expect((await run.ended).signal, what).to.equal('SIGKILL')
    lab.expectNothingLost(what)
    const operations = await lab.operations()
    if (operations.some(({state}) => state === 'started' || state === 'task_running')) interrupted++
    await lab.noteTasks()
  }
  await lab.stopDrift()
  await finish(lab)
  return {kills, interrupted, operations: await lab.expectOneStory()}
}

/** One that is not killed sets all of it right. */
async function finish(lab: DaemonLab): Promise<void> {
  const last = lab.startDaemon()
  await untilSo('all is as desired', last, async () => {
    const operations = await lab.operations()
    const isOpen = operations.some(({state}) => state === 'started' || state === 'task_running')
    return !isOpen && (await lab.lab.felhom(['plan', '--detailed-exitcode'])).code === 0
  })
  last.child.kill('SIGTERM')
  const {code, stderr} = await last.ended
  expect(code, stderr).to.equal(0)
}
