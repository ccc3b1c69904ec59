// Every route of the sandbox in one list; each room brings its own.
import type {Route} from './call.ts'
import {routes as access} from './endpoints/access.ts'
import {routes as backup} from './endpoints/backup.ts'
import {routes as cluster} from './endpoints/cluster.ts'
import {routes as ha} from './endpoints/ha.ts'
import {routes as indexPages} from './endpoints/index-pages.ts'
import {routes as nodes} from './endpoints/nodes.ts'
import {routes as pools} from './endpoints/pools.ts'
import {routes as storage} from './endpoints/storage.ts'
import {routes as tasks} from './endpoints/tasks.ts'
import {routes as version} from './endpoints/version.ts'
import {routes as lxcConfig} from './lxc/config/routes.ts'
import {routes as lxcLifecycle} from './lxc/lifecycle/routes.ts'
import {routes as qemuConfig} from './qemu/config/routes.ts'
import {routes as qemuLifecycle} from './qemu/lifecycle/routes.ts'

export const allRoutes: Route[] = [
  ...version,
  ...indexPages,
  ...access,
  ...cluster,
  ...nodes,
  ...tasks,
  ...storage,
  ...pools,
  ...backup,
  ...ha,
  ...lxcConfig,
  ...lxcLifecycle,
  ...qemuConfig,
  ...qemuLifecycle,
]
