// The units as they are beside those that would be written, and the writing of them: whole files in the place of
// whole files, and only of such that were shown.
import {lstatSync, mkdirSync, readFileSync} from 'node:fs'
import {dirname, join} from 'node:path'
import {FelhomError} from '../../model/felhom-error.ts'
import {replaceFile} from '../../store/replace-file.ts'
import type {UnitFile} from './render-units.ts'

export interface ComparedUnit extends UnitFile {
  /** Where it is on this machine: below the prefix. */
  readonly place: string
  /** undefined: there is none. */
  readonly before: string | undefined
}

export const compareUnits = (files: readonly UnitFile[], prefix: string): readonly ComparedUnit[] =>
  files.map((file) => {
    const place = join(prefix, file.path)
    return {...file, place, before: readUnit(place)}
  })

export const isChanged = ({before, text}: ComparedUnit): boolean => before !== text

/** Throws `declined` if a file is no longer as it was shown. Those that are as they should be are left alone. */
export function writeUnits(units: readonly ComparedUnit[]): readonly ComparedUnit[] {
  const changed = units.filter(isChanged)
  const moved = changed.find(({place, before}) => readUnit(place) !== before)
  if (moved)
    throw new FelhomError('declined', `${moved.place} has changed since it was shown`, {
      hint: 'Look at it again with: felhom daemon install',
      doubt: 'Nothing was written.',
    })
  for (const [written, {place, text}] of changed.entries()) writeUnit(place, text, written)
  return changed
}

function writeUnit(place: string, text: string, written: number): void {
  try {
    mkdirSync(dirname(place), {recursive: true, mode: 0o755})
    replaceFile(place, text, 0o644)
  } catch (error) {
    const {code, message} = error as NodeJS.ErrnoException
    throw new FelhomError('usage', `${place} cannot be written: ${message}`, {
      cause: error,
      hint: code === 'EACCES' || code === 'EPERM' ? 'Run it as root.' : 'Check the disk and the directory.',
      doubt: written === 0 ? 'Nothing was written.' : `The first ${written} of the files shown were written.`,
    })
  }
}

/** A link is not followed: a masked unit is one to /dev/null, and somebody wanted it so. */
function readUnit(place: string): string | undefined {
  const stat = lstatSync(place, {throwIfNoEntry: false})
  if (!stat) return undefined
  if (stat.isFile()) return readFileSync(place, 'utf8')
  throw new FelhomError('usage', `${place} is a link or no regular file`, {
    hint: 'If the unit is masked: systemctl unmask it. Otherwise move it away.',
    doubt: 'Nothing was written.',
  })
}
