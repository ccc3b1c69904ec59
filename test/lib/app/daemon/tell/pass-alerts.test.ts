// What passes make told, one after the other: nothing begins or ends that did not.
import {expect} from 'chai'
import {
  findAlerts,
  NOTHING_TOLD,
  type AlertMemory,
} from '../../../../../src/lib/app/daemon/tell/find-alerts.ts'
import type {InProcessFault} from '../../../../../src/lib/testing/in-process-connection.ts'
import {desiredGuest} from '../../../../support/desired-guest.ts'
import {DAY_MS} from '../../../../support/gate-bench.ts'
import {PassBench} from '../../../../support/pass-bench.ts'

class Listener {
  readonly #bench: PassBench
  #memory: AlertMemory = NOTHING_TOLD

  constructor(bench: PassBench) {
    this.#bench = bench
  }

  /** `began drift_found` */
  async pass(): Promise<string[]> {
    const report = await this.#bench.pass()
    const found = findAlerts(this.#memory, report, {staleAfterMs: DAY_MS, trustWarningMs: DAY_MS})
    this.#memory = found.memory
    return found.alerts.map(({state, kind}) => `${state} ${kind}`)
  }
}

describe('alerts of passes', () => {
  it('stay as they are while the node of the guest is away', async () => {
    const bench = await PassBench.make({mode: 'observe'})
    bench.desired = [desiredGuest(150, {memory: '777'})]
    const listener = new Listener(bench)
    expect(await listener.pass()).to.deep.equal(['began drift_found'])
    bench.turn('pve2', false)
    expect(await listener.pass()).to.deep.equal([])
    bench.turn('pve2', true)
    expect(await listener.pass()).to.deep.equal([])
    bench.desired = []
    expect(await listener.pass()).to.deep.equal(['over drift_found'])
  })

  it('tell once of a write that never gets an answer, and that it is over once it does', async () => {
    const silences: readonly InProcessFault[] = [
      {kind: 'status', when: 'before', status: 596},
      {kind: 'reset', when: 'before'},
    ]
    for (const silence of silences) {
      const bench = await PassBench.make({mode: 'benign', intervalMs: 60_000})
      bench.desired = [desiredGuest(101, {memory: '777'})]
      const listener = new Listener(bench)
      bench.bench.fault = ({method, path}) =>
        method === 'PUT' && path.includes('/101/') ? silence : undefined
      const tries: number[] = []
      const told: string[] = []
      for (let minute = 0; minute < 30; minute++) {
        told.push(...(await listener.pass()))
        if (bench.sent().length > 0) tries.push(minute)
        await bench.clock.run(bench.clock.sleep(60_000))
      }
      // To find out that it was not done takes a pass; then it waits for as long as for any other failure.
      expect(tries).to.deep.equal([0, 2, 5, 10, 19])
      expect(told).to.include('began action_failed')
      expect(told.filter((one) => one.endsWith('action_failed'))).to.have.length(1)
      bench.bench.fault = () => undefined
      const after: string[] = []
      for (let minute = 0; minute < 30; minute++) {
        after.push(...(await listener.pass()))
        await bench.clock.run(bench.clock.sleep(60_000))
      }
      expect(after).to.include('over action_failed').and.not.to.include('began action_failed')
    }
  })
})
