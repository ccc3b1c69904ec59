// The list of what `felhom plugins install` has put into the data directory: that is loaded, and nothing else.
import {readFileSync} from 'node:fs'
import {join} from 'node:path'
import {refuse} from '../plugin/extensions.ts'

/** Names of packages. Throws plugin_failed for a list that cannot be relied on. */
export function readListed(dataDir: string): string[] {
  const file = join(dataDir, 'package.json')
  let text: string
  try {
    text = readFileSync(file, 'utf8')
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return []
    throw refuse('list', `${file} cannot be read`, error)
  }
  try {
    const {oclif} = JSON.parse(text) as {oclif: {plugins: readonly {name: unknown}[]}}
    return oclif.plugins.map(({name}) => {
      if (typeof name === 'string' && name !== '') return name
      throw new TypeError('an entry has no name')
    })
  } catch (error) {
    throw refuse('list', `${file} is not what felhom plugins install wrote`, error)
  }
}
