// Ctrl-C and the signal of service managers, once and twice, while tasks run.
import {expect} from 'chai'
import {APPLY, FaultLab, resultOf} from './fault-lab.ts'
import {manyGuestsSeed, manyGuestsWish} from './many-guests.ts'
import {countRecords, startFelhom, untilSo, type StartedProcess} from './started-process.ts'

const [GUESTS, AT_ONCE] = [6, 3]
const FOREVER_SECONDS = 100_000

describe('felhom apply, asked to end while tasks run', function () {
  this.timeout(120_000)
  let lab: FaultLab
  before(async () => {
    lab = await FaultLab.start(manyGuestsSeed({guests: GUESTS, nodes: 1, startDelaySeconds: FOREVER_SECONDS}))
  })
  after(() => lab.stop())
  beforeEach(async () => {
    await lab.lab.renew()
    lab.lab.write('guests.yaml', manyGuestsWish(GUESTS))
  })

  const startAndWait = async (): Promise<StartedProcess> => {
    const run = startFelhom([...APPLY, '--parallelism', String(AT_ONCE)], {cwd: lab.lab.dir, env: lab.env})
    await untilSo('its tasks run', run, () => countRecords(lab.lab.dir, 'task_running') === AT_ONCE)
    return run
  }
  const letThemEnd = (): Promise<unknown> => lab.lab.sandbox.control({startDelaySeconds: 0})
  const openOperations = async (): Promise<number> => {
    const inflight = await lab.felhom(['journal', 'inflight', '--json'])
    const {operations} = resultOf<{operations: unknown[]}>(inflight)
    expect(inflight.code).to.equal(operations.length === 0 ? 0 : 5)
    return operations.length
  }
  const finish = async (): Promise<void> => {
    const applied = await lab.felhom(APPLY)
    expect(applied.code, applied.stderr).to.equal(0)
    const starts = Array.from({length: GUESTS}, (_, i) => [`vzstart:${101 + i}`, 1])
    expect(await lab.effects()).to.deep.equal(Object.fromEntries(starts))
  }

  for (const [signal, code] of [
    ['SIGINT', 130],
    ['SIGTERM', 143],
  ] as const) {
    it(`by one ${signal}: waits for what runs, starts nothing more, and exits with ${code}`, async () => {
      const run = await startAndWait()
      run.child.kill(signal)
      let said = ''
      run.child.stderr?.on('data', (chunk: Buffer) => (said += chunk.toString()))
      await untilSo('it says that it stops', run, () => said !== '')
      await letThemEnd()
      const ended = await run.ended
      expect(ended.code, ended.stderr).to.equal(code)
      expect(ended.stdout).to.match(new RegExp(`${AT_ONCE} started; ${GUESTS - AT_ONCE} not started`))
      expect(await openOperations()).to.equal(0)
      expect(Object.keys(await lab.effects())).to.have.lengthOf(AT_ONCE)
      await finish()
    })

    it(`by two ${signal}: leaves what runs to the journal, at once, with ${code}`, async () => {
      const run = await startAndWait()
      let said = ''
      run.child.stderr?.on('data', (chunk: Buffer) => (said += chunk.toString()))
      run.child.kill(signal)
      await untilSo('it says that it stops', run, () => said !== '')
      run.child.kill(signal)
      const ended = await run.ended
      expect(ended.code, ended.stderr).to.equal(code)
      expect(ended.stderr).to.contain('felhom recover')
      expect(await openOperations()).to.equal(AT_ONCE)
      await letThemEnd()
      const recovered = await lab.felhom(['recover'])
      expect(recovered.code, recovered.stdout).to.equal(0)
      expect(recovered.stdout).to.contain(`${AT_ONCE} operations settled, 0 open.`)
      await finish()
    })
  }
})
