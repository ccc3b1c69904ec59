// Before any work is done for a file that people edit: is there one already?
import {lstatSync} from 'node:fs'
import {resolve} from 'node:path'
import {FelhomError} from '../../model/felhom-error.ts'

export function refuseExisting(cwd: string, file: string): void {
  const path = resolve(cwd, file)
  if (lstatSync(path, {throwIfNoEntry: false}) === undefined) return
  throw new FelhomError('usage', `${path} exists already`, {
    hint: 'Name another file, or write over this one with --force.',
    doubt: 'The file is as it was.',
  })
}
