// Many stopped containers on a few nodes, and the wish that all of them run.

const TOKENS = [
  {auth: 'full', tokenid: 'root@pam!felhom', secret: '11111111-2222-3333-4444-555555555555', privsep: 0},
  {auth: 'ro', tokenid: 'ro@pve!audit', secret: '22222222-3333-4444-5555-666666666666', privsep: 0},
]
const FIRST_VMID = 101

export interface ManyGuests {
  readonly guests: number
  readonly nodes: number
  readonly startDelaySeconds: number
}

export const manyGuestsSeed = ({guests, nodes, startDelaySeconds}: ManyGuests): object => ({
  format: 'felhom-sandbox-seed/1',
  cluster: {name: 'rack', localNode: 'pve1'},
  nodes: Array.from({length: nodes}, (_, i) => ({
    name: `pve${i + 1}`,
    ip: `192.0.2.${i + 11}`,
    cpus: 16,
    memory: '128G',
    bridges: {vmbr0: `192.0.2.${i + 11}/24`},
  })),
  storages: [
    {
      storage: 'local-lvm',
      type: 'lvmthin',
      size: '900G',
      config: {vgname: 'pve', thinpool: 'data', content: 'rootdir,images'},
    },
  ],
  guests: Array.from({length: guests}, (_, i) => container(FIRST_VMID + i, `pve${(i % nodes) + 1}`)),
  users: [{userid: 'ro@pve'}],
  acl: [{path: '/', ugid: 'ro@pve', roleid: 'PVEAuditor'}],
  tokens: TOKENS,
  knobs: {startDelaySeconds, stopDelaySeconds: 0},
})

const container = (vmid: number, node: string): object => ({
  kind: 'lxc',
  vmid,
  node,
  running: false,
  config: {
    arch: 'amd64',
    hostname: `web-${vmid}`,
    memory: 512,
    net0: `name=eth0,bridge=vmbr0,hwaddr=BC:24:11:00:00:${vmid.toString(16).toUpperCase()},ip=dhcp,type=veth`,
    ostype: 'debian',
    rootfs: `local-lvm:vm-${vmid}-disk-0,size=4G`,
    unprivileged: 1,
  },
})

export const manyGuestsWish = (guests: number): string =>
  `felhom: 1\ndefaults: {lxc: {run: running}}\nguests:\n${Array.from(
    {length: guests},
    (_, i) => `  ${FIRST_VMID + i}: {kind: lxc}\n`,
  ).join('')}`
