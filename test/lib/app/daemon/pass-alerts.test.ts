// What passes make told, one after the other: nothing begins or ends that did not.
import {expect} from 'chai'
import {findAlerts, NOTHING_TOLD, type AlertMemory} from '../../../../src/lib/app/daemon/find-alerts.ts'
import {desiredGuest} from '../../../support/desired-guest.ts'
import {DAY_MS} from '../../../support/gate-bench.ts'
import {PassBench} from '../../../support/pass-bench.ts'

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
})
