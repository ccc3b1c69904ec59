// Every route of the sandbox in one list; each room brings its own. What the schema has beyond them is checked
// like the rest, then refused in words that nobody takes for Proxmox's.
import type {Route} from './call.ts'
import {PveError} from './pve-error.ts'
import {schemaMethods} from './schema/api-schema.ts'
import {routes as access} from './endpoints/access.ts'
import {routes as backup} from './endpoints/backup.ts'
import {routes as backupJobs} from './endpoints/backup-jobs.ts'
import {routes as cluster} from './endpoints/cluster.ts'
import {routes as firewall} from './endpoints/firewall.ts'
import {routes as ha} from './endpoints/ha.ts'
import {routes as indexPages} from './endpoints/index-pages.ts'
import {routes as nodes} from './endpoints/nodes.ts'
import {routes as pools} from './endpoints/pools.ts'
import {routes as storage} from './endpoints/storage.ts'
import {routes as tasks} from './endpoints/tasks.ts'
import {routes as templates} from './endpoints/templates.ts'
import {routes as version} from './endpoints/version.ts'
import {routes as lxcConfig} from './lxc/config/routes.ts'
import {routes as lxcLifecycle} from './lxc/lifecycle/routes.ts'
import {routes as qemuConfig} from './qemu/config/routes.ts'
import {routes as qemuLifecycle} from './qemu/lifecycle/routes.ts'

const implemented: Route[] = [
  ...version,
  ...indexPages,
  ...firewall,
  ...access,
  ...cluster,
  ...nodes,
  ...tasks,
  ...templates,
  ...storage,
  ...pools,
  ...backup,
  ...backupJobs,
  ...ha,
  ...lxcConfig,
  ...lxcLifecycle,
  ...qemuConfig,
  ...qemuLifecycle,
]

function missingRoutes(): Route[] {
  const known = new Set(implemented.map(({method, path}) => `${method} ${path}`))
  return schemaMethods()
    .filter(({method, path}) => !known.has(`${method} ${path}`))
    .map(({method, path}) => ({
      method,
      path,
      handler: () => {
        throw new PveError(501, `the sandbox does not implement ${method} ${path}\n`)
      },
    }))
}

export const allRoutes: Route[] = [...implemented, ...missingRoutes()]
