// Which installation this is: a random number made at first use and kept ever after. Approvals are made for it, so
// that one for another felhom, even of the same cluster, counts nothing here.
import {randomBytes} from 'node:crypto'
import {
  closeSync,
  constants,
  fstatSync,
  fsyncSync,
  linkSync,
  openSync,
  readSync,
  unlinkSync,
  writeSync,
} from 'node:fs'
import {join} from 'node:path'
import {checkPrivate, openDirectory, unsafe} from './check-private.ts'

const {O_CREAT, O_EXCL, O_NOFOLLOW, O_NONBLOCK, O_RDONLY, O_WRONLY} = constants
const ID = /^[0-9a-f]{32}$/
const MOST_BYTES = 64

/** Makes it if there is none; the state directory is there. Throws state_unsafe, never makes a second one. */
export function openInstallId(dir: string): string {
  return readInstallId(dir) ?? makeInstallId(dir)
}

/** undefined: none was made yet. */
export function readInstallId(dir: string): string | undefined {
  const path = join(dir, 'install-id')
  const fd = openIfThere(path)
  if (fd === undefined) return undefined
  try {
    checkPrivate(path, fstatSync(fd), 'file')
    const buffer = Buffer.alloc(MOST_BYTES)
    const text = buffer.toString('latin1', 0, readSync(fd, buffer, 0, buffer.length, 0))
    const id = text.slice(0, -1)
    if (ID.test(id) && text.endsWith('\n')) return id
  } finally {
    closeSync(fd)
  }
  throw unsafe(
    `${path} does not hold 32 hex digits and a newline`,
    'Bring it back from a backup; or remove it, which makes this another installation: approvals must be signed anew.',
  )
}

function openIfThere(path: string): number | undefined {
  try {
    return openSync(path, O_RDONLY | O_NOFOLLOW | O_NONBLOCK)
  } catch (error) {
    const {code, message} = error as NodeJS.ErrnoException
    if (code === 'ENOENT') return undefined
    throw unsafe(`${path} cannot be opened: ${message}`, `Look at it: ls -l ${path}`, error)
  }
}

/** Linked into its place when all of it is on disk: no crash leaves half of it, and who is second takes the first's. */
function makeInstallId(dir: string): string {
  const path = join(dir, 'install-id')
  const temporary = `${path}.${randomBytes(6).toString('hex')}.tmp`
  const id = randomBytes(16).toString('hex')
  try {
    writeSynced(temporary, `${id}\n`)
    const isOurs = linkUnlessThere(temporary, path)
    unlinkSync(temporary)
    syncDirectory(dir)
    return isOurs ? id : (readInstallId(dir) ?? makeInstallId(dir))
  } catch (error) {
    throw error instanceof Error && 'syscall' in error
      ? unsafe(`${path} cannot be made: ${error.message}`, 'Check the free space and the file system.', error)
      : error
  }
}

function writeSynced(path: string, text: string): void {
  const fd = openSync(path, O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW, 0o600)
  try {
    checkPrivate(path, fstatSync(fd), 'file')
    const bytes = Buffer.from(text, 'latin1')
    for (let written = 0; written < bytes.length;) written += writeSync(fd, bytes, written)
    fsyncSync(fd)
  } catch (error) {
    unlinkSync(path)
    throw error
  } finally {
    closeSync(fd)
  }
}

function linkUnlessThere(from: string, to: string): boolean {
  try {
    linkSync(from, to)
    return true
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'EEXIST') return false
    unlinkSync(from)
    throw error
  }
}

function syncDirectory(dir: string): void {
  const fd = openDirectory(dir)
  try {
    fsyncSync(fd)
  } finally {
    closeSync(fd)
  }
}
