// Whether a file or directory is ours alone. Judged on what an open descriptor says, so that nothing can be
// swapped between check and use.
import {closeSync, constants, fstatSync, openSync, type Stats} from 'node:fs'
import {FelhomError} from '../model/felhom-error.ts'

const DOUBT = 'Nothing was written and nothing was sent.'

export const unsafe = (message: string, hint: string, cause?: unknown): FelhomError =>
  new FelhomError('state_unsafe', message, {hint, doubt: DOUBT, cause})

export function checkPrivate(path: string, stat: Stats, kind: 'file' | 'directory'): void {
  if (kind === 'file' ? !stat.isFile() : !stat.isDirectory())
    throw unsafe(`${path} is no ${kind === 'file' ? 'regular file' : 'directory'}`, 'Move it away.')
  const own = process.getuid?.() ?? 0
  if (stat.uid !== own)
    throw unsafe(
      `${path} belongs to uid ${stat.uid}, and felhom runs as uid ${own}`,
      `Run felhom as its owner, or: chown ${own} ${path}`,
    )
  if ((stat.mode & 0o077) !== 0)
    throw unsafe(
      `${path} has mode ${formatMode(stat.mode)}: others may read or change it`,
      `chmod ${kind === 'file' ? '600' : '700'} ${path}`,
    )
}

/** Of a directory above: whoever may write it, or owns it, could put something else in place of what is in it. */
export function checkAbove(path: string, stat: Stats): void {
  const own = process.getuid?.() ?? 0
  if (stat.uid !== own && stat.uid !== 0)
    throw unsafe(
      `${path} belongs to uid ${stat.uid}, who could put another state directory in its place`,
      `chown root ${path}, or name a state directory elsewhere.`,
    )
  const isSticky = (stat.mode & 0o1000) !== 0
  if ((stat.mode & 0o022) !== 0 && !isSticky)
    throw unsafe(
      `${path} has mode ${formatMode(stat.mode)}: others could put another state directory in its place`,
      `chmod go-w ${path}`,
    )
}

/** An open descriptor of a directory that is ours alone. */
export function openDirectory(path: string): number {
  const fd = openWithoutLink(path)
  try {
    checkPrivate(path, fstatSync(fd), 'directory')
  } catch (error) {
    closeSync(fd)
    throw error
  }
  return fd
}

/** A descriptor of the directory itself, never of what a link points to. */
export function openWithoutLink(path: string): number {
  try {
    return openSync(path, constants.O_RDONLY | constants.O_DIRECTORY | constants.O_NOFOLLOW)
  } catch (error) {
    const {code} = error as NodeJS.ErrnoException
    if (code === 'ELOOP' || code === 'ENOTDIR')
      throw unsafe(`${path} is a link or no directory`, 'Name the directory itself.', error)
    throw error
  }
}

const formatMode = (mode: number): string => (mode & 0o7777).toString(8).padStart(4, '0')
