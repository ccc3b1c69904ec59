// Approvals where people lay them: files named on the command line, and every `.json` of the approvals directory.
// Whoever put them there is not trusted, so they are handed on as bytes; what cannot be read is told and left out.
import {closeSync, constants, fstatSync, openSync, readdirSync, readSync} from 'node:fs'
import {basename, join} from 'node:path'
import {MAX_ENVELOPE_BYTES} from '../../gate/envelope.ts'
import type {ApprovalFile, ApprovalSource} from '../../gate/ports.ts'
import {FelhomError} from '../../model/felhom-error.ts'

/** More than that is not looked at: a directory that grows without end must not stop an apply. */
const MAX_FILES = 1000

export interface ApprovalPlaces {
  /** Named on the command line, absolute: they must be readable. */
  readonly files: readonly string[]
  /** The setting `approvals`, if there is one; it need not exist. */
  readonly dir: string | undefined
  readonly warn: (text: string) => void
  /** Those that came with the desired state: worth no less and no more than the others. */
  readonly carried?: readonly ApprovalFile[]
}

export class ApprovalFiles implements ApprovalSource {
  readonly #places: ApprovalPlaces

  constructor(places: ApprovalPlaces) {
    this.#places = places
  }

  /** Read anew each time: an operator may sign while an apply is under way. */
  list(): Promise<readonly ApprovalFile[]> {
    return new Promise((done) =>
      done([...this.#handedOver(), ...this.#laidReady(), ...(this.#places.carried ?? [])]),
    )
  }

  #handedOver(): ApprovalFile[] {
    return this.#places.files.map((file) => {
      const bytes = readRegular(file)
      if (typeof bytes !== 'string') return {name: file, bytes, handedOver: true}
      throw new FelhomError('usage', `the approval ${file} cannot be read: ${bytes}`, {
        doubt: 'Nothing was sent because of it.',
      })
    })
  }

  #laidReady(): ApprovalFile[] {
    const {dir, warn} = this.#places
    if (dir === undefined) return []
    const names = listNames(dir)
    if (names.length > MAX_FILES)
      warn(`${dir} holds ${names.length} approvals; only the first ${MAX_FILES} by name are looked at.`)
    return names.slice(0, MAX_FILES).flatMap((name) => {
      const bytes = readRegular(join(dir, name))
      if (typeof bytes !== 'string') return [{name: basename(name), bytes}]
      warn(`The approval ${join(dir, name)} is left out: ${bytes}`)
      return []
    })
  }
}

function listNames(dir: string): string[] {
  try {
    return readdirSync(dir)
      .filter((name) => name.endsWith('.json'))
      .sort()
  } catch (error) {
    const {code = ''} = error as NodeJS.ErrnoException
    if (code === 'ENOENT') return []
    throw new FelhomError('settings_invalid', `the approvals directory ${dir} cannot be read (${code})`, {
      cause: error,
      hint: 'Mend it, or name another with the setting approvals.',
    })
  }
}

/** The bytes, one more than an envelope may have at most; or why there are none. Waits for no pipe. */
export function readRegular(path: string): Uint8Array | string {
  let fd: number
  try {
    fd = openSync(path, constants.O_RDONLY | constants.O_NOFOLLOW | constants.O_NONBLOCK)
  } catch (error) {
    const {code = 'unknown'} = error as NodeJS.ErrnoException
    return code === 'ELOOP' ? 'it is a symbolic link' : code
  }
  try {
    if (!fstatSync(fd).isFile()) return 'it is no regular file'
    const buffer = Buffer.alloc(MAX_ENVELOPE_BYTES + 1)
    let length = 0
    for (;;) {
      const read = readSync(fd, buffer, length, buffer.length - length, null)
      length += read
      if (read === 0 || length === buffer.length) return buffer.subarray(0, length)
    }
  } catch (error) {
    return (error as NodeJS.ErrnoException).code ?? 'it cannot be read'
  } finally {
    closeSync(fd)
  }
}
