// Directory pages: the children that Proxmox lists at a folder of its API, also those that the sandbox does
// not implement.
import type {Call, Route} from '../call.ts'

const anybody = (): void => undefined

const page = (path: string, key: 'subdir' | 'name', children: string): Route => {
  const rows = children.split(' ').map((child) => ({[key]: child}))
  return {method: 'GET', path, check: anybody, handler: (): unknown => rows.map((row) => ({...row}))}
}

const guestPage = (kind: 'lxc' | 'qemu', children: string): Route => {
  const {path, handler} = page(`/nodes/{node}/${kind}/{vmid}`, 'subdir', children)
  return {
    method: 'GET',
    path,
    check: anybody,
    handler: (call: Call): unknown => {
      call.cluster.requireGuest(kind, String(call.params['node']), Number(call.params['vmid']))
      return handler(call)
    },
  }
}

const SNAPSHOT_CHILDREN = 'rollback config'

export const routes: Route[] = [
  page('/', 'subdir', 'version cluster nodes storage access pools'),
  page(
    '/cluster',
    'name',
    'acme backup backup-info bulk-action ceph config firewall ha jobs log mapping metrics notifications nextid ' +
      'options replication resources status tasks sdn',
  ),
  page('/access', 'subdir', 'users groups acl roles domains openid tfa ticket password'),
  page('/cluster/ha', 'name', 'status resources groups rules'),
  page(
    '/nodes/{node}',
    'name',
    'aplinfo apt capabilities ceph certificates config disks dns firewall hardware hosts journal lxc migrateall ' +
      'netstat network qemu query-oci-repo-tags query-url-metadata replication report rrd rrddata scan sdn services ' +
      'spiceshell startall status stopall storage subscription suspendall syslog tasks termproxy time version ' +
      'vncshell vzdump wakeonlan',
  ),
  guestPage(
    'lxc',
    'config pending status vncproxy termproxy vncwebsocket spiceproxy migrate clone rrd rrddata firewall snapshot ' +
      'resize interfaces',
  ),
  guestPage(
    'qemu',
    'config cloudinit pending status unlink vncproxy termproxy migrate resize move rrd rrddata monitor agent ' +
      'snapshot spiceproxy sendkey firewall mtunnel remote_migrate',
  ),
  page('/nodes/{node}/lxc/{vmid}/status', 'subdir', 'current start stop shutdown reboot migrate'),
  page('/nodes/{node}/qemu/{vmid}/status', 'subdir', 'current start stop'),
  page('/nodes/{node}/lxc/{vmid}/snapshot/{snapname}', 'subdir', SNAPSHOT_CHILDREN),
  page('/nodes/{node}/qemu/{vmid}/snapshot/{snapname}', 'subdir', SNAPSHOT_CHILDREN),
]
