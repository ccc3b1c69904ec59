// Whether nobody but us and root could have written a file, or put another in its place. Files that say whose word
// counts may be read by anybody; judged is the open file itself, so that nothing is swapped between check and use.
import {closeSync, constants, fstatSync, openSync, readSync, realpathSync, type Stats} from 'node:fs'
import {dirname, resolve} from 'node:path'
import {FelhomError} from '../model/felhom-error.ts'

export const untrusted = (message: string, hint: string, cause?: unknown): FelhomError =>
  new FelhomError('trust_unsafe', message, {
    hint,
    doubt: 'Nothing was allowed and nothing was changed.',
    cause,
  })

/** The directory without links, after it and all on the way to it were looked at. Throws trust_unsafe. */
export function checkTrustedDirectory(path: string): string {
  const real = findReal(path)
  const seen = new Set<string>()
  // Whoever may write where a link lies may point it elsewhere: the way as it is written counts too.
  for (let at = resolve(path); ; at = dirname(at)) {
    checkWithAbove(findReal(at), seen)
    if (at === dirname(at)) return real
  }
}

function checkWithAbove(real: string, seen: Set<string>): void {
  for (let at = real; !seen.has(at); at = dirname(at)) {
    seen.add(at)
    checkDirectory(at, statDirectory(at))
  }
}

function findReal(path: string): string {
  try {
    return realpathSync(path)
  } catch (error) {
    const {code} = error as NodeJS.ErrnoException
    if (code === 'ENOENT')
      throw untrusted(
        `there is no directory ${path}`,
        'Make a trust store with: felhom gate trust init',
        error,
      )
    throw untrusted(`${path} cannot be looked at (${code ?? 'unknown'})`, 'Name another directory.', error)
  }
}

function statDirectory(path: string): Stats {
  let fd: number
  try {
    fd = openSync(path, constants.O_RDONLY | constants.O_DIRECTORY | constants.O_NOFOLLOW)
  } catch (error) {
    const {code = 'unknown'} = error as NodeJS.ErrnoException
    throw untrusted(
      `${path} is no directory that can be opened (${code})`,
      'Name the directory itself.',
      error,
    )
  }
  try {
    return fstatSync(fd)
  } finally {
    closeSync(fd)
  }
}

function checkDirectory(path: string, stat: Stats): void {
  checkOwner(path, stat)
  const isSticky = (stat.mode & 0o1000) !== 0
  if ((stat.mode & 0o022) !== 0 && !isSticky)
    throw untrusted(
      `${path} has mode ${showMode(stat)}: others could put their own files in it`,
      `chmod go-w ${path}`,
    )
}

/** The whole of a file that is there; undefined if it is not. Throws trust_unsafe. */
export function readTrustedFile(path: string, maxBytes: number): Buffer | undefined {
  let fd: number
  try {
    // Without O_NONBLOCK a FIFO would hold us for ever.
    fd = openSync(path, constants.O_RDONLY | constants.O_NOFOLLOW | constants.O_NONBLOCK)
  } catch (error) {
    const {code = 'unknown'} = error as NodeJS.ErrnoException
    if (code === 'ENOENT') return undefined
    if (code === 'ELOOP') throw untrusted(`${path} is a symbolic link`, 'Put the file itself there.', error)
    throw untrusted(`${path} cannot be opened (${code})`, 'See that it may be read.', error)
  }
  try {
    checkFile(path, fstatSync(fd), maxBytes)
    return readWhole(path, fd, maxBytes)
  } finally {
    closeSync(fd)
  }
}

function checkFile(path: string, stat: Stats, maxBytes: number): void {
  if (!stat.isFile()) throw untrusted(`${path} is no regular file`, 'Move it away.')
  checkOwner(path, stat)
  if ((stat.mode & 0o022) !== 0)
    throw untrusted(`${path} has mode ${showMode(stat)}: others may change it`, `chmod go-w ${path}`)
  if (stat.nlink !== 1)
    throw untrusted(
      `${path} has ${stat.nlink} links: it can be changed under another name`,
      `Put a copy in its place: cp ${path} ${path}.new && mv ${path}.new ${path}`,
    )
  if (stat.size > maxBytes) throw tooLarge(path, maxBytes)
}

function checkOwner(path: string, {uid}: Stats): void {
  const own = process.getuid?.() ?? 0
  if (uid === own || uid === 0) return
  throw untrusted(
    `${path} belongs to uid ${uid}, neither to root nor to felhom's own ${own}`,
    `See who wrote it; then: chown root ${path}`,
  )
}

/** It may have grown since it was looked at. */
function readWhole(path: string, fd: number, maxBytes: number): Buffer {
  const buffer = Buffer.alloc(maxBytes + 1)
  let length = 0
  for (;;) {
    const read = readSync(fd, buffer, length, buffer.length - length, null)
    length += read
    if (length > maxBytes) throw tooLarge(path, maxBytes)
    if (read === 0) return buffer.subarray(0, length)
  }
}

const tooLarge = (path: string, maxBytes: number): FelhomError =>
  untrusted(`${path} holds more than ${maxBytes} bytes`, 'See that it is the right file.')

const showMode = ({mode}: Stats): string => (mode & 0o7777).toString(8).padStart(4, '0')
