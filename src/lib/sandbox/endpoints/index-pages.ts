// Directory pages above the guests: the children that Proxmox lists at a folder of its API, also those that
// the sandbox does not implement.
import type {Route} from '../call.ts'

const page = (path: string, key: 'subdir' | 'name', children: string[]): Route => ({
  method: 'GET',
  path,
  handler: (): unknown => children.map((child) => ({[key]: child})),
})

const words = (text: string): string[] => text.trim().split(/\s+/)

const CLUSTER = words(`
  acme backup backup-info bulk-action ceph config firewall ha jobs log mapping metrics notifications nextid options
  replication resources status tasks sdn`)

const NODE = words(`
  aplinfo apt capabilities ceph certificates config disks dns firewall hardware hosts journal lxc migrateall netstat
  network qemu query-oci-repo-tags query-url-metadata replication report rrd rrddata scan sdn services spiceshell
  startall status stopall storage subscription suspendall syslog tasks termproxy time version vncshell vzdump
  wakeonlan`)

const QEMU_GUEST = words(`
  config cloudinit pending status unlink vncproxy termproxy migrate resize move rrd rrddata monitor agent snapshot
  spiceproxy sendkey firewall mtunnel remote_migrate`)

export const routes: Route[] = [
  page('/', 'subdir', words('version cluster nodes storage access pools')),
  page('/access', 'subdir', words('users groups roles acl domains openid tfa ticket password')),
  page('/cluster', 'name', CLUSTER),
  page('/nodes/{node}', 'name', NODE),
  page('/nodes/{node}/qemu/{vmid}', 'subdir', QEMU_GUEST),
]
