// The list of what `felhom plugins install` has put into the data directory: that is loaded, and nothing else.
import {readFileSync} from 'node:fs'
import {join} from 'node:path'
import {FelhomError} from '../model/felhom-error.ts'
import {describeThrown} from '../plugin/describe-thrown.ts'

/** Names of packages. Throws plugin_failed for a list that cannot be relied on. */
export function readListed(dataDir: string): string[] {
  const file = join(dataDir, 'package.json')
  let text: string
  try {
    text = readFileSync(file, 'utf8')
  } catch (error) {
    if (ABSENT.includes((error as NodeJS.ErrnoException).code)) return []
    throw refuseList(`${file} cannot be read (${describeThrown(error)})`, READ_HINT, error)
  }
  try {
    const {oclif} = JSON.parse(text) as {oclif: {plugins: readonly {name: unknown}[]}}
    return oclif.plugins.map(({name}) => {
      if (typeof name === 'string' && name !== '') return name
      throw new TypeError('an entry has no name')
    })
  } catch (error) {
    throw refuseList(`${file} is not what felhom plugins install wrote`, WRITTEN_HINT, error)
  }
}

/** Below what is no directory there is nothing either. */
const ABSENT: readonly unknown[] = ['ENOENT', 'ENOTDIR']

const READ_HINT = 'Run felhom as a user who may read it, or name another directory with FELHOM_DATA_DIR.'
const WRITTEN_HINT = 'Mend it, or remove it and install the plugins again.'

const refuseList = (why: string, hint: string, cause: unknown): FelhomError =>
  new FelhomError('plugin_failed', `the list of plugins cannot be used: ${why}`, {
    ...{cause, hint},
    doubt: 'Nothing was done without it.',
  })
