// A small cluster and a wish that needs every kind of operation once: each guest wants one, on one node, so that
// with --parallelism 1 they follow each other and every point of every operation can be reached by counting.

const NODE = 'pve1'
const BACKUP = 'local:backup/vzdump-lxc-180-2025_12_31-02_00_00.tar.zst'
const TEMPLATE = 'local:vztmpl/debian-12-standard_12.7-1_amd64.tar.zst'

export interface OperationCase {
  readonly title: string
  readonly vmid: number
  /** What is wanted, in flow style. */
  readonly wish: string
  /** The request, as the sandbox's pattern of faults matches it. */
  readonly request: {readonly method: 'POST' | 'PUT'; readonly path: string}
  /** What the sandbox shows when it took effect once: a task as `type:id`, or the route of a request without one. */
  readonly effect: string
  /** Nothing there yet: that it never began is believed only after ten minutes. */
  readonly isCreation?: true
}

const lxc = (vmid: number, what: string): string => `/nodes/${NODE}/lxc/${vmid}/${what}`
const qemu = (vmid: number, what: string): string => `/nodes/${NODE}/qemu/${vmid}/${what}`

export const OPERATIONS: readonly OperationCase[] = [
  {
    title: 'a config change',
    vmid: 101,
    wish: '{kind: lxc, config: {memory: 1GiB}}',
    request: {method: 'PUT', path: lxc(101, 'config')},
    effect: 'PUT /nodes/{node}/lxc/{vmid}/config',
  },
  {
    title: 'a config change of a machine',
    vmid: 102,
    wish: '{kind: qemu, config: {description: changed}}',
    request: {method: 'PUT', path: qemu(102, 'config')},
    effect: 'PUT /nodes/{node}/qemu/{vmid}/config',
  },
  {
    title: 'a resize',
    vmid: 103,
    wish: '{kind: lxc, disks: {rootfs: {size: 6GiB}}}',
    request: {method: 'PUT', path: lxc(103, 'resize')},
    effect: 'resize:103',
  },
  {
    title: 'a start',
    vmid: 104,
    wish: '{kind: lxc, run: running}',
    request: {method: 'POST', path: lxc(104, 'status/start')},
    effect: 'vzstart:104',
  },
  {
    title: 'a shutdown',
    vmid: 105,
    wish: '{kind: lxc, run: stopped}',
    request: {method: 'POST', path: lxc(105, 'status/shutdown')},
    effect: 'vzshutdown:105',
  },
  {
    title: 'a restart',
    vmid: 106,
    wish: '{kind: lxc, run: running, restart: allowed, config: {tty: 3}}',
    request: {method: 'POST', path: lxc(106, 'status/reboot')},
    effect: 'vzreboot:106',
  },
  {
    title: 'a creation from a template',
    vmid: 107,
    wish: `{kind: lxc, node: ${NODE}, config: {hostname: made, net0: {name: eth0, bridge: vmbr0, ip: dhcp}},
      disks: {rootfs: {size: 4GiB}}, create: {template: "${TEMPLATE}", storage: local-lvm}}`,
    request: {method: 'POST', path: `/nodes/${NODE}/lxc`},
    effect: 'vzcreate:107',
    isCreation: true,
  },
  {
    title: 'a clone',
    vmid: 108,
    wish: `{kind: lxc, node: ${NODE}, create: {clone: 190, full: true, storage: local-lvm}}`,
    request: {method: 'POST', path: lxc(190, 'clone')},
    effect: 'vzclone:190',
    isCreation: true,
  },
  {
    title: 'a restore',
    vmid: 109,
    wish: `{kind: lxc, node: ${NODE}, create: {restore: "${BACKUP}", storage: local-lvm}}`,
    request: {method: 'POST', path: `/nodes/${NODE}/lxc`},
    effect: 'vzrestore:109',
    isCreation: true,
  },
]

export const wishFor = (cases: readonly OperationCase[]): string =>
  `felhom: 1\nguests:\n${cases.map(({vmid, wish}) => `  ${vmid}: ${wish}\n`).join('')}`

const container = (vmid: number, running: boolean, more: Record<string, unknown> = {}): object => ({
  kind: 'lxc',
  vmid,
  node: NODE,
  running,
  config: {
    arch: 'amd64',
    hostname: `ct-${vmid}`,
    memory: 512,
    net0: `name=eth0,bridge=vmbr0,hwaddr=BC:24:11:00:00:${vmid.toString(16).toUpperCase()},ip=dhcp,type=veth`,
    ostype: 'debian',
    rootfs: `local-lvm:${more['template'] === 1 ? 'base' : 'vm'}-${vmid}-disk-0,size=4G`,
    swap: 512,
    unprivileged: 1,
    ...more,
  },
})

const machine = (vmid: number, more: Record<string, unknown> = {}): object => ({
  kind: 'qemu',
  vmid,
  node: NODE,
  running: true,
  config: {
    boot: 'order=scsi0',
    cores: 2,
    memory: 1024,
    name: `vm-${vmid}`,
    scsi0: `local-lvm:vm-${vmid}-disk-0,size=8G`,
    smbios1: `uuid=00000000-0000-4000-8000-000000000${vmid}`,
    vmgenid: `00000000-0000-4000-9000-000000000${vmid}`,
    ...more,
  },
})

export const allOperationsSeed = (): object => ({
  format: 'felhom-sandbox-seed/1',
  cluster: {name: 'faults', localNode: NODE},
  nodes: [{name: NODE, ip: '192.0.2.11', cpus: 8, memory: '64G', bridges: {vmbr0: '192.0.2.11/24'}}],
  storages: [
    {
      storage: 'local',
      type: 'dir',
      size: '200G',
      config: {path: '/var/lib/vz', content: 'iso,vztmpl,backup'},
      files: {[TEMPLATE.slice('local:'.length)]: '120M'},
    },
    {
      storage: 'local-lvm',
      type: 'lvmthin',
      size: '900G',
      config: {vgname: 'pve', thinpool: 'data', content: 'rootdir,images'},
    },
  ],
  guests: [
    container(101, true),
    machine(102),
    container(103, true),
    container(104, false),
    container(105, true),
    {...container(106, true), pending: {tty: '3'}},
    container(180, false),
    container(190, false, {template: 1}),
  ],
  backups: [{storage: 'local', vmid: 180, time: '2025-12-31T02:00:00Z', notes: 'before'}],
  users: [{userid: 'ro@pve'}],
  acl: [{path: '/', ugid: 'ro@pve', roleid: 'PVEAuditor'}],
  tokens: [
    {auth: 'full', tokenid: 'root@pam!felhom', secret: '11111111-2222-3333-4444-555555555555', privsep: 0},
    {auth: 'ro', tokenid: 'ro@pve!audit', secret: '22222222-3333-4444-5555-666666666666', privsep: 0},
  ],
  knobs: {startDelaySeconds: 0, stopDelaySeconds: 0},
})
