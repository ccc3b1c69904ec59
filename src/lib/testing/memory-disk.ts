// A machine's disk in memory that forgets as a real one does: what was written is there until the power fails,
// what was synced stays. Calls are counted, and each can be made to fail, to fall short, or to be the last.
//
//   const machine = new MemoryDisk()
//   const journal = await openJournal({disk: machine.mount(), dir: '/state', …})
//   machine.onCall = ({index}) => (index === 7 ? {error: 'ENOSPC', afterBytes: 3} : undefined)
//   machine.losePower(random)   // unsynced bytes and names are lost, or torn, as `random` says
//   machine.kill()              // the process died: all that was written is still there
//   const again = await openJournal({disk: machine.mount(), …})   // the old mount is dead from then on
import {dirname} from 'node:path'
import type {Disk, DiskFile} from '../store/disk.ts'
import {MemoryFile} from './memory-file.ts'

export type DiskCallName = keyof Disk | keyof DiskFile

export interface DiskCall {
  /** Counts from 0 over all mounts. */
  readonly index: number
  readonly name: DiskCallName
  readonly path: string
}

/**
 * `error`: the call throws it; of a write, `afterBytes` were written before. `shortBytes`: a write that writes no
 * more than this and says so. `crash`: the power fails, or the process is killed, before or after the call took effect.
 */
export type DiskFault =
  | {readonly error: 'ENOSPC' | 'EIO' | 'EACCES'; readonly afterBytes?: number}
  | {readonly shortBytes: number}
  | {readonly crash: 'before' | 'after'; readonly by?: 'power' | 'kill'}

type NameChange = {readonly dir: string} & (
  | {readonly type: 'set'; readonly path: string; readonly file: MemoryFile}
  | {readonly type: 'rename'; readonly from: string; readonly to: string}
  | {readonly type: 'remove'; readonly path: string}
)

export interface MemoryDiskOptions {
  /** Draws in [0, 1) how much of what was not synced survives a power loss. Default: none of it. */
  readonly random?: () => number
  /** What calls of a dead mount do: `reject`, or `hang` as those of a dead process. A write always throws. */
  readonly afterCrash?: 'reject' | 'hang'
  /** Let single sectors of an unsynced write be lost, and later ones survive. */
  readonly holes?: boolean
}

export class MemoryDisk {
  onCall: ((call: DiskCall) => DiskFault | undefined) | undefined
  /** How many calls were made so far, over all mounts. */
  calls = 0
  /** How many times a file was synced. */
  syncs = 0
  readonly #options: MemoryDiskOptions
  #random: () => number
  #epoch = 0
  #names = new Map<string, MemoryFile>()
  #durableNames = new Map<string, MemoryFile>()
  #changes: NameChange[] = []

  constructor(options: MemoryDiskOptions = {}) {
    this.#options = options
    this.#random = options.random ?? (() => 0)
  }

  /** The disk as one process sees it, until that process dies. */
  mount(): Disk {
    const epoch = this.#epoch
    const call = <T>(name: DiskCallName, path: string, work: () => T): Promise<T> =>
      this.#call(epoch, name, path, work)
    return {
      makeDirectory: (path) => call('makeDirectory', path, () => undefined),
      list: (path) => call('list', path, () => this.names(path)),
      open: (path, mode) => call('open', path, () => this.#open(epoch, path, mode)),
      rename: (from, to) => call('rename', from, () => this.#rename(from, to)),
      remove: (path) => call('remove', path, () => this.#remove(path)),
      syncDirectory: (path) => call('syncDirectory', path, () => this.#syncNames(path)),
    }
  }

  /** The process dies: open files are gone, all that was written is there. */
  kill(): void {
    this.#epoch++
  }

  /** The power fails: of what was not synced, `random` says how much survives, and how torn. */
  losePower(random: () => number = this.#random): void {
    this.#epoch++
    const kept = Math.floor(random() * (this.#changes.length + 1))
    for (const change of this.#changes.splice(0, kept)) apply(this.#durableNames, change)
    this.#changes = []
    this.#names = new Map(this.#durableNames)
    for (const file of new Set(this.#names.values())) file.losePower(random, this.#options.holes ?? false)
  }

  /** File names in a directory, as a process sees them. */
  names(dir: string): string[] {
    return [...this.#names.keys()]
      .filter((path) => dirname(path) === dir)
      .map((path) => path.slice(dir.length + 1))
      .sort()
  }

  /** What a process would read now. */
  bytes(path: string): Buffer {
    return this.#find(path).read()
  }

  text(path: string): string {
    return this.bytes(path).toString('utf8')
  }

  /** Puts a file there, synced and named. */
  put(path: string, bytes: Uint8Array): void {
    const file = new MemoryFile(bytes)
    this.#names.set(path, file)
    this.#durableNames.set(path, file)
  }

  /** Takes a file away, for good. */
  drop(path: string): void {
    this.#names.delete(path)
    this.#durableNames.delete(path)
  }

  /** Another machine with the same files, all of them synced. */
  copy(options: MemoryDiskOptions = this.#options): MemoryDisk {
    const copy = new MemoryDisk(options)
    for (const [path, file] of this.#names) copy.put(path, file.read())
    return copy
  }

  /** Every file as a process sees it, by path. */
  files(): Map<string, Buffer> {
    return new Map([...this.#names].sort().map(([path, file]) => [path, file.read()]))
  }

  #fault(epoch: number, name: DiskCallName, path: string): DiskFault | undefined {
    if (epoch !== this.#epoch) throw new DiskIsGone()
    const index = this.calls++
    return this.onCall?.({index, name, path})
  }

  async #call<T>(epoch: number, name: DiskCallName, path: string, work: () => T): Promise<T> {
    // No call is over at once: others get their turn before it takes effect, and before its end is known.
    await Promise.resolve()
    try {
      const fault = this.#fault(epoch, name, path)
      if (fault && 'crash' in fault && fault.crash === 'before') throw this.#crash(fault)
      if (fault && 'error' in fault) throw diskError(fault.error, name, path)
      const value = work()
      if (fault && 'crash' in fault) throw this.#crash(fault)
      await Promise.resolve()
      if (epoch !== this.#epoch) throw new DiskIsGone()
      return value
    } catch (error) {
      if (error instanceof DiskIsGone && this.#options.afterCrash === 'hang')
        return new Promise(() => undefined)
      throw error
    }
  }

  #crash({by}: Extract<DiskFault, {crash: string}>): DiskIsGone {
    if (by === 'kill') this.kill()
    else this.losePower()
    return new DiskIsGone()
  }

  #open(epoch: number, path: string, mode: 'read' | 'append' | 'create'): DiskFile {
    if (mode !== 'create') return this.#file(epoch, path, this.#find(path))
    if (this.#names.has(path)) throw diskError('EEXIST', 'open', path)
    const file = new MemoryFile()
    this.#change({type: 'set', dir: dirname(path), path, file})
    return this.#file(epoch, path, file)
  }

  #file(epoch: number, path: string, file: MemoryFile): DiskFile {
    const call = <T>(name: DiskCallName, work: () => T): Promise<T> => this.#call(epoch, name, path, work)
    return {
      size: () => call('size', () => file.size),
      read: (buffer, position) => call('read', () => file.readInto(buffer, position)),
      write: (bytes, position) => this.#write(epoch, path, file, bytes, position),
      datasync: () =>
        call('datasync', () => {
          this.syncs++
          file.sync()
        }).catch((error: unknown) => {
          if (!(error instanceof DiskIsGone)) file.failSync()
          throw error
        }),
      truncate: (length) => call('truncate', () => file.truncate(length)),
      close: () => call('close', () => undefined),
    }
  }

  #write(epoch: number, path: string, file: MemoryFile, bytes: Uint8Array, position: number): number {
    const fault = this.#fault(epoch, 'write', path)
    if (fault && 'crash' in fault && fault.crash === 'before') throw this.#crash(fault)
    const most = fault && 'shortBytes' in fault ? fault.shortBytes : bytes.length
    if (fault && 'error' in fault) {
      file.write(bytes.subarray(0, fault.afterBytes ?? 0), position)
      throw diskError(fault.error, 'write', path)
    }
    file.write(bytes.subarray(0, most), position)
    if (fault && 'crash' in fault) throw this.#crash(fault)
    return Math.min(most, bytes.length)
  }

  #rename(from: string, to: string): void {
    this.#find(from)
    this.#change({type: 'rename', dir: dirname(to), from, to})
  }

  #remove(path: string): void {
    this.#find(path)
    this.#change({type: 'remove', dir: dirname(path), path})
  }

  #change(change: NameChange): void {
    apply(this.#names, change)
    this.#changes.push(change)
  }

  #syncNames(dir: string): void {
    const later: NameChange[] = []
    for (const change of this.#changes)
      if (change.dir === dir) apply(this.#durableNames, change)
      else later.push(change)
    this.#changes = later
  }

  #find(path: string): MemoryFile {
    const file = this.#names.get(path)
    if (!file) throw diskError('ENOENT', 'open', path)
    return file
  }
}

/** The process that made the call is dead. */
export class DiskIsGone extends Error {
  constructor() {
    super('the machine is down')
  }
}

function apply(names: Map<string, MemoryFile>, change: NameChange): void {
  if (change.type === 'set') names.set(change.path, change.file)
  else if (change.type === 'remove') names.delete(change.path)
  else {
    const file = names.get(change.from)
    names.delete(change.from)
    if (file) names.set(change.to, file)
  }
}

function diskError(code: string, call: string, path: string): NodeJS.ErrnoException {
  return Object.assign(new Error(`${code}: ${call} '${path}'`), {code, syscall: call, path})
}
