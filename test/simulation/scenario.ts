// Where a life begins: a small cluster drawn from the seed, and desired states that keep changing their mind.
import type {DesiredCreate, DesiredGuest, DesiredState} from '../../src/lib/model/desired.ts'
import type {GuestKind} from '../../src/lib/model/guest.ts'
import {desiredGuest, type Written} from '../support/desired-guest.ts'
import type {Random} from './random.ts'

export interface GuestSlot {
  readonly kind: GuestKind
  readonly vmid: number
  readonly node: string
}

export interface Scenario {
  readonly seed: unknown
  readonly nodes: readonly string[]
  /** Guests that the desired state speaks of, whether they exist or not. */
  readonly managed: readonly GuestSlot[]
  /** Whether there is something to make copies of. */
  readonly hasCopies: boolean
}

/** Copies are made of these two; they are nobody's to change. */
export const SOURCES: Readonly<Record<GuestKind, number>> = {lxc: 900, qemu: 901}
const STRANGER = 800
export const PLACE = {file: 'guests.yaml', line: 1, column: 1}
export const TEMPLATE = 'nas:vztmpl/debian-12-standard_12.7-1_amd64.tar.zst'
const BACKUP_TIME = '2026-01-01T00:00:00Z'
export const ARCHIVES: Readonly<Record<GuestKind, string>> = {
  lxc: 'nas:backup/vzdump-lxc-900-2026_01_01-00_00_00.tar.zst',
  qemu: 'nas:backup/vzdump-qemu-901-2026_01_01-00_00_00.vma.zst',
}

export function drawScenario(random: Random): Scenario {
  const nodes = random.chance(0.5) ? ['pve1'] : ['pve1', 'pve2']
  const managed = Array.from({length: random.between(2, 4)}, (_, i): GuestSlot => ({
    kind: random.chance(0.6) ? 'lxc' : 'qemu',
    vmid: 101 + i,
    node: random.pick(nodes),
  }))
  const stranger = random.chance(0.3)
    ? [{kind: 'lxc', vmid: STRANGER, node: random.pick(nodes)} as const]
    : []
  const memory = (): string => random.pick(['512', '1024'])
  const guests = managed
    .filter(() => random.chance(0.8))
    .map((slot) => seedGuest(slot, {running: random.chance(0.5), memory: memory()}))
  const ha = managed.filter(({vmid}) => random.chance(0.05) && guests.some((guest) => guest.vmid === vmid))
  return assemble(nodes, managed, guests, {strangers: stranger, ha, hasCopies: random.chance(0.5)})
}

/** One managed guest on one node, that exists or not. */
export function makeScenario({
  slot,
  exists,
  running,
  pending,
  wish,
}: {
  readonly slot: GuestSlot
  readonly exists: boolean
  readonly running: boolean
  readonly pending?: Readonly<Record<string, string>>
  readonly wish?: {readonly snapshot: string}
}): Scenario {
  const snapshots = wish && {[wish.snapshot]: {snaptime: 1_700_000_000}}
  const more = {...(pending && {pending}), ...(snapshots && {snapshots})}
  const guests = exists ? [{...seedGuest(slot, {running, memory: '512'}), ...more}] : []
  return assemble(['pve1'], [slot], guests)
}

interface Surroundings {
  readonly strangers?: readonly GuestSlot[]
  readonly ha?: readonly GuestSlot[]
  readonly hasCopies?: boolean
}

function assemble(
  nodes: readonly string[],
  managed: readonly GuestSlot[],
  guests: readonly SeedGuest[],
  {strangers = [], ha = [], hasCopies = true}: Surroundings = {},
): Scenario {
  const kinds = hasCopies ? [...new Set(managed.map(({kind}) => kind))] : []
  const sources = kinds.map((kind): GuestSlot => ({kind, vmid: SOURCES[kind], node: 'pve1'}))
  const others = [...sources, ...strangers]
  return {
    nodes,
    managed,
    hasCopies,
    seed: {
      format: 'felhom-sandbox-seed/1',
      cluster: {...(nodes.length > 1 && {name: 'lab'}), localNode: 'pve1'},
      nodes: nodes.map((name, i) => seedNode(name, i)),
      storages: [seedStorage],
      guests: [...guests, ...others.map((slot) => seedGuest(slot, {running: false, memory: '512'}))],
      ha: ha.map(({kind, vmid}) => ({
        sid: `${kind === 'lxc' ? 'ct' : 'vm'}:${vmid}`,
        state: guests.some((guest) => guest.vmid === vmid && guest.running) ? 'started' : 'stopped',
      })),
      backups: sources.map(({vmid}) => ({storage: 'nas', vmid, time: BACKUP_TIME})),
      users: [{userid: 'other@pve'}],
      acl: [{path: '/', type: 'user', ugid: 'other@pve', propagate: 1, roleid: 'Administrator'}],
      tokens: [
        {
          auth: 'full',
          tokenid: 'root@pam!felhom',
          secret: '11111111-2222-3333-4444-555555555555',
          privsep: 0,
        },
        {auth: 'other', tokenid: 'other@pve!by', secret: '22222222-3333-4444-5555-666666666666', privsep: 0},
      ],
    },
  }
}

const seedStorage = {
  storage: 'nas',
  type: 'nfs',
  shared: true,
  size: '900G',
  used: '10G',
  config: {
    path: '/mnt/pve/nas',
    server: '192.0.2.5',
    export: '/export',
    content: 'images,rootdir,backup,iso,vztmpl',
    'prune-backups': 'keep-all=1',
  },
  files: {'vztmpl/debian-12-standard_12.7-1_amd64.tar.zst': '120M'},
}

const seedNode = (name: string, i: number): object => ({
  name,
  ip: `192.0.2.${i + 11}`,
  cpus: 8,
  memory: '32G',
  bridges: {vmbr0: `192.0.2.${i + 11}/24`},
})

interface SeedGuest extends GuestSlot {
  readonly running: boolean
  readonly config: Readonly<Record<string, string>>
  readonly pending?: Readonly<Record<string, string>>
}

function seedGuest(
  {kind, vmid, node}: GuestSlot,
  {running, memory}: {running: boolean; memory: string},
): SeedGuest {
  const tail = vmid.toString(16).padStart(4, '0').toUpperCase()
  const address = `BC:24:11:00:${tail.slice(0, 2)}:${tail.slice(2)}`
  const config =
    kind === 'lxc'
      ? {
          arch: 'amd64',
          hostname: `ct${vmid}`,
          memory,
          net0: `name=eth0,bridge=vmbr0,hwaddr=${address},ip=dhcp,type=veth`,
          ostype: 'debian',
          rootfs: `nas:${vmid}/vm-${vmid}-disk-0.raw,size=4G`,
          swap: '512',
          unprivileged: '1',
        }
      : {
          boot: 'order=scsi0',
          memory,
          name: `vm${vmid}`,
          net0: `virtio=${address},bridge=vmbr0`,
          ostype: 'l26',
          scsi0: `nas:${vmid}/vm-${vmid}-disk-0.qcow2,size=4G`,
          smbios1: `uuid=00000000-0000-4000-8000-${String(vmid).padStart(12, '0')}`,
          vmgenid: `00000000-0000-4000-9000-${String(vmid).padStart(12, '0')}`,
        }
  return {kind, vmid, node, running, config}
}

/** What is wanted of every managed guest; `absent` are to be destroyed. */
export function drawDesired(scenario: Scenario, absent: ReadonlySet<number>, random: Random): DesiredState {
  const guests = scenario.managed.map((slot) =>
    absent.has(slot.vmid)
      ? desiredGuest(slot.vmid, {}, {kind: slot.kind, ensure: 'absent', stop: drawStop(random)})
      : drawGuest(slot, scenario.hasCopies, random),
  )
  return {guests, files: ['guests.yaml']}
}

const drawStop = (random: Random): DesiredGuest['stop'] => ({
  timeoutMs: random.pick([10_000, 60_000, 90_000]),
  force: random.chance(0.5),
})

function drawGuest(slot: GuestSlot, hasCopies: boolean, random: Random): DesiredGuest {
  const create = random.chance(0.85) ? drawCreate(slot.kind, hasCopies, random) : undefined
  const run = random.pick(['running', 'running', 'stopped', undefined] as const)
  return desiredGuest(slot.vmid, drawOptions(slot, create, random), {
    kind: slot.kind,
    restart: random.chance(0.5) ? 'allowed' : 'never',
    stop: drawStop(random),
    ...(run && {run}),
    ...(create && {create, nodes: [slot.node]}),
  })
}

function drawCreate(kind: GuestKind, hasCopies: boolean, random: Random): DesiredCreate {
  const fresh: DesiredCreate['from'] = kind === 'lxc' ? {template: TEMPLATE} : {empty: true}
  const copies: DesiredCreate['from'][] = [{clone: SOURCES[kind], full: true}, {restore: ARCHIVES[kind]}]
  const from = hasCopies && random.chance(0.7) ? random.pick(copies) : fresh
  return {from, storage: 'nas', place: PLACE}
}

function drawOptions(
  {kind, vmid}: GuestSlot,
  create: DesiredCreate | undefined,
  random: Random,
): Record<string, Written> {
  const options: Record<string, Written> = {}
  const maybe = (name: string, values: readonly Written[], probability = 0.4): void => {
    if (random.chance(probability)) options[name] = random.pick(values)
  }
  maybe('memory', ['512', '768', '1024', '2048'])
  maybe('cores', ['1', '2', '3'])
  maybe('onboot', ['0', '1'])
  maybe('tags', ['blue', 'blue;green', 'red'])
  maybe(kind === 'lxc' ? 'hostname' : 'name', [`host-${vmid}`, `guest-${vmid}`])
  if (kind === 'lxc') {
    maybe('swap', ['0', '256', '512'])
    maybe('nameserver', ['192.0.2.53', '192.0.2.54', null])
    maybe('net1', [{name: 'eth1', bridge: 'vmbr0', ip: 'dhcp'}], 0.15)
    maybe('rootfs', [{size: '4G'}, {size: '5G'}, {size: '6G'}], 0.3)
  } else {
    maybe('scsi0', [{size: '4G'}, {size: '5G'}, {size: '6G'}], 0.3)
  }
  // A new guest is known again by its network address; without one it cannot be told from another's.
  const isNew = create !== undefined && ('template' in create.from || 'empty' in create.from)
  if (isNew && random.chance(0.8)) {
    options['net0'] = kind === 'lxc' ? {name: 'eth0', bridge: 'vmbr0'} : {model: 'virtio', bridge: 'vmbr0'}
  }
  return options
}
