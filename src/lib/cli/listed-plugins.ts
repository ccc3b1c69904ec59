// The list of what `felhom plugins install` has put into the data directory: that is loaded, and nothing else.
import {readFileSync} from 'node:fs'
import {join} from 'node:path'
import {FelhomError} from '../model/felhom-error.ts'
import {describeThrown} from '../plugin/describe-thrown.ts'

/**
 * Names of packages. Throws plugin_failed for a list that cannot be relied on. `isNamed`: something stands where the list
 * or its directory should be, so that what is not found is behind a link.
 */
export function readListed(dataDir: string, isNamed = false): string[] {
  const file = join(dataDir, 'package.json')
  let text: string
  try {
    text = readFileSync(file, 'utf8')
  } catch (error) {
    const {code} = error as NodeJS.ErrnoException
    if (ABSENT.includes(code) && !(isNamed && code === 'ENOENT')) return []
    if (code === 'ENOENT') throw refuseList(`a link on the way to ${file} leads to nothing`, LINK_HINT, error)
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

const LINK_HINT =
  'Bring back what it leads to, a disk that is not mounted perhaps. Where nothing is to come back, remove the link.'
const READ_HINT = 'Run felhom as a user who may read it, or name another directory with FELHOM_DATA_DIR.'
const WRITTEN_HINT = 'Mend it, or remove it and install the plugins again.'

const refuseList = (why: string, hint: string, cause: unknown): FelhomError =>
  new FelhomError('plugin_failed', `the list of plugins cannot be used: ${why}`, {
    ...{cause, hint},
    doubt: 'Nothing was done without it.',
  })
