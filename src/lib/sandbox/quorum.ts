// Without quorum the cluster file system is read-only. Guests find that out where they write their config files
// and where Proxmox asks beforehand; the files that the whole cluster shares cannot even be locked.
import {vmidOf, type Call} from './call.ts'
import {die} from './pve-error.ts'
import {fileRefusal} from './guest/read-only-config.ts'

/** By what a path begins with: the lock that changing it takes, and what stands before the complaint. */
const SHARED_FILES: [RegExp, string, Partial<Record<string, string>>][] = [
  [
    /^\/pools/,
    'file-user_cfg',
    {POST: 'create pool failed: ', PUT: 'update pools failed: ', DELETE: 'delete pool failed: '},
  ],
  [/^\/cluster\/ha\/resources$/, 'domain-ha', {POST: 'create resource failed: '}],
  [/^\/cluster\/ha\//, 'domain-ha', {}],
  [/^\/cluster\/options/, 'file-datacenter_cfg', {}],
  [/^\/cluster\/backup/, 'file-jobs_cfg', {}],
  [/^\/storage/, 'file-storage_cfg', {}],
]

/** Tasks that change the file without holding its lock; they are refused before they start. */
const UNLOCKED = [
  /^DELETE \/nodes\/\{node\}\/(lxc|qemu)\/\{vmid\}$/,
  /^POST .*\/lxc\/\{vmid\}\/template$/,
  /^POST .*\/qemu\/\{vmid\}\/config$/,
]

export function requireQuorum(call: Call): void {
  const {cluster, method, route} = call
  if (cluster.state.quorate || method === 'GET') return
  const shared = SHARED_FILES.find(([pattern]) => pattern.test(route))
  if (shared) die(`${shared[2][method] ?? ''}cfs-lock '${shared[1]}' error: no quorum!`)
  const guest = cluster.guest(vmidOf(call))
  if (guest && UNLOCKED.some((pattern) => pattern.test(`${method} ${route}`)))
    die(fileRefusal(cluster, guest))
}
