// Reads of the whole cluster, shared among those who ask at the same time. A read that had already begun when
// somebody asked may be older than what they know: they get the next one.
import type {ActualCluster} from '../model/actual.ts'
import type {GuestReader} from './ports.ts'

export class ClusterObserver {
  readonly #reader: Pick<GuestReader, 'readCluster'>
  #running: Promise<unknown> = Promise.resolve()
  #next: Promise<ActualCluster> | undefined

  constructor(reader: Pick<GuestReader, 'readCluster'>) {
    this.#reader = reader
  }

  /** The cluster as read after this call. */
  observe(): Promise<ActualCluster> {
    this.#next ??= this.#begin(this.#running)
    return this.#next
  }

  async #begin(previous: Promise<unknown>): Promise<ActualCluster> {
    await previous.catch(() => undefined)
    const read = this.#reader.readCluster()
    this.#running = read
    this.#next = undefined
    return read
  }
}
