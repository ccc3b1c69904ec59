// The config of containers: reading it, what waits in it, changing it. It touches containers and, through mount
// points, the volumes of storages. It guarantees that an update that is refused leaves the config as it was.
import {readConfig, readPending} from './read-config.ts'
import {updateConfig} from './update-config.ts'
import type {Route} from '../../call.ts'

export const routes: Route[] = [
  {method: 'GET', path: '/nodes/{node}/lxc/{vmid}/config', handler: readConfig},
  {method: 'PUT', path: '/nodes/{node}/lxc/{vmid}/config', handler: updateConfig},
  {method: 'GET', path: '/nodes/{node}/lxc/{vmid}/pending', handler: readPending},
]
