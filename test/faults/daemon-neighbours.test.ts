// Two daemons and somebody who applies by hand, on one state directory: one pass at a time, never two writers.
import {readFileSync} from 'node:fs'
import {join} from 'node:path'
import {setTimeout as sleep} from 'node:timers/promises'
import {expect} from 'chai'
import {readJournal} from '../../src/lib/store/read-journal.ts'
import {systemDisk} from '../../src/lib/store/system-disk.ts'
import {Random} from '../simulation/random.ts'
import {DaemonLab} from './daemon-lab.ts'
import {startFelhom, untilSo, type StartedProcess} from './started-process.ts'

const APPLIES = 4
const SEED = 1

describe('two felhom daemon and an apply on one state directory', function () {
  this.timeout(300_000)
  let lab: DaemonLab
  before(async () => {
    lab = await DaemonLab.start()
  })
  after(() => lab.stop())
  beforeEach(() => lab.renew())

  const apply = (): StartedProcess =>
    startFelhom(['apply', '--auto-approve', '--lock-timeout', '60s'], {cwd: lab.dir, env: lab.lab.env})

  it('take turns: each has the lock for a pass, and nobody writes into the work of another', async () => {
    const random = new Random(SEED)
    lab.startDrift(() => random.next())
    const holders = watchHolders(join(lab.stateDir, 'lock'))
    const daemons = [lab.startDaemon(), lab.startDaemon()]
    for (const [i, daemon] of daemons.entries())
      await untilSo(`daemon ${i + 1} had its turn`, daemon, () => holders.seen.has(daemon.child.pid ?? 0))
    for (let i = 0; i < APPLIES; i++) {
      const run = apply()
      const {code, stderr} = await run.ended
      // Others keep changing guests under its hands.
      expect(code, stderr).to.be.oneOf([0, 4])
      expect(holders.seen.has(run.child.pid ?? 0), 'the apply had its turn').to.equal(true)
    }
    await lab.stopDrift()
    const [first] = daemons
    if (!first) throw new Error('nobody was started')
    await untilSo('all is as desired', first, async () => {
      const plan = await lab.lab.felhom(['plan', '--detailed-exitcode'])
      return plan.code === 0
    })
    for (const {child} of daemons) child.kill('SIGTERM')
    for (const {ended} of daemons) {
      const {code, stderr} = await ended
      expect(code, stderr).to.equal(0)
    }
    holders.stop()
    expect(await lab.expectOneStory()).to.be.greaterThan(APPLIES)
    await expectTurns(lab)
  })
})

/** Operations of a pass or an apply follow each other: once another has begun, the one before begins nothing more. */
async function expectTurns(lab: DaemonLab): Promise<void> {
  const view = await readJournal({disk: systemDisk, dir: lab.stateDir})
  const runs: string[] = []
  const open = new Map<string, string>()
  for await (const record of view.records()) {
    if (record.type === 'started') {
      const {run, op} = record.intent
      if (runs.at(-1) !== run) {
        expect(runs, `the run ${run} was taken up again`).not.to.include(run)
        expect([...open.values()], `begun before ${run} and not ended`).to.deep.equal([])
        runs.push(run)
      }
      open.set(op, run)
    } else if ('op' in record && record.type !== 'task_running') open.delete(record.op)
  }
  expect(runs.length).to.be.greaterThan(2)
}

/** Whoever wrote itself into the lock file, by its process. */
function watchHolders(path: string): {seen: ReadonlySet<number>; stop(): void} {
  const seen = new Set<number>()
  let isOver = false
  const look = async (): Promise<void> => {
    while (!isOver) {
      try {
        seen.add((JSON.parse(readFileSync(path, 'utf8')) as {pid: number}).pid)
      } catch {
        // It is not there yet, or is being written.
      }
      await sleep(2)
    }
  }
  void look()
  return {
    seen,
    stop: () => {
      isOver = true
    },
  }
}
