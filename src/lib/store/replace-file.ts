// Puts a whole file in its place, or leaves the old one as it was: never half of it. The directory is synced
// too, because a rename that is not on disk may be undone by a power loss.
import {closeSync, constants, fchmodSync, fsyncSync, openSync, renameSync, rmSync, writeSync} from 'node:fs'
import {randomBytes} from 'node:crypto'
import {dirname} from 'node:path'

/** Of the mode that is named, whatever the mask of the process; ours alone where none is. */
export function replaceFile(path: string, text: string, mode?: number): void {
  const temporary = `${path}.${randomBytes(6).toString('hex')}.tmp`
  const fd = openSync(
    temporary,
    constants.O_WRONLY | constants.O_CREAT | constants.O_EXCL | constants.O_NOFOLLOW,
    0o600,
  )
  try {
    try {
      if (mode !== undefined) fchmodSync(fd, mode)
      writeWhole(fd, Buffer.from(text, 'utf8'))
      fsyncSync(fd)
    } finally {
      closeSync(fd)
    }
    renameSync(temporary, path)
  } catch (error) {
    rmSync(temporary, {force: true})
    throw error
  }
  syncDirectory(dirname(path))
}

/** writeSync may write less than it was given without saying so. */
function writeWhole(fd: number, bytes: Buffer): void {
  let written = 0
  while (written < bytes.length) written += writeSync(fd, bytes, written)
}

function syncDirectory(path: string): void {
  const fd = openSync(path, constants.O_RDONLY | constants.O_DIRECTORY)
  try {
    fsyncSync(fd)
  } finally {
    closeSync(fd)
  }
}
