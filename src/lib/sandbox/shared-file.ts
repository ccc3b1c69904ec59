// Changes of the cluster's shared files (user.cfg, storage.cfg, jobs.cfg, the HA manager's): what fails while one is
// locked becomes text, and so a 500, with what was being done in front.
import {PveError, die} from './pve-error.ts'

/** With an empty `what` the text stands alone. */
export function underFileLock<T>(what: string, change: () => T): T {
  try {
    return change()
  } catch (error) {
    if (error instanceof PveError) die(what === '' ? error.asText() : `${what}: ${error.asText()}`)
    throw error
  }
}

/** The file must be the one that the caller has read; an empty digest is no check. */
export function requireUnchanged(wanted: string | undefined, digest: string): void {
  if (!wanted || wanted === digest) return
  die('detected modified configuration - file changed by other user? Try again.')
}
