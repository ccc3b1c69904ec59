// Whether anything of plugins has to be loaded: asked before every command, and by the entry of the program alone, so that
// it costs no file of its own.
import {statSync} from 'node:fs'
import {join} from 'node:path'

/** False only where there surely is no list: one that may not be looked at can name rules that somebody counts on. */
export function mayHavePlugins(dataDir: string): boolean {
  try {
    return statSync(join(dataDir, 'package.json'), {throwIfNoEntry: false}) !== undefined
  } catch (error) {
    return (error as NodeJS.ErrnoException).code !== 'ENOTDIR'
  }
}
