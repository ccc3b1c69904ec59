// The cluster that a server serves, and how it goes back to its seed.
import {Api} from '../api.ts'
import {Cluster} from '../cluster.ts'
import type {Clock} from '../clock.ts'
import {loadSeed} from '../seed.ts'
import type {ClusterState} from '../state.ts'

export class ServedCluster {
  readonly #seed: unknown
  readonly #clock: Clock
  cluster: Cluster
  api: Api

  constructor(seed: unknown, clock: Clock, saved: ClusterState | undefined) {
    this.#seed = seed
    this.#clock = clock
    this.cluster = new Cluster(saved ?? loadSeed(seed), clock)
    this.api = new Api(this.cluster)
  }

  /** A new cluster: what still runs in the old one changes nothing that anybody sees. */
  reset(): void {
    this.cluster = new Cluster(loadSeed(this.#seed), this.#clock)
    this.api = new Api(this.cluster)
  }
}
