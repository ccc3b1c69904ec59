// The state directory: nobody but the user that felhom runs as may read or change it, nor put another in its place.
// Whoever may write a directory above it could; so those are looked at too.
import {closeSync, fstatSync, fsyncSync, mkdirSync, realpathSync, type Stats} from 'node:fs'
import {basename, dirname, join, resolve} from 'node:path'
import {checkAbove, openDirectory, openWithoutLink, unsafe} from './check-private.ts'

/** Makes it if it is not there. The absolute path without links; throws state_unsafe with how to mend it. */
export function openStateDirectory(path: string): Promise<string> {
  return new Promise((done) => done(openNow(resolve(path))))
}

function openNow(path: string): string {
  const parent = openParent(dirname(path))
  const own = join(parent, basename(path))
  makeDirectory(own)
  closeSync(openDirectory(own))
  return own
}

/** Directories above that are not there yet are made for us alone; links on the way are followed before it is judged. */
function openParent(path: string): string {
  const real = findReal(path) ?? makeParent(path)
  for (let at = real; ; at = dirname(at)) {
    checkAbove(at, statOpen(at))
    if (at === dirname(at)) return real
  }
}

function findReal(path: string): string | undefined {
  try {
    return realpathSync(path)
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return undefined
    throw unsafe(`${path} cannot be looked at: ${(error as Error).message}`, 'Name another directory.', error)
  }
}

function makeParent(path: string): string {
  const own = join(openParent(dirname(path)), basename(path))
  makeDirectory(own)
  return own
}

function makeDirectory(path: string): void {
  try {
    mkdirSync(path, 0o700)
  } catch (error) {
    const {code, message} = error as NodeJS.ErrnoException
    if (code === 'EEXIST') return
    throw unsafe(`${path} cannot be made: ${message}`, 'Make it, or name another directory.', error)
  }
  syncName(dirname(path))
}

/** A directory whose name is not on disk takes all that is in it along. */
function syncName(parent: string): void {
  const fd = openWithoutLink(parent)
  try {
    fsyncSync(fd)
  } finally {
    closeSync(fd)
  }
}

function statOpen(path: string): Stats {
  const fd = openWithoutLink(path)
  try {
    return fstatSync(fd)
  } finally {
    closeSync(fd)
  }
}
