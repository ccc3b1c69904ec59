// What was good last, and how the source stood, in `source/` of the state directory: `kept.json` holds all that the
// source said, `standing.json` what is known about it, `accepted.json` the operator's word on one revision. Whoever
// writes holds the lock of the state directory; a file that is damaged or not ours alone is told, never believed.
import {
  closeSync,
  constants,
  fstatSync,
  lstatSync,
  mkdirSync,
  openSync,
  readdirSync,
  readSync,
  rmSync,
} from 'node:fs'
import {join} from 'node:path'
import {FelhomError, isFelhomError} from '../model/felhom-error.ts'
import {checkPrivate, openDirectory} from './check-private.ts'
import {
  decodeKept,
  decodeNote,
  encodeKept,
  type GoodNote,
  type KeptEnvelope,
  type KeptSource,
  type SourceNote,
} from './kept-source-format.ts'
import {replaceFile} from './replace-file.ts'

export type {GoodNote, KeptEnvelope, KeptSource, SourceNote}

/** `value` undefined without a problem: there is none. */
export interface KeptReading<T> {
  readonly value?: T
  readonly problem?: string
}

/** Texts and envelopes at most, in base64 and with their names. */
const MAX_KEPT_BYTES = 160 << 20
const MAX_NOTE_BYTES = 16 << 20

export class KeptSourceFiles {
  readonly dir: string

  /** `stateDir`: the state directory. */
  constructor(stateDir: string) {
    this.dir = join(stateDir, 'source')
  }

  readKept(): KeptReading<KeptSource> {
    return this.#read('kept.json', MAX_KEPT_BYTES, decodeKept)
  }

  readNote(): KeptReading<SourceNote> {
    return this.#read('standing.json', MAX_NOTE_BYTES, decodeNote)
  }

  /** The revision that the operator lets pass once. */
  readAccepted(): KeptReading<string> {
    return this.#read('accepted.json', MAX_NOTE_BYTES, (text) => {
      const {revision} = JSON.parse(text) as {revision?: unknown}
      if (typeof revision !== 'string') throw new TypeError('it names no revision')
      return revision
    })
  }

  /** Changes whenever the kept file does; undefined: there is none. */
  stampOfKept(): string | undefined {
    try {
      const stat = lstatSync(join(this.dir, 'kept.json'), {throwIfNoEntry: false})
      if (!stat) return undefined
      const {ino, mode, uid, size, mtimeMs, ctimeMs} = stat
      return [ino, mode, uid, size, mtimeMs, ctimeMs].join(' ')
    } catch (error) {
      // Reading it will say why.
      return String(error)
    }
  }

  writeKept(kept: KeptSource): void {
    this.#write('kept.json', encodeKept(kept))
  }

  writeNote(note: SourceNote): void {
    this.#write('standing.json', `${JSON.stringify({felhom_source: 1, ...note})}\n`)
  }

  writeAccepted(revision: string): void {
    this.#write('accepted.json', `${JSON.stringify({felhom_source: 1, revision})}\n`)
  }

  dropAccepted(): void {
    rmSync(join(this.dir, 'accepted.json'), {force: true})
  }

  /** The directory, made if it is not there and ours alone. Throws state_unsafe. */
  open(): string {
    try {
      mkdirSync(this.dir, 0o700)
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code !== 'EEXIST') throw writeError(this.dir, error)
    }
    closeSync(openDirectory(this.dir))
    return this.dir
  }

  #write(name: string, text: string): void {
    this.open()
    const path = join(this.dir, name)
    try {
      this.#sweep()
      replaceFile(path, text)
    } catch (error) {
      throw writeError(path, error)
    }
  }

  /** What a crash left half written. Nobody else writes here now. */
  #sweep(): void {
    for (const name of readdirSync(this.dir))
      if (name.endsWith('.tmp')) rmSync(join(this.dir, name), {force: true})
  }

  #read<T>(name: string, maxBytes: number, decode: (text: string) => T): KeptReading<T> {
    const path = join(this.dir, name)
    try {
      const text = readOwn(this.dir, path, maxBytes)
      return text === undefined ? {} : {value: decode(text)}
    } catch (error) {
      const hint = isFelhomError(error) && error.hint !== undefined ? ` (${error.hint})` : ''
      return {problem: `${path} cannot be used: ${(error as Error).message}${hint}`}
    }
  }
}

function readOwn(dir: string, path: string, maxBytes: number): string | undefined {
  const fd = openIfThere(path)
  if (fd === undefined) return undefined
  try {
    closeSync(openDirectory(dir))
    const stat = fstatSync(fd)
    checkPrivate(path, stat, 'file')
    if (stat.size > maxBytes) throw new RangeError(`it holds ${stat.size} bytes, more than ${maxBytes}`)
    const buffer = Buffer.alloc(stat.size)
    let length = 0
    for (let read = -1; read !== 0 && length < buffer.length; length += read)
      read = readSync(fd, buffer, length, buffer.length - length, length)
    return buffer.toString('utf8', 0, length)
  } finally {
    closeSync(fd)
  }
}

function openIfThere(path: string): number | undefined {
  try {
    return openSync(path, constants.O_RDONLY | constants.O_NOFOLLOW | constants.O_NONBLOCK)
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return undefined
    throw error
  }
}

function writeError(path: string, error: unknown): FelhomError {
  if (isFelhomError(error)) return error
  return new FelhomError('journal_failed', `${path} cannot be written: ${(error as Error).message}`, {
    cause: error,
    hint: 'Check the free space and the file system of the state directory.',
    doubt: 'What was kept of the source before is as it was.',
  })
}
