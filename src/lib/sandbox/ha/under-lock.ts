// Changes of the HA manager's files: what fails while they are locked says so in front.
import {PveError, die} from '../pve-error.ts'

export function underLock<T>(what: string, change: () => T): T {
  try {
    return change()
  } catch (error) {
    if (error instanceof PveError) die(`${what}: ${error.asText()}`)
    throw error
  }
}

/** An empty digest is no check. */
export function requireModified(wanted: string | undefined, digest: string): void {
  if (!wanted || wanted === digest) return
  die('detected modified configuration - file changed by other user? Try again.')
}
