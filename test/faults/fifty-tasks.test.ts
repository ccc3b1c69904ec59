// The scene that a journal is for: fifty tasks run, and felhom is gone. What it had begun is listed, settled, and
// the rest is finished; no guest is started twice.
import {expect} from 'chai'
import {APPLY, FaultLab, resultOf} from './fault-lab.ts'
import {manyGuestsSeed, manyGuestsWish} from './many-guests.ts'
import {countRecords, startFelhom, untilSo} from './started-process.ts'

const [GUESTS, NODES, RUNNING] = [60, 4, 50]
/** Longer than any test: the knob ends the starts that are under way. */
const FOREVER_SECONDS = 100_000

interface Task {
  type: string
  id: string
  endtime?: number
}

describe('felhom apply, killed with fifty tasks running', function () {
  this.timeout(300_000)
  let lab: FaultLab
  before(async () => {
    const seed = manyGuestsSeed({guests: GUESTS, nodes: NODES, startDelaySeconds: FOREVER_SECONDS})
    lab = await FaultLab.start(seed)
    await lab.lab.renew()
    lab.lab.write('guests.yaml', manyGuestsWish(GUESTS))
  })
  after(() => lab.stop())

  const tasks = async (): Promise<Task[]> => {
    const lists = Array.from({length: NODES}, (_, i) =>
      lab.lab.sandbox.call('GET', `/nodes/pve${i + 1}/tasks?source=all&limit=500`),
    )
    return ((await Promise.all(lists)) as Task[][]).flat()
  }

  it('lists them all, settles them, and finishes the rest', async () => {
    const args = [...APPLY, '--parallelism', '13']
    const run = startFelhom(args, {cwd: lab.lab.dir, env: lab.env})
    await untilSo('fifty tasks run', run, () => countRecords(lab.lab.dir, 'task_running') >= RUNNING)
    run.child.kill('SIGKILL')
    expect((await run.ended).signal).to.equal('SIGKILL')
    const running = (await tasks()).filter(({endtime}) => endtime === undefined)
    expect(running.length).to.be.at.least(RUNNING)

    const inflight = await lab.felhom(['journal', 'inflight', '--json'])
    expect(inflight.code).to.equal(5)
    const {operations} = resultOf<{operations: {guest: string; state: string}[]}>(inflight)
    const begun = operations.map(({guest}) => guest)
    expect(begun).to.include.members(running.map(({id}) => `lxc/${id}`))
    expect(operations.filter(({state}) => state === 'task_running').length).to.be.at.least(RUNNING)
    const early = await lab.felhom(['recover', '--dry-run'])
    expect(early.code, early.stdout).to.equal(5)
    expect(early.stdout).to.contain('its task is running')

    await lab.lab.sandbox.control({startDelaySeconds: 0})
    const recovered = await lab.felhom(['recover', '--json'])
    expect(recovered.code, recovered.stdout).to.equal(0)
    const {decisions} = resultOf<{decisions: {guest: string}[]}>(recovered)
    expect(decisions.map(({guest}) => guest)).to.have.members(begun)

    const applied = await lab.felhom(APPLY)
    expect(applied.code, applied.stderr).to.equal(0)
    const plan = await lab.felhom(['plan', '-d', 'guests.yaml', '--detailed-exitcode'])
    expect(plan.code, plan.stdout).to.equal(0)
    const starts = (await tasks()).map(({type, id}) => `${type}:${id}`)
    expect(starts).to.have.lengthOf(GUESTS)
    expect(new Set(starts)).to.have.lengthOf(GUESTS)
  })
})
