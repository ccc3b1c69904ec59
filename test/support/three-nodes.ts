// A small cluster for tests: three nodes, one of each kind of guest that a reader must not confuse.

export const threeNodes = (): unknown => ({
  format: 'felhom-sandbox-seed/1',
  cluster: {name: 'lab', localNode: 'pve1'},
  nodes: ['pve1', 'pve2', 'pve3'].map((name, i) => ({
    name,
    ip: `192.0.2.${i + 11}`,
    cpus: 4,
    memory: '8G',
    bridges: {vmbr0: `192.0.2.${i + 11}/24`},
  })),
  storages: [
    {
      storage: 'local',
      type: 'dir',
      shared: false,
      size: '100G',
      used: '10G',
      config: {path: '/var/lib/vz', content: 'rootdir,images,iso,backup,vztmpl'},
    },
  ],
  guests: [
    container(101, 'pve1', true, {hostname: 'web', tags: 'prod;web'}),
    {
      ...container(102, 'pve2', true, {hostname: 'waits'}),
      pending: {nameserver: '192.0.2.53'},
      pendingDelete: ['tty'],
    },
    container(103, 'pve2', false, {hostname: 'busy', lock: 'backup'}),
    container(104, 'pve3', false, {hostname: 'mould', template: '1'}),
    machine(201, 'pve1', true, {name: 'db'}),
    machine(202, 'pve3', true, {name: 'managed'}),
  ],
  ha: [{sid: 'vm:202', state: 'started'}],
  users: [{userid: 'ro@pve'}],
  acl: [{path: '/', type: 'user', ugid: 'ro@pve', propagate: 1, roleid: 'PVEAuditor'}],
  tokens: [
    {auth: 'full', tokenid: 'root@pam!felhom', secret: '11111111-2222-3333-4444-555555555555', privsep: 0},
    {auth: 'ro', tokenid: 'ro@pve!audit', secret: '22222222-3333-4444-5555-666666666666', privsep: 0},
  ],
})

const container = (vmid: number, node: string, running: boolean, config: Record<string, string>): object => ({
  kind: 'lxc',
  vmid,
  node,
  running,
  config: {
    arch: 'amd64',
    memory: '512',
    tty: '1',
    ostype: 'debian',
    rootfs: `local:${vmid}/${config['template'] === '1' ? 'base' : 'vm'}-${vmid}-disk-0.raw,size=1G`,
    ...config,
  },
})

const machine = (vmid: number, node: string, running: boolean, config: Record<string, string>): object => ({
  kind: 'qemu',
  vmid,
  node,
  running,
  config: {memory: '1024', scsi0: `local:${vmid}/vm-${vmid}-disk-0.qcow2,size=2G`, ...config},
})
