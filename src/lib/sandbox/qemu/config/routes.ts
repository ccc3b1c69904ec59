// The config of machines: reading, changing, what waits, and cloud-init. It knows which options exist, who may
// change them, what a running machine takes over live, and which volumes come and go with them. It touches one
// machine's config and the storages, under the machine's config lock. An answer never claims a change that the
// config does not hold, neither in force nor waiting.
import {dumpCloudinit, readCloudinit, regenerateCloudinit} from './cloudinit.ts'
import {readConfig, readPending} from './read-config.ts'
import {updateInTask, updateNow} from './update.ts'
import type {Call, Route} from '../../call.ts'

const BASE = '/nodes/{node}/qemu/{vmid}'

export const routes: Route[] = [
  {method: 'GET', path: `${BASE}/config`, handler: readConfig},
  {method: 'GET', path: `${BASE}/pending`, handler: readPending},
  {method: 'PUT', path: `${BASE}/config`, handler: (call) => updateNow(call)},
  {method: 'POST', path: `${BASE}/config`, handler: updateInTask},
  {method: 'PUT', path: `${BASE}/unlink`, handler: unlink},
  {method: 'GET', path: `${BASE}/cloudinit`, handler: readCloudinit},
  {method: 'PUT', path: `${BASE}/cloudinit`, handler: regenerateCloudinit},
  {method: 'GET', path: `${BASE}/cloudinit/dump`, handler: dumpCloudinit},
]

/** An update that deletes drives, and nothing else. */
function unlink(call: Call): Promise<null> {
  const {idlist, ...rest} = call.params
  return updateNow(call, {...rest, delete: idlist ?? ''})
}
