// The cluster that a server serves, and how it goes back to its seed.
import {Api, type ApiAnswer, type ApiRequest} from '../api.ts'
import {Cluster} from '../cluster.ts'
import type {Clock} from '../clock.ts'
import {loadSeed} from '../seed.ts'
import type {ClusterState} from '../state.ts'
import {StoppableClock} from './stoppable-clock.ts'

export class ServedCluster {
  readonly #seed: unknown
  readonly #clock: Clock
  #running: StoppableClock
  #api: Api
  readonly #inFlight = new Set<() => void>()
  cluster: Cluster

  constructor(seed: unknown, clock: Clock, saved: ClusterState | undefined) {
    this.#seed = seed
    this.#clock = clock
    this.#running = new StoppableClock(clock)
    this.cluster = new Cluster(saved ?? loadSeed(seed), this.#running)
    this.#api = new Api(this.cluster)
  }

  /** A new cluster; what still runs in the old one stops where it is. */
  reset(): void {
    const state = loadSeed(this.#seed)
    this.stop()
    this.#running = new StoppableClock(this.#clock)
    this.cluster = new Cluster(state, this.#running)
    this.#api = new Api(this.cluster)
  }

  stop(): void {
    this.#running.stop()
    for (const giveUp of this.#inFlight) giveUp()
  }

  /** undefined: the cluster was stopped or reset before it had an answer. */
  handle(request: ApiRequest): Promise<ApiAnswer | undefined> {
    return new Promise((resolve, reject) => {
      const giveUp = (): void => {
        resolve(undefined)
      }
      this.#inFlight.add(giveUp)
      const finish = (): unknown => this.#inFlight.delete(giveUp)
      this.#api.handle(request).then(resolve, reject).finally(finish)
    })
  }
}
