// Finds a storage's volumes by volid and by guest without walking through all of them.
import type {Storage, Volume} from '../state.ts'

class VolumeIndex {
  readonly #storage: Storage
  readonly #byVolid = new Map<string, Volume[]>()
  readonly #byVmid = new Map<number, Volume[]>()
  #size = 0

  constructor(storage: Storage) {
    this.#storage = storage
    for (const volume of storage.volumes) this.#insert(volume)
  }

  /** Whether the list still is the one that this index describes. */
  get isCurrent(): boolean {
    return this.#size === this.#storage.volumes.length
  }

  byVolid(volid: string): readonly Volume[] {
    return this.#byVolid.get(volid) ?? []
  }

  byVmid(vmid: number): readonly Volume[] {
    return this.#byVmid.get(vmid) ?? []
  }

  add(volume: Volume): void {
    this.#storage.volumes.push(volume)
    this.#insert(volume)
  }

  remove(volume: Volume): void {
    const at = this.#storage.volumes.indexOf(volume)
    if (at >= 0) this.#storage.volumes.splice(at, 1)
    this.#forget(volume)
  }

  rename(volume: Volume, volid: string, vmid: number | undefined): void {
    this.#forget(volume)
    volume.volid = volid
    if (vmid !== undefined) volume.vmid = vmid
    this.#insert(volume)
  }

  #insert(volume: Volume): void {
    push(this.#byVolid, volume.volid, volume)
    if (volume.vmid !== undefined) push(this.#byVmid, volume.vmid, volume)
    this.#size++
  }

  #forget(volume: Volume): void {
    drop(this.#byVolid, volume.volid, volume)
    if (volume.vmid !== undefined) drop(this.#byVmid, volume.vmid, volume)
    this.#size--
  }
}

function push<K>(map: Map<K, Volume[]>, key: K, volume: Volume): void {
  const list = map.get(key)
  if (list) list.push(volume)
  else map.set(key, [volume])
}

function drop<K>(map: Map<K, Volume[]>, key: K, volume: Volume): void {
  const rest = map.get(key)?.filter((v) => v !== volume) ?? []
  if (rest.length > 0) map.set(key, rest)
  else map.delete(key)
}

const indexes = new WeakMap<Storage, VolumeIndex>()

export function volumeIndex(storage: Storage): VolumeIndex {
  const known = indexes.get(storage)
  if (known?.isCurrent) return known
  const fresh = new VolumeIndex(storage)
  indexes.set(storage, fresh)
  return fresh
}
