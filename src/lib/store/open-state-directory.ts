// The state directory: nobody but the user that felhom runs as may read or change it, nor put another in its place.
import {FelhomError} from '../model/felhom-error.ts'

/** Makes it if it is not there. The absolute path without links; throws state_unsafe with how to mend it. */
export function openStateDirectory(path: string): Promise<string> {
  return Promise.reject(new FelhomError('unexpected', `${path} cannot be opened yet`))
}
