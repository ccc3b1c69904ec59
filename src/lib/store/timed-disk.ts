// A disk whose syncs are timed: what a record of the journal has to wait for.
import type {Disk, DiskFile} from './disk.ts'

/** Must not throw. */
export type SyncObserver = (ms: number) => void

export function timeSyncs(disk: Disk, observe: SyncObserver): Disk {
  const timed = async (sync: () => Promise<void>): Promise<void> => {
    const startMs = performance.now()
    await sync()
    observe(performance.now() - startMs)
  }
  const timeFile = (file: DiskFile): DiskFile => ({
    size: () => file.size(),
    read: (buffer, position) => file.read(buffer, position),
    write: (bytes, position) => file.write(bytes, position),
    datasync: () => timed(() => file.datasync()),
    truncate: (length) => file.truncate(length),
    close: () => file.close(),
  })
  return {
    makeDirectory: (path) => disk.makeDirectory(path),
    list: (path) => disk.list(path),
    open: async (path, mode) => timeFile(await disk.open(path, mode)),
    rename: (from, to) => disk.rename(from, to),
    remove: (path) => disk.remove(path),
    syncDirectory: (path) => timed(() => disk.syncDirectory(path)),
  }
}
