// Writes a file that the user asked for, with an error that says what to do when it cannot be written.
import {resolve} from 'node:path'
import {FelhomError} from '../model/felhom-error.ts'
import {replaceFile} from '../store/replace-file.ts'

export function writeOutput(cwd: string, file: string, text: string): void {
  const path = resolve(cwd, file)
  try {
    replaceFile(path, text)
  } catch (error) {
    throw new FelhomError(
      'usage',
      `${path} cannot be written (${(error as NodeJS.ErrnoException).code ?? String(error)})`,
      {
        cause: error,
        hint: 'Name a file in a directory that exists and that you may write.',
        doubt: 'A file of that name, if there was one, is as it was.',
      },
    )
  }
}
