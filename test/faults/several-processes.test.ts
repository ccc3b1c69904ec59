// Three applies of one project, started at once, again and again: one at a time writes, each change is made once,
// and who does not get the lock in its time says who has it.
import {readFileSync} from 'node:fs'
import {join} from 'node:path'
import {expect} from 'chai'
import {systemDisk} from '../../src/lib/store/system-disk.ts'
import {readJournal} from '../../src/lib/store/read-journal.ts'
import {verifyJournal} from '../../src/lib/store/verify-journal.ts'
import {APPLY, FaultLab} from './fault-lab.ts'
import {startFelhom, untilSo, type StartedProcess} from './started-process.ts'

const [ROUNDS, HELD_ROUNDS] = [40, 3]
const CONFIG_WRITES = 'PUT /nodes/{node}/lxc/{vmid}/config'

describe('three felhom apply at once', function () {
  this.timeout(600_000)
  let lab: FaultLab
  before(async () => {
    lab = await FaultLab.start()
  })
  after(() => lab.stop())
  beforeEach(() => lab.renew())

  const wish = (round: number): string =>
    lab.lab.write('guests.yaml', `felhom: 1\nguests: {101: {kind: lxc, config: {memory: ${1000 + round}}}}\n`)
  const startThree = (lockTimeout: string): StartedProcess[] =>
    Array.from({length: 3}, () =>
      startFelhom([...APPLY, '--lock-timeout', lockTimeout], {cwd: lab.lab.dir, env: lab.env}),
    )
  const state = (): string => join(lab.lab.dir, '.felhom')

  /** No operation begins before the one before it has ended; the operations of the journal. */
  const expectOneByOne = async (): Promise<number> => {
    const {problems, open} = await verifyJournal({disk: systemDisk, dir: state()})
    expect({problems, open}).to.deep.equal({problems: [], open: 0})
    const view = await readJournal({disk: systemDisk, dir: state()})
    let [operations, under] = [0, 0]
    for await (const {type} of view.records()) {
      if (type === 'started') operations++
      under += type === 'started' ? 1 : -1
      expect(under, 'operations that overlap').to.be.within(0, 1)
    }
    return operations
  }

  it(`make each of ${ROUNDS} changes once, one after the other`, async () => {
    for (let round = 0; round < ROUNDS; round++) {
      wish(round)
      const runs = await Promise.all(startThree('120s').map(({ended}) => ended))
      for (const {code, stderr} of runs) expect(code, `round ${round}: ${stderr}`).to.equal(0)
      const changed = runs.filter(({stdout}) => stdout.includes('Apply complete: 1 changed.'))
      expect(changed, `round ${round}`).to.have.lengthOf(1)
      expect((await lab.lab.config('lxc', 101))['memory']).to.equal(1000 + round)
    }
    expect((await lab.lab.sandbox.requests())[CONFIG_WRITES]).to.equal(ROUNDS)
    expect(await expectOneByOne()).to.equal(ROUNDS)
  })

  it('of which one does not let go: the others say who holds the lock, and exit with 7', async () => {
    for (let round = 0; round < HELD_ROUNDS; round++) {
      await lab.lab.sandbox.control({fault: {method: 'PUT', kind: 'delay', ms: 3000}})
      wish(round)
      const runs = startThree('1s')
      const holder = await findHolder(runs)
      // Whatever happens now, it keeps the lock.
      holder.child.kill('SIGSTOP')
      const others = runs.filter((run) => run !== holder)
      for (const {ended} of others) {
        const {code, stderr} = await ended
        expect(code, stderr).to.equal(7)
        const said = stderr.replaceAll(/\s+/g, ' ')
        expect(said).to.contain(`felhom apply (pid ${holder.child.pid}, since `)
        expect(said).to.contain('was not free within 1 s').and.contain('--lock-timeout')
      }
      holder.child.kill('SIGCONT')
      const {code, stderr} = await holder.ended
      expect(code, stderr).to.equal(0)
    }
    expect((await lab.lab.sandbox.requests())[CONFIG_WRITES]).to.equal(HELD_ROUNDS)
    expect(await expectOneByOne()).to.equal(HELD_ROUNDS)
  })

  /** The one whose number is in the lock file. */
  const findHolder = async (runs: readonly StartedProcess[]): Promise<StartedProcess> => {
    const [first] = runs
    let holder: StartedProcess | undefined
    if (!first) throw new Error('nobody was started')
    await untilSo('somebody has the lock', first, () => {
      const pid = readHolderPid(join(state(), 'lock'))
      holder = runs.find(({child}) => child.pid === pid)
      return holder !== undefined
    })
    return holder ?? first
  }
})

function readHolderPid(lock: string): number | undefined {
  try {
    return (JSON.parse(readFileSync(lock, 'utf8')) as {pid: number}).pid
  } catch {
    return undefined
  }
}
