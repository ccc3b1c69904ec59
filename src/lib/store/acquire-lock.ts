// The one writer of a state directory: a kernel lock, which is free the moment its holder dies, however it dies.
// Node has no such call; `flock` of util-linux takes it on our open file and leaves it there when it ends.
import {spawn} from 'node:child_process'
import {closeSync, constants, fstatSync, ftruncateSync, openSync, readSync, writeSync} from 'node:fs'
import {join} from 'node:path'
import {setTimeout as sleep} from 'node:timers/promises'
import {FelhomError} from '../model/felhom-error.ts'
import {checkPrivate, unsafe} from './check-private.ts'

export interface LockOptions {
  readonly timeoutMs: number
  /** What this process is doing, for those who wait: `felhom apply`. */
  readonly holder: string
  readonly signal?: AbortSignal
  /** Of another lock than the one of all writers. */
  readonly name?: string
  /** Told once when the lock is not free at once, with who holds it. */
  readonly onWait?: (holder: string) => void
}

export interface StateLock {
  release(): Promise<void>
}

const RETRY_MS = 50
const DOUBT = 'Nothing was written and nothing was sent.'

/** Throws journal_locked, naming the holder, when the lock was not free within the time. */
export async function acquireLock(dir: string, options: LockOptions): Promise<StateLock> {
  const path = join(dir, options.name ?? 'lock')
  const fd = openLockFile(path)
  try {
    await waitFor(fd, path, options)
    writeHolder(fd, options.holder)
  } catch (error) {
    closeSync(fd)
    throw error
  }
  return makeLock(fd)
}

async function waitFor(fd: number, path: string, options: LockOptions): Promise<void> {
  const {timeoutMs, signal, onWait} = options
  const endMs = performance.now() + timeoutMs
  let isTold = false
  for (let answer = await tryLock(fd, signal); answer !== 'taken'; answer = await tryLock(fd, signal)) {
    if (!isTold && answer === 'held') {
      onWait?.(readHolder(fd))
      isTold = true
    }
    const leftMs = endMs - performance.now()
    if (leftMs <= 0) throw lockedError(path, readHolder(fd), timeoutMs)
    await sleep(Math.min(RETRY_MS, leftMs), undefined, signal ? {signal} : {}).catch(() => {
      throw interruptedError()
    })
  }
}

function openLockFile(path: string): number {
  const {O_CREAT, O_NOFOLLOW, O_NONBLOCK, O_RDWR} = constants
  let fd: number
  try {
    fd = openSync(path, O_RDWR | O_CREAT | O_NOFOLLOW | O_NONBLOCK, 0o600)
  } catch (error) {
    throw unsafe(`${path} cannot be opened: ${(error as Error).message}`, `Look at it: ls -l ${path}`, error)
  }
  try {
    checkPrivate(path, fstatSync(fd), 'file')
  } catch (error) {
    closeSync(fd)
    throw error
  }
  return fd
}

/**
 * The child's descriptor 3 is our open file: the lock is on that, and outlives the child. `ended`: somebody has ended
 * the child. Ctrl-C reaches it as it reaches us, and says nothing about the lock.
 */
function tryLock(fd: number, signal: AbortSignal | undefined): Promise<'taken' | 'held' | 'ended'> {
  if (signal?.aborted) return Promise.reject(interruptedError())
  return new Promise((resolve, reject) => {
    const child = spawn('flock', ['-n', '3'], {stdio: ['ignore', 'ignore', 'pipe', fd]})
    let said = ''
    child.stderr?.on('data', (bytes: Buffer) => {
      said += bytes.toString()
    })
    child.once('error', (error) => reject(flockError(error.message, error)))
    child.once('close', (code, endedBy) => {
      if (code === 0) resolve('taken')
      else if (code === 1 && said === '') resolve('held')
      else if (endedBy !== null) resolve('ended')
      else reject(flockError(said.trim() || `it ended with ${String(code)}`))
    })
  })
}

/** The lock itself needs no room on the disk. Where this cannot be written, those who wait are told less. */
function writeHolder(fd: number, command: string): void {
  const text = JSON.stringify({pid: process.pid, command, since: new Date().toISOString()})
  try {
    ftruncateSync(fd, 0)
    writeSync(fd, `${text}\n`, 0)
  } catch {
    return
  }
}

/** For people; who has just taken the lock may not have said so yet. */
function readHolder(fd: number): string {
  const buffer = Buffer.alloc(4096)
  const text = buffer.toString('utf8', 0, readSync(fd, buffer, 0, buffer.length, 0))
  try {
    const {pid, command, since} = JSON.parse(text) as Record<string, unknown>
    return `${String(command)} (pid ${String(pid)}, since ${String(since)})`
  } catch {
    return 'another process'
  }
}

/** Programs that we start do not inherit the descriptor, so with ours the lock goes; a second time it is another's. */
function makeLock(fd: number): StateLock {
  let isHeld = true
  return {
    release: () => {
      if (isHeld) {
        isHeld = false
        closeSync(fd)
      }
      return Promise.resolve()
    },
  }
}

function lockedError(path: string, holder: string, timeoutMs: number): FelhomError {
  return new FelhomError(
    'journal_locked',
    `${path} is held by ${holder}, and was not free within ${timeoutMs / 1000} s`,
    {hint: 'Wait until it has ended, or allow more time with --lock-timeout.', doubt: DOUBT},
  )
}

function flockError(reason: string, cause?: NodeJS.ErrnoException): FelhomError {
  const isMissing = cause?.code === 'ENOENT'
  return new FelhomError('state_unsafe', `the state directory cannot be locked: flock: ${reason}`, {
    cause,
    hint: isMissing
      ? 'Install util-linux, which has flock (apt install util-linux).'
      : 'The file system of the state directory must support flock.',
    doubt: DOUBT,
  })
}

const interruptedError = (): FelhomError =>
  new FelhomError('interrupted', 'interrupted while waiting for the lock', {doubt: DOUBT})
