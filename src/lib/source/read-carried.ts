// Envelopes that lie in a folder beside the YAML. They are handed on as bytes: links and pipes are left out, and no
// more is read of each than it takes to tell that it is too long.
import {closeSync, constants, fstatSync, openSync, readdirSync, readSync} from 'node:fs'
import {join} from 'node:path'
import {MAX_CARRIED_BYTES, MAX_ENVELOPES} from './bundle-limits.ts'
import type {CarriedEnvelope} from './source.ts'

/** Of every directory, by name; or why they cannot be used. */
export function readCarried(
  dirs: readonly string[],
  folder: 'approvals' | 'jobs',
): CarriedEnvelope[] | string {
  const paths = dirs.flatMap((dir) => listEnvelopes(join(dir, folder)))
  if (paths.length > MAX_ENVELOPES)
    return `there are ${paths.length} files in ${folder}, more than ${MAX_ENVELOPES}: remove those that are of no use any more`
  return paths.flatMap(({path, name}) => {
    const bytes = readRegular(path)
    return bytes ? [{name: `${folder}/${name}`, bytes}] : []
  })
}

function listEnvelopes(dir: string): {path: string; name: string}[] {
  let names: string[]
  try {
    names = readdirSync(dir)
  } catch (error) {
    const {code} = error as NodeJS.ErrnoException
    if (code === 'ENOENT' || code === 'ENOTDIR') return []
    throw error
  }
  return names
    .filter((name) => name.endsWith('.json') && !name.startsWith('.'))
    .sort()
    .map((name) => ({path: join(dir, name), name}))
}

function readRegular(path: string): Uint8Array | undefined {
  const fd = openRegular(path)
  if (fd === undefined) return undefined
  try {
    if (!fstatSync(fd).isFile()) return undefined
    const buffer = Buffer.alloc(MAX_CARRIED_BYTES)
    let length = 0
    for (;;) {
      const read = readSync(fd, buffer, length, buffer.length - length, null)
      length += read
      // A copy: a thousand short envelopes must not hold a thousand long buffers.
      if (read === 0 || length === buffer.length) return Uint8Array.from(buffer.subarray(0, length))
    }
  } finally {
    closeSync(fd)
  }
}

/** A file that is removed just now was never there; a link is not followed, and no pipe is waited for. */
function openRegular(path: string): number | undefined {
  try {
    return openSync(path, constants.O_RDONLY | constants.O_NOFOLLOW | constants.O_NONBLOCK)
  } catch (error) {
    const {code} = error as NodeJS.ErrnoException
    if (code === 'ENOENT' || code === 'ELOOP' || code === 'ENXIO') return undefined
    throw error
  }
}
