// Directory pages above the guests: the children that Proxmox lists at a folder of its API, also those that
// the sandbox does not implement.
import type {Route} from '../call.ts'
import {having, readMethod} from '../schema/read-method.ts'
import type {Permissions} from '../schema/api-schema.ts'

interface Options {
  permissions?: Permissions
  onNode?: boolean
}

const words = (text: string): string[] => text.trim().split(/\s+/)

function page(path: string, key: string, children: string, options: Options = {}): Route {
  const rows = words(children)
  const handler = (): unknown => rows.map((child) => ({[key]: child}))
  return {method: 'GET', path, schema: readMethod(path, options), handler}
}

/** A list that stays empty, as nothing in the sandbox can fill it. */
const emptyList = (path: string, options: Options = {}): Route => ({
  method: 'GET',
  path,
  schema: readMethod(path, options),
  handler: (): unknown => [],
})

const CLUSTER = `
  acme backup backup-info bulk-action ceph config firewall ha jobs log mapping metrics notifications nextid options
  replication resources status tasks sdn`

const NODE = `
  aplinfo apt capabilities ceph certificates config disks dns firewall hardware hosts journal lxc migrateall netstat
  network qemu query-oci-repo-tags query-url-metadata replication report rrd rrddata scan sdn services spiceshell
  startall status stopall storage subscription suspendall syslog tasks termproxy time version vncshell vzdump
  wakeonlan`

const QEMU_GUEST = `
  config cloudinit pending status unlink vncproxy termproxy migrate resize move rrd rrddata monitor agent snapshot
  spiceproxy sendkey firewall mtunnel remote_migrate`

const CEPH = 'cmd-safety cfg crush fs init log mds mgr mon osd pool restart rules start status stop'

const auditsCluster = having('/', 'Sys.Audit')

const clusterPages: Route[] = [
  page('/cluster', 'name', CLUSTER),
  page('/cluster/acme', 'name', 'account tos meta directories plugins challenge-schema'),
  emptyList('/cluster/acme/account'),
  page('/cluster/bulk-action', 'name', 'guest'),
  page('/cluster/ceph', 'name', 'metadata status flags'),
  page('/cluster/config', 'name', 'nodes totem join qdevice apiversion', {permissions: auditsCluster}),
  page('/cluster/jobs', 'subdir', 'schedule-analyze realm-sync'),
  page('/cluster/mapping', 'name', 'dir pci usb'),
  page('/cluster/metrics', 'name', 'server'),
  emptyList('/cluster/metrics/server', {permissions: auditsCluster}),
  page('/cluster/notifications', 'name', 'endpoints matchers targets matcher-fields matcher-field-values'),
  page('/cluster/notifications/endpoints', 'name', 'gotify sendmail smtp webhook'),
  emptyList('/cluster/replication'),
]

const nodePages: Route[] = [
  page('/nodes/{node}', 'name', NODE),
  page('/nodes/{node}/apt', 'id', 'changelog repositories update versions'),
  page('/nodes/{node}/capabilities/qemu', 'name', 'cpu machines migration', {onNode: true}),
  page('/nodes/{node}/ceph', 'name', CEPH, {permissions: having('/', 'Sys.Audit', 'Datastore.Audit')}),
  page('/nodes/{node}/certificates', 'name', 'acme custom info'),
  page('/nodes/{node}/certificates/acme', 'name', 'certificate'),
  page('/nodes/{node}/disks', 'name', 'list initgpt smart lvm lvmthin directory wipedisk zfs', {
    onNode: true,
  }),
  page('/nodes/{node}/hardware', 'type', 'pci usb'),
  emptyList('/nodes/{node}/replication', {onNode: true}),
  page('/nodes/{node}/scan', 'method', 'cifs iscsi lvm nfs pbs zfs'),
]

export const routes: Route[] = [
  page('/', 'subdir', 'version cluster nodes storage access pools'),
  page('/access', 'subdir', 'users groups roles acl domains openid tfa ticket password'),
  page('/access/openid', 'subdir', 'auth-url login'),
  ...clusterPages,
  ...nodePages,
  page('/nodes/{node}/qemu/{vmid}', 'subdir', QEMU_GUEST),
]
