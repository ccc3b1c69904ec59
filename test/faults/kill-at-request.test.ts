// The real program, killed with SIGKILL while its requests are on their way: one of every operation at once hangs
// before its effect, after its effect without an answer, or takes effect only when felhom is dead.
import {cpSync, rmSync} from 'node:fs'
import {join} from 'node:path'
import {expect} from 'chai'
import {OPERATIONS} from './all-operations.ts'
import {APPLY, FaultLab} from './fault-lab.ts'
import {countRecords, startFelhom, untilSo, type StartedProcess} from './started-process.ts'
import {killAt, runStruck} from './strace.ts'

const ALL_AT_ONCE = [...APPLY, '--parallelism', '16']
/** Late, but sooner than recover stops to reckon with it. */
const LATE_MS = 1000
const PATIENT_SETTLE = '6s'

describe('felhom apply, killed while its requests are on their way', function () {
  this.timeout(300_000)
  let lab: FaultLab
  before(async () => {
    lab = await FaultLab.start()
  })
  after(() => lab.stop())
  beforeEach(() => lab.renew())

  const arm = async (fault: object): Promise<void> => {
    for (const {request} of OPERATIONS) await lab.lab.sandbox.control({fault: {...request, ...fault}})
  }
  const kill = async ({child, ended}: StartedProcess): Promise<void> => {
    child.kill('SIGKILL')
    expect((await ended).signal).to.equal('SIGKILL')
  }
  const start = (): StartedProcess => startFelhom(ALL_AT_ONCE, {cwd: lab.lab.dir, env: lab.env})

  /** Kills recover at each fdatasync, from the same journal each time; then it does the rest. How often. */
  const killRecover = async (): Promise<number> => {
    const state = join(lab.lab.dir, '.felhom')
    cpSync(state, `${state}.kept`, {recursive: true})
    for (let n = 1; ; n++) {
      const place = {cwd: lab.lab.dir, env: lab.env}
      const {signal} = await runStruck(['recover'], killAt('fdatasync', n), place)
      const rest = await lab.felhom(['recover'])
      expect(rest.code, `recover killed at fdatasync number ${n}: ${rest.stdout}`).to.equal(0)
      if (signal === null) return n - 1
      rmSync(state, {recursive: true})
      cpSync(`${state}.kept`, state, {recursive: true})
    }
  }

  it('before their effect: none of it is believed to be done, and all of it is done once', async () => {
    await arm({kind: 'stall', when: 'before'})
    const run = start()
    await untilSo('every request hangs', run, async () => (await lab.mutations()) === OPERATIONS.length)
    await kill(run)
    expect(await lab.effects()).to.deep.equal({})
    await lab.comeBack('killed before the effect')
  })

  it('after their effect: every task is found and claimed, though recover is killed too, and nothing is sent again', async () => {
    await arm({kind: 'stall', when: 'after'})
    const run = start()
    await untilSo('every request hangs', run, async () => (await lab.mutations()) === OPERATIONS.length)
    await kill(run)
    const sent = await lab.mutations()
    const kills = await killRecover()
    expect(kills).to.be.at.least(1)
    await lab.comeBack('killed after the effect')
    expect(await lab.mutations()).to.equal(sent)
  })

  it('which then take effect: recover waits for them, and nothing is sent again', async () => {
    lab.settle = PATIENT_SETTLE
    await arm({kind: 'delay', ms: LATE_MS, when: 'before'})
    const run = start()
    const hasAll = (): boolean => countRecords(lab.lab.dir, 'started') === OPERATIONS.length
    await untilSo('every operation is in the journal', run, hasAll)
    await kill(run)
    await lab.comeBack('killed before the late effect')
  })
})
