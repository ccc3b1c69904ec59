// The life of machines: it knows how they come, run, change place and go; it touches guests, their volumes and
// tasks; it guarantees that a machine runs only by a start and ends only by a stop, each in a task that tells.
import {agentRoutes} from './agent.ts'
import {clone} from './clone.ts'
import {create} from './create.ts'
import {destroy} from './destroy.ts'
import {feature} from './feature.ts'
import {indexRoutes} from './index-pages.ts'
import {migratePrecondition} from './migrate-precondition.ts'
import {migrate} from './migrate.ts'
import {moveDisk} from './move-disk.ts'
import {reboot, reset, shutdown, start, stop} from './power.ts'
import {resize} from './resize.ts'
import * as snapshot from './snapshot.ts'
import {currentStatus, listVms} from './status.ts'
import {resume, suspend} from './suspend.ts'
import {template} from './template.ts'
import type {Route} from '../../call.ts'

const LIST = '/nodes/{node}/qemu'
const VM = `${LIST}/{vmid}`
const SNAPSHOT = `${VM}/snapshot/{snapname}`

export const routes: Route[] = [
  {method: 'GET', path: LIST, handler: listVms},
  {method: 'POST', path: LIST, handler: create},
  {method: 'DELETE', path: VM, handler: destroy},
  {method: 'GET', path: `${VM}/status/current`, handler: currentStatus},
  {method: 'POST', path: `${VM}/status/start`, handler: start},
  {method: 'POST', path: `${VM}/status/stop`, handler: stop},
  {method: 'POST', path: `${VM}/status/shutdown`, handler: shutdown},
  {method: 'POST', path: `${VM}/status/reboot`, handler: reboot},
  {method: 'POST', path: `${VM}/status/reset`, handler: reset},
  {method: 'POST', path: `${VM}/status/suspend`, handler: suspend},
  {method: 'POST', path: `${VM}/status/resume`, handler: resume},
  {method: 'POST', path: `${VM}/clone`, handler: clone},
  {method: 'POST', path: `${VM}/template`, handler: template},
  {method: 'PUT', path: `${VM}/resize`, handler: resize},
  {method: 'POST', path: `${VM}/move_disk`, handler: moveDisk},
  {method: 'GET', path: `${VM}/migrate`, handler: migratePrecondition},
  {method: 'POST', path: `${VM}/migrate`, handler: migrate},
  {method: 'GET', path: `${VM}/feature`, handler: feature},
  {method: 'GET', path: `${VM}/snapshot`, handler: snapshot.list},
  {method: 'POST', path: `${VM}/snapshot`, handler: snapshot.create},
  {method: 'DELETE', path: SNAPSHOT, handler: snapshot.remove},
  {method: 'GET', path: `${SNAPSHOT}/config`, handler: snapshot.config},
  {method: 'PUT', path: `${SNAPSHOT}/config`, handler: snapshot.describe},
  {method: 'POST', path: `${SNAPSHOT}/rollback`, handler: snapshot.rollback},
  ...indexRoutes,
  ...agentRoutes,
]
