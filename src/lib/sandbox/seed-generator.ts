// Makes a large synthetic cluster as a compact seed, for benchmarks: the same number of guests always gives the
// same cluster. About two thirds are containers, most of them run, and each has a disk, a network and tags.

type Json = Record<string, unknown>

const GUESTS_PER_NODE = 250
const FIRST_VMID = 100
const roles = ['web', 'db', 'dns', 'cache', 'queue', 'mail', 'build', 'media', 'backup', 'proxy']

export interface GeneratedSeed {
  format: string
  time: string
  cluster: Json
  nodes: Json[]
  storages: Json[]
  guests: Json[]
  users: Json[]
  tokens: Json[]
  acl: Json[]
}

export function generateSeed(guestCount: number): GeneratedSeed {
  const nodeCount = Math.max(1, Math.ceil(guestCount / GUESTS_PER_NODE))
  return {
    format: 'felhom-sandbox-seed/1',
    time: '2026-01-01T00:00:00Z',
    cluster: {name: 'synthetic'},
    nodes: Array.from({length: nodeCount}, (_, i) => generateNode(i)),
    storages: [
      {
        storage: 'local',
        type: 'dir',
        size: '200G',
        config: {path: '/var/lib/vz', content: 'iso,vztmpl,backup'},
      },
      {
        storage: 'local-lvm',
        type: 'lvmthin',
        size: '20T',
        config: {vgname: 'pve', thinpool: 'data', content: 'rootdir,images'},
      },
    ],
    guests: Array.from({length: guestCount}, (_, i) => generateGuest(i, nodeCount)),
    users: [{userid: 'ro@pve'}],
    tokens: [
      {auth: 'full', tokenid: 'root@pam!felhom', secret: '11111111-2222-3333-4444-555555555555', privsep: 0},
      {auth: 'ro', tokenid: 'ro@pve!audit', secret: '22222222-3333-4444-5555-666666666666', privsep: 0},
    ],
    acl: [{path: '/', ugid: 'ro@pve', roleid: 'PVEAuditor'}],
  }
}

const nodeName = (i: number): string => `node${String(i + 1)}`

function generateNode(i: number): Json {
  const ip = `10.0.${String(Math.floor(i / 200))}.${String((i % 200) + 11)}`
  return {name: nodeName(i), ip, cpus: 64, memory: '512G', bridges: {vmbr0: `${ip}/16`, vmbr1: null}}
}

function generateGuest(i: number, nodeCount: number): Json {
  const vmid = FIRST_VMID + i
  const isContainer = i % 3 !== 2
  const node = nodeName(i % nodeCount)
  const running = i % 5 !== 4
  const name = `${roles[i % roles.length] ?? 'guest'}-${String(vmid)}`
  const config = isContainer ? containerConfig(vmid, name, i) : machineConfig(vmid, name, i)
  return {kind: isContainer ? 'lxc' : 'qemu', vmid, node, running, config}
}

/** The last three bytes count the guests. */
function macOf(vmid: number): string {
  const hex = vmid.toString(16).toUpperCase().padStart(6, '0')
  return `BC:24:11:${hex.slice(0, 2)}:${hex.slice(2, 4)}:${hex.slice(4)}`
}

function uuidOf(vmid: number, tail: number): string {
  return `00000000-0000-4000-8000-${String(tail)}${vmid.toString(16).padStart(11, '0')}`
}

function containerConfig(vmid: number, name: string, i: number): Json {
  const id = String(vmid)
  return {
    arch: 'amd64',
    cores: (i % 4) + 1,
    hostname: name,
    memory: 512 * ((i % 8) + 1),
    net0: `name=eth0,bridge=vmbr0,hwaddr=${macOf(vmid)},ip=dhcp,type=veth`,
    onboot: 1,
    ostype: 'debian',
    rootfs: `local-lvm:vm-${id}-disk-0,size=8G`,
    swap: 512,
    tags: `${roles[i % roles.length] ?? 'guest'};synthetic`,
    unprivileged: 1,
  }
}

function machineConfig(vmid: number, name: string, i: number): Json {
  const id = String(vmid)
  return {
    boot: 'order=scsi0;net0',
    cores: (i % 4) + 1,
    memory: 1024 * ((i % 8) + 1),
    meta: 'creation-qemu=10.1.2,ctime=1767225600',
    name,
    net0: `virtio=${macOf(vmid)},bridge=vmbr0`,
    onboot: 1,
    ostype: 'l26',
    scsi0: `local-lvm:vm-${id}-disk-0,size=32G`,
    scsihw: 'virtio-scsi-single',
    smbios1: `uuid=${uuidOf(vmid, 1)}`,
    tags: `${roles[i % roles.length] ?? 'guest'};synthetic`,
    vmgenid: uuidOf(vmid, 2),
  }
}
