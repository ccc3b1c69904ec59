// Whether anything of plugins has to be loaded: asked before every command, also by the entry of the program, so that
// it costs no file of its own.
import {lstatSync, statSync} from 'node:fs'
import {dirname, join} from 'node:path'

/** False only where there surely is no list: one that may not be looked at can name rules that somebody counts on. */
export function mayHavePlugins(dataDir: string): boolean {
  try {
    const file = join(dataDir, 'package.json')
    return exists(file) || leadsNowhere(file)
  } catch (error) {
    return (error as NodeJS.ErrnoException).code !== 'ENOTDIR'
  }
}

/** A link on the way to what is not there: where it leads to may only be away for now, a disk that is not mounted. */
function leadsNowhere(file: string): boolean {
  let nearest = file
  while (!lstatSync(nearest, {throwIfNoEntry: false}) && dirname(nearest) !== nearest)
    nearest = dirname(nearest)
  return !exists(nearest)
}

const exists = (file: string): boolean => statSync(file, {throwIfNoEntry: false}) !== undefined
