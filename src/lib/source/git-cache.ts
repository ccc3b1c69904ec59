// The copy of a repository: bare, ours alone, one user at a time. It can be thrown away at any time; what a crash left
// in it is removed before it is used.
import {spawn} from 'node:child_process'
import {closeSync, constants, existsSync, mkdirSync, openSync, readdirSync, rmSync, statSync} from 'node:fs'
import {dirname, join} from 'node:path'

const {O_CREAT, O_NOFOLLOW, O_RDWR} = constants
const LOCK_SECONDS = 10

/** Undefined: somebody else has it. Throws what the disk throws. */
export async function lockCache(dir: string): Promise<{readonly fd: number; release(): void} | undefined> {
  mkdirSync(dirname(dir), {recursive: true, mode: 0o700})
  const fd = openSync(`${dir}.lock`, O_RDWR | O_CREAT | O_NOFOLLOW, 0o600)
  try {
    if (await takeLock(fd)) return {fd, release: () => closeSync(fd)}
  } catch (error) {
    closeSync(fd)
    throw error
  }
  closeSync(fd)
  return undefined
}

/** `flock` takes the lock on our open file and leaves it there; who waits for git inherits it, git does not. */
function takeLock(fd: number): Promise<boolean> {
  return new Promise((resolve, reject) => {
    const child = spawn('flock', ['-w', String(LOCK_SECONDS), '3'], {
      stdio: ['ignore', 'ignore', 'ignore', fd],
    })
    child.once('error', reject)
    child.once('close', (code) => resolve(code === 0))
  })
}

/** What a git that was killed left behind would take room, or keep the next from its work. */
export function sweepCache(dir: string): void {
  const remove = (folder: string, pattern: RegExp): void => {
    if (!existsSync(folder)) return
    for (const name of readdirSync(folder))
      if (pattern.test(name)) rmSync(join(folder, name), {force: true, recursive: true})
  }
  remove(join(dir, 'objects/pack'), /^tmp_|^\.tmp-|\.lock$/)
  remove(join(dir, 'objects'), /^tmp_|\.lock$/)
  remove(join(dir, 'refs/felhom'), /\.lock$/)
  remove(dir, /\.lock$/)
}

export const hasCache = (dir: string): boolean => existsSync(join(dir, 'HEAD'))
export const isShallow = (dir: string): boolean => existsSync(join(dir, 'shallow'))
export const dropCache = (dir: string): void => rmSync(dir, {recursive: true, force: true})

export function countPacks(dir: string): number {
  const packs = join(dir, 'objects/pack')
  return existsSync(packs) ? readdirSync(packs).filter((name) => name.endsWith('.pack')).length : 0
}

export function sizeOfPacks(dir: string): number {
  const packs = join(dir, 'objects/pack')
  if (!existsSync(packs)) return 0
  return readdirSync(packs).reduce((sum, name) => sum + statSync(join(packs, name)).size, 0)
}

/** Bytes of the largest file that a fetch has left unfinished. */
export function sizeOfRemains(dir: string): number {
  const packs = join(dir, 'objects/pack')
  if (!existsSync(packs)) return 0
  const sizes = readdirSync(packs)
    .filter((name) => name.startsWith('tmp_'))
    .map((name) => statSync(join(packs, name)).size)
  return Math.max(0, ...sizes)
}
