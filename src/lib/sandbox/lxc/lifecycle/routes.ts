// The life of containers: lists and status, power, create, clone, destroy, snapshots, volumes, migration. It touches
// guests and, through the storage room, their volumes. Whatever takes time is a task that holds the config lock
// as long as Proxmox does, so that what happens meanwhile is answered as it would be there.
import {clone} from './clone.ts'
import {currentStatus, listContainers} from './container-status.ts'
import {createContainer} from './create.ts'
import {destroy} from './destroy.ts'
import {feature} from './feature.ts'
import {guestIndex, statusIndex} from './index-pages.ts'
import {interfaces} from './interfaces.ts'
import {migrate, preconditions, remoteMigrate} from './migrate.ts'
import {moveVolume} from './move-volume.ts'
import {reboot, resume, shutdown, start, stop, suspend} from './power.ts'
import {resize} from './resize.ts'
import * as snapshot from './snapshot.ts'
import {template} from './template.ts'
import type {Handler, Method, Route} from '../../call.ts'

const route = (method: Method, path: string, handler: Handler): Route => ({
  method,
  path: `/nodes/{node}/lxc${path}`,
  handler,
})

export const routes: Route[] = [
  route('GET', '', listContainers),
  route('POST', '', createContainer),
  route('GET', '/{vmid}', guestIndex),
  route('DELETE', '/{vmid}', destroy),
  route('GET', '/{vmid}/status', statusIndex),
  route('GET', '/{vmid}/status/current', currentStatus),
  route('POST', '/{vmid}/status/start', start),
  route('POST', '/{vmid}/status/stop', stop),
  route('POST', '/{vmid}/status/shutdown', shutdown),
  route('POST', '/{vmid}/status/reboot', reboot),
  route('POST', '/{vmid}/status/suspend', suspend),
  route('POST', '/{vmid}/status/resume', resume),
  route('POST', '/{vmid}/clone', clone),
  route('POST', '/{vmid}/template', template),
  route('PUT', '/{vmid}/resize', resize),
  route('POST', '/{vmid}/move_volume', moveVolume),
  route('GET', '/{vmid}/migrate', preconditions),
  route('POST', '/{vmid}/migrate', migrate),
  route('POST', '/{vmid}/remote_migrate', remoteMigrate),
  route('GET', '/{vmid}/feature', feature),
  route('GET', '/{vmid}/interfaces', interfaces),
  route('GET', '/{vmid}/snapshot', snapshot.list),
  route('POST', '/{vmid}/snapshot', snapshot.create),
  route('GET', '/{vmid}/snapshot/{snapname}', snapshot.index),
  route('DELETE', '/{vmid}/snapshot/{snapname}', snapshot.remove),
  route('POST', '/{vmid}/snapshot/{snapname}/rollback', snapshot.rollback),
  route('GET', '/{vmid}/snapshot/{snapname}/config', snapshot.config),
  route('PUT', '/{vmid}/snapshot/{snapname}/config', snapshot.describe),
]
