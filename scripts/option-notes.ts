// What the schema and the facts cannot say about an option, reviewed by hand: how many there are of a numbered
// one, units, lists, what is read-only and why.
import type {OptionData} from '../src/lib/catalog/option-data.ts'
import type {PropertyPart} from '../src/lib/catalog/property-format.ts'
import type {GuestKind} from '../src/lib/model/guest.ts'

/** Parameters of the request, not options of the guest. */
export const PARAMETERS: ReadonlySet<string> = new Set(
  'delete digest force node revert skiplock vmid background_delay import-working-storage'.split(' '),
)

/** `net[n]` stands for net0 to net31. */
export const INDEX_COUNTS: Readonly<Record<string, number>> = {
  dev: 256,
  hostpci: 16,
  ide: 4,
  ipconfig: 32,
  mp: 256,
  net: 32,
  numa: 8,
  parallel: 3,
  sata: 6,
  scsi: 31,
  serial: 4,
  unused: 256,
  usb: 14,
  virtio: 16,
  virtiofs: 10,
}

const list: Partial<PropertyPart> = {separator: ';'}

/** By name of the part, in whatever option it occurs; only lists and units that no other part of the name has. */
export const PART_NOTES: Readonly<Record<string, Partial<PropertyPart>>> = {
  cpus: list,
  current: {unit: 'MiB'},
  flags: list,
  hostnodes: list,
  idmap: list,
  memory: {unit: 'MiB'},
  mount: list,
  mountoptions: list,
  order: list,
  trunks: list,
}

type Note = Partial<OptionData>

const disk: Note = {isDisk: true, impact: 'mixed', gate: 'destructive'}
const mebibytes: Note = {unit: 'MiB'}
const lock: Note = {readOnly: 'Proxmox sets it while a task works on the guest', gate: 'destructive'}
const template: Note = {
  readOnly: 'a guest becomes a template by converting its disks, and there is no way back',
  gate: 'destructive',
}
const unused: Note = {
  isDisk: true,
  readOnly:
    'Proxmox lists detached volumes here; a detached volume is attached by naming it in a disk option',
  gate: 'destructive',
}

export const OPTION_NOTES: Readonly<Record<GuestKind, Readonly<Record<string, Note>>>> = {
  lxc: {
    cpuunits: {default: 100},
    'dev[n]': {impact: 'mixed'},
    env: {separator: '\0'},
    features: {privilege: 'VM.Allocate'},
    hookscript: {impact: 'live'},
    lock,
    memory: mebibytes,
    'mp[n]': {...disk, rootOnly: 'some'},
    nameserver: {separator: ' '},
    'net[n]': {impact: 'mixed'},
    protection: {gate: 'destructive'},
    rootfs: {...disk, impact: 'restart', rootOnly: 'some'},
    searchdomain: {separator: ' '},
    swap: mebibytes,
    tags: {separator: ';'},
    template,
    unprivileged: {
      isCreateOnly: true,
      readOnly: 'it is decided when the container is created: write it under create',
      gate: 'destructive',
    },
    'unused[n]': unused,
  },
  qemu: {
    affinity: {separator: ','},
    agent: {impact: 'mixed'},
    balloon: mebibytes,
    cdrom: {...disk, aliasOf: 'ide2', hint: 'write ide2: Proxmox stores the drive there'},
    cipassword: {isComparable: false},
    cpuunits: {default: 100},
    efidisk0: {...disk, impact: 'restart'},
    hookscript: {impact: 'live'},
    hotplug: {listFormat: 'pve-hotplug-feature', separator: ','},
    'hostpci[n]': {privilege: 'VM.Config.HWType'},
    'ide[n]': disk,
    lock: {...lock, impact: 'live'},
    memory: {...mebibytes, impact: 'mixed'},
    nameserver: {separator: ' '},
    'net[n]': {impact: 'mixed'},
    protection: {gate: 'destructive'},
    'sata[n]': disk,
    'scsi[n]': disk,
    searchdomain: {separator: ' '},
    'serial[n]': {privilege: 'VM.Config.HWType'},
    smp: {
      aliasOf: 'sockets',
      hint: 'write sockets and cores: Proxmox makes sockets of it and removes cores',
    },
    tablet: {impact: 'mixed'},
    tags: {separator: ';'},
    template,
    tpmstate0: {...disk, impact: 'restart'},
    'unused[n]': {...unused, privilege: 'VM.Config.Disk'},
    'usb[n]': {privilege: 'VM.Config.HWType', impact: 'mixed'},
    vcpus: {impact: 'mixed'},
    'virtio[n]': disk,
    'virtiofs[n]': {privilege: 'VM.Config.Disk'},
    vmgenid: {readOnly: 'Proxmox generates it; a new one tells the guest that it was rolled back or copied'},
  },
}
