// The cluster as a pass has read it: once, however many jobs wait for their signatures, and again after something was
// carried out. Whatever is about to be changed is read once more by the engine, right before it.
import type {ActualCluster} from '../../model/actual.ts'
import type {Reader} from '../../pve/read.ts'

export class ClusterView {
  readonly #reader: Pick<Reader, 'readCluster'>
  #reading: Promise<ActualCluster> | undefined

  constructor(reader: Pick<Reader, 'readCluster'>) {
    this.#reader = reader
  }

  read(): Promise<ActualCluster> {
    return (this.#reading ??= this.#reader.readCluster())
  }

  /** It may be otherwise by now. */
  forget(): void {
    this.#reading = undefined
  }
}
