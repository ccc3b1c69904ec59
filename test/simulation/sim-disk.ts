// The disk of felhom's machine. It forgets what was not synced when the power fails, runs full, fails to write
// and to sync; it serves one process at a time through `forProcess`, and a dead one no longer.
import type {Disk, DiskFile} from '../../src/lib/store/disk.ts'
import type {ProcessLife} from './process-life.ts'
import type {Random} from './random.ts'
import {SimFile} from './sim-file.ts'

export interface DiskFaults {
  /** How many of so many bytes are written, and what is thrown after that. */
  onWrite(length: number): {readonly written: number; readonly error?: string}
  /** The error of this sync, if it fails. */
  onSync(): string | undefined
}

export const healthyDisk: DiskFaults = {
  onWrite: (length) => ({written: length}),
  onSync: () => undefined,
}

type Names = Map<string, SimFile>
interface NameChange {
  readonly dir: string
  apply(names: Names): void
}

export class SimDisk {
  readonly #sleep: (ms: number) => Promise<void>
  #names: Names = new Map()
  #durableNames: Names = new Map()
  #pending: NameChange[] = []
  faults: DiskFaults = healthyDisk
  /** Whether the file system keeps no order, so that a power loss may leave what looks like damage. */
  mayLeaveHoles = true
  /** Told who writes. */
  onWrite: (life: ProcessLife) => void = () => undefined

  constructor(sleep: (ms: number) => Promise<void>) {
    this.#sleep = sleep
  }

  forProcess(life: ProcessLife): Disk {
    return {
      makeDirectory: () => life.step('makeDirectory', () => Promise.resolve()),
      list: (path) => life.step('list', () => Promise.resolve(this.#list(path))),
      open: (path, mode) => life.step(`open ${mode}`, () => this.#open(life, path, mode)),
      rename: (from, to) => life.step('rename', () => this.#rename(from, to)),
      remove: (path) => life.step('remove', () => this.#remove(path)),
      syncDirectory: (path) => life.step('syncDirectory', () => this.#syncDirectory(path)),
    }
  }

  /** Whether a text stands in a file that would survive a power loss now. */
  holdsDurably(text: string): boolean {
    return [...this.#durableNames.values()].some((file) => file.durable.includes(text))
  }

  /** True: a file may be such that it cannot be told from a damaged one. */
  losePower(random: Random): boolean {
    const done = random.below(this.#pending.length + 1)
    for (const change of this.#pending.slice(0, done)) change.apply(this.#durableNames)
    this.#pending = []
    this.#names = new Map(this.#durableNames)
    return [...new Set(this.#names.values())]
      .map((file) => file.losePower(random, this.mayLeaveHoles))
      .includes(true)
  }

  /** A backup of everything, as it stands. */
  copy(): Names {
    return new Map([...this.#names].map(([path, file]) => [path, file.copy()]))
  }

  /** A backup is brought back in place of everything. */
  restore(backup: ReadonlyMap<string, SimFile>): void {
    this.#names = new Map([...backup].map(([path, file]) => [path, file.copy()]))
    this.#durableNames = new Map(this.#names)
    this.#pending = []
  }

  flipBit(random: Random): string | undefined {
    const paths = [...this.#names].filter(([, file]) => file.length > 0).map(([path]) => path)
    if (paths.length === 0) return undefined
    const path = random.pick(paths)
    this.#names.get(path)?.flipBit(random)
    return path
  }

  files(): [string, Buffer][] {
    return [...this.#names].map(([path, file]) => [path, file.bytes()])
  }

  #list(path: string): string[] {
    return [...this.#names.keys()]
      .filter((name) => dirOf(name) === path)
      .map((name) => name.slice(path.length + 1))
      .sort()
  }

  #open(life: ProcessLife, path: string, mode: 'read' | 'append' | 'create'): Promise<DiskFile> {
    let file = this.#names.get(path)
    if (mode === 'create') {
      if (file) return Promise.reject(diskError('EEXIST'))
      const created = (file = new SimFile())
      this.#change(dirOf(path), (names) => names.set(path, created))
    }
    if (!file) return Promise.reject(diskError('ENOENT'))
    return Promise.resolve(this.#handle(life, file, mode))
  }

  #handle(life: ProcessLife, file: SimFile, mode: 'read' | 'append' | 'create'): DiskFile {
    return {
      size: () => life.step('size', () => Promise.resolve(file.length)),
      read: (buffer, position) => life.step('read', () => Promise.resolve(file.read(buffer, position))),
      write: (bytes, position) => {
        life.assertAlive()
        if (mode === 'read') throw diskError('EBADF')
        this.onWrite(life)
        const {written, error} = this.faults.onWrite(bytes.length)
        if (written > 0) file.write(bytes.subarray(0, written), position)
        if (error !== undefined) throw diskError(error)
        return written
      },
      datasync: () => life.step('datasync', () => this.#sync(file)),
      truncate: (length) =>
        life.step('truncate', () => {
          file.truncate(length)
          return Promise.resolve()
        }),
      close: () => life.step('close', () => Promise.resolve()),
    }
  }

  async #sync(file: SimFile): Promise<void> {
    await this.#sleep(1)
    const error = this.faults.onSync()
    if (error === undefined) {
      file.sync()
      return
    }
    file.failSync()
    throw diskError(error)
  }

  #rename(from: string, to: string): Promise<void> {
    const file = this.#names.get(from)
    if (!file) return Promise.reject(diskError('ENOENT'))
    this.#change(dirOf(to), (names) => {
      names.delete(from)
      names.set(to, file)
    })
    return Promise.resolve()
  }

  #remove(path: string): Promise<void> {
    if (!this.#names.has(path)) return Promise.reject(diskError('ENOENT'))
    this.#change(dirOf(path), (names) => names.delete(path))
    return Promise.resolve()
  }

  #change(dir: string, apply: (names: Names) => void): void {
    apply(this.#names)
    this.#pending.push({dir, apply})
  }

  #syncDirectory(dir: string): Promise<void> {
    for (const change of this.#pending) if (change.dir === dir) change.apply(this.#durableNames)
    this.#pending = this.#pending.filter((change) => change.dir !== dir)
    return Promise.resolve()
  }
}

const dirOf = (path: string): string => path.slice(0, path.lastIndexOf('/'))

function diskError(code: string): Error {
  return Object.assign(new Error(`${code}: simulated`), {code})
}
