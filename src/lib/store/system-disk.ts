// The real disk. Files are opened without following links and must be ours alone, which is judged on the open
// descriptor; syncs run off the event loop, since on a home server one can take 20 ms.
import {
  closeSync,
  constants,
  fdatasync,
  fsync,
  fstatSync,
  ftruncate,
  mkdirSync,
  openSync,
  read,
  readdirSync,
  renameSync,
  unlinkSync,
  writeSync,
} from 'node:fs'
import type {Disk, DiskFile} from './disk.ts'
import {checkPrivate, openDirectory, unsafe} from './check-private.ts'

const {O_CREAT, O_EXCL, O_NOFOLLOW, O_NONBLOCK, O_RDONLY, O_RDWR} = constants

const FLAGS = {
  read: O_RDONLY | O_NOFOLLOW | O_NONBLOCK,
  append: O_RDWR | O_NOFOLLOW | O_NONBLOCK,
  create: O_RDWR | O_CREAT | O_EXCL | O_NOFOLLOW,
} as const

export const systemDisk: Disk = {
  makeDirectory: (path) =>
    attempt(() => {
      makeIfMissing(path)
      closeSync(openDirectory(path))
    }),
  list: (path) => attempt(() => listNames(path)),
  open: (path, mode) => attempt(() => openFile(path, mode)),
  rename: (from, to) => attempt(() => renameSync(from, to)),
  remove: (path) => attempt(() => unlinkSync(path)),
  syncDirectory: async (path) => {
    const fd = openDirectory(path)
    try {
      await settleCall((done) => fsync(fd, done))
    } finally {
      closeSync(fd)
    }
  },
}

function openFile(path: string, mode: keyof typeof FLAGS): DiskFile {
  const fd = openFd(path, FLAGS[mode])
  try {
    checkPrivate(path, fstatSync(fd), 'file')
  } catch (error) {
    closeSync(fd)
    throw error
  }
  return systemFile(fd)
}

function openFd(path: string, flags: number): number {
  try {
    return openSync(path, flags, 0o600)
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'ELOOP') throw error
    throw unsafe(`${path} is a link`, 'Put the file itself there.', error)
  }
}

function systemFile(fd: number): DiskFile {
  return {
    size: () => attempt(() => fstatSync(fd).size),
    read: (buffer, position) =>
      new Promise((resolve, reject) => {
        read(fd, buffer, 0, buffer.length, position, (error, bytesRead) =>
          error ? reject(error) : resolve(bytesRead),
        )
      }),
    write: (bytes, position) => writeSync(fd, bytes, 0, bytes.length, position),
    datasync: () => settleCall((done) => fdatasync(fd, done)),
    truncate: (length) => settleCall((done) => ftruncate(fd, length, done)),
    close: () => attempt(() => closeSync(fd)),
  }
}

function makeIfMissing(path: string): void {
  try {
    mkdirSync(path, 0o700)
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'EEXIST') throw error
  }
}

function listNames(path: string): readonly string[] {
  try {
    return readdirSync(path).sort()
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return []
    throw error
  }
}

type Done = (error: NodeJS.ErrnoException | null) => void

const settleCall = (call: (done: Done) => void): Promise<void> =>
  new Promise((resolve, reject) => call((error) => (error ? reject(error) : resolve())))

/** These calls are rare and short; what they throw must be a rejection all the same. */
// eslint-disable-next-line @typescript-eslint/require-await
const attempt = async <T>(work: () => T): Promise<T> => work()
