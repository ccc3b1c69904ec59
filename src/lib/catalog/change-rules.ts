// What changing an option costs and does: the reviewed table. Of each column the first row that fits and says
// something counts; notes and side effects of all rows that fit add up. Where no row speaks, the impact is the
// one observed for the option, the change can be undone, and it is benign.
import type {GuestKind} from '../model/guest.ts'
import type {GateClass} from '../model/plan.ts'
import type {ConditionName} from './change-conditions.ts'
import type {Verb} from './described-change.ts'

export type HotplugFeature = 'network' | 'disk' | 'usb' | 'cpu' | 'memory'

export interface ChangeRule {
  /** Absent: both kinds. */
  readonly kind?: GuestKind
  readonly families: readonly string[]
  /** Absent: whatever is done with it. */
  readonly verbs?: readonly Verb[]
  /** Only if one of these parts differs. */
  readonly parts?: readonly string[]
  readonly where?: ConditionName
  /** Of a running guest. */
  readonly impact?: 'live' | 'restart'
  /** Live only if the guest's option `hotplug` names this, else after a restart. */
  readonly hotplug?: HotplugFeature
  readonly class?: GateClass
  readonly reversible?: false
  readonly note?: string
  /** Options that Proxmox rewrites as a consequence. */
  readonly sideEffects?: readonly string[]
}

const ADDED: readonly Verb[] = ['added']
const CHANGED: readonly Verb[] = ['changed']
const REMOVED: readonly Verb[] = ['removed']
const ADDED_OR_REMOVED: readonly Verb[] = ['added', 'removed']
const CHANGED_OR_REMOVED: readonly Verb[] = ['changed', 'removed']

const MOUNTS = ['rootfs', 'mp[n]']
const PLUGGABLE = ['scsi[n]', 'virtio[n]']
const DRIVES = [...PLUGGABLE, 'ide[n]', 'sata[n]']
const DISKS = [...DRIVES, 'efidisk0', 'tpmstate0']
const CLOUD_INIT = [
  'cicustom',
  'cipassword',
  'citype',
  'ciupgrade',
  'ciuser',
  'ipconfig[n]',
  'nameserver',
].concat(['searchdomain', 'sshkeys'])
const READ_AT_START = ['aio', 'discard', 'iothread', 'queues', 'product', 'cache', 'ssd', 'vendor', 'ro']

const KEPT = 'the volume is detached and kept as unused'

/* prettier-ignore */
export const CHANGE_RULES: readonly ChangeRule[] = [
  // Containers: what a running one takes over.
  {kind: 'lxc', families: ['memory'], verbs: REMOVED, impact: 'restart'},
  {kind: 'lxc', families: ['mp[n]', 'dev[n]'], verbs: ADDED, impact: 'live'},
  {kind: 'lxc', families: ['mp[n]', 'dev[n]', 'rootfs'], verbs: CHANGED_OR_REMOVED, impact: 'restart'},
  {kind: 'lxc', families: ['net[n]'], verbs: REMOVED, where: 'twoDigits', impact: 'restart'},
  {kind: 'lxc', families: ['net[n]'], verbs: CHANGED, parts: ['hwaddr', 'name'], note: 'the interface is replaced'},
  {kind: 'lxc', families: ['net[n]'], verbs: CHANGED, parts: ['mtu', 'trunks'], note: 'the interface has it after a restart'},
  {kind: 'lxc', families: ['net[n]'], impact: 'live'},
  {kind: 'lxc', families: ['hostname'], note: 'the container takes the name at its next start'},
  {kind: 'lxc', families: ['arch'], verbs: REMOVED, note: 'without arch the container does not start'},
  {kind: 'lxc', families: ['rootfs'], verbs: REMOVED, note: 'Proxmox refuses to take it away'},

  // Machines: what a running one takes over.
  {kind: 'qemu', families: ['net[n]'], verbs: CHANGED, parts: ['model', 'macaddr', 'queues', 'mtu'], hotplug: 'network', note: 'the network card is replaced'},
  {kind: 'qemu', families: ['net[n]'], verbs: CHANGED, where: 'bridgeComesOrGoes', hotplug: 'network', note: 'the network card is replaced'},
  {kind: 'qemu', families: ['net[n]'], verbs: CHANGED, impact: 'live'},
  {kind: 'qemu', families: ['net[n]'], verbs: ADDED_OR_REMOVED, hotplug: 'network'},
  {kind: 'qemu', families: DRIVES, verbs: CHANGED, where: 'mediumDrive', impact: 'live'},
  {kind: 'qemu', families: PLUGGABLE, verbs: CHANGED, parts: ['file'], hotplug: 'disk'},
  {kind: 'qemu', families: DRIVES, verbs: CHANGED, parts: ['file', ...READ_AT_START], impact: 'restart'},
  {kind: 'qemu', families: DRIVES, verbs: CHANGED, impact: 'live'},
  {kind: 'qemu', families: PLUGGABLE, verbs: REMOVED, where: 'bootDevice', impact: 'restart'},
  {kind: 'qemu', families: PLUGGABLE, verbs: ADDED_OR_REMOVED, hotplug: 'disk'},
  {kind: 'qemu', families: ['ide[n]', 'sata[n]'], verbs: ADDED_OR_REMOVED, impact: 'restart'},
  {kind: 'qemu', families: ['usb[n]'], where: 'modernUsb', hotplug: 'usb'},
  {kind: 'qemu', families: ['usb[n]'], impact: 'restart'},
  {kind: 'qemu', families: ['tablet'], hotplug: 'usb'},
  {kind: 'qemu', families: ['vcpus'], hotplug: 'cpu'},
  {kind: 'qemu', families: ['memory'], hotplug: 'memory'},
  {kind: 'qemu', families: ['balloon'], where: 'balloonSwitched', impact: 'restart'},
  {kind: 'qemu', families: ['balloon'], impact: 'live'},
  {kind: 'qemu', families: ['hotplug'], where: 'namesCpuOrMemory', impact: 'restart'},
  {kind: 'qemu', families: ['hotplug'], impact: 'live'},
  {kind: 'qemu', families: ['agent'], verbs: CHANGED, where: 'onlyTrimming', impact: 'live'},
  {kind: 'qemu', families: CLOUD_INIT, note: 'the guest reads it at its next start'},

  // What loses data, or takes away what guards it.
  {families: ['unused[n]'], verbs: REMOVED, impact: 'live', class: 'destructive', reversible: false, note: 'data is lost'},
  {families: ['unused[n]'], class: 'destructive'},
  {kind: 'lxc', families: MOUNTS, verbs: REMOVED, class: 'destructive', note: KEPT, sideEffects: ['unused[n]']},
  {kind: 'qemu', families: DISKS, verbs: REMOVED, where: 'disk', class: 'destructive', note: KEPT, sideEffects: ['unused[n]']},
  {kind: 'lxc', families: MOUNTS, verbs: CHANGED, parts: ['volume'], class: 'destructive', note: KEPT, sideEffects: ['unused[n]']},
  {kind: 'qemu', families: DISKS, verbs: CHANGED, where: 'disk', parts: ['file'], class: 'destructive', note: KEPT, sideEffects: ['unused[n]']},
  {kind: 'lxc', families: MOUNTS, where: 'foreignVolume', class: 'destructive', note: 'the volume is not one of this guest'},
  {kind: 'qemu', families: DISKS, where: 'foreignVolume', class: 'destructive', note: 'the volume is not one of this guest'},
  {families: [...MOUNTS, ...DISKS], verbs: CHANGED, parts: ['size'], class: 'destructive', note: 'Proxmox stores the size without resizing the volume'},
  {families: ['protection'], where: 'switchedOff', class: 'destructive'},
  {families: ['lock'], class: 'destructive'},
  {families: ['template'], class: 'destructive', reversible: false},
  {families: ['unprivileged'], class: 'destructive', reversible: false},
  {kind: 'qemu', families: ['cipassword'], reversible: false},

  // What else Proxmox rewrites.
  {kind: 'qemu', families: ['smp'], sideEffects: ['cores', 'sockets']},
  {kind: 'qemu', families: ['ostype'], where: 'windows', sideEffects: ['machine']},
  {kind: 'qemu', families: ['boot'], sideEffects: ['bootdisk']},
  {kind: 'qemu', families: DRIVES, verbs: ADDED, where: 'mediumDriveAdded', sideEffects: ['boot']},
  {kind: 'qemu', families: [...DRIVES, 'net[n]'], verbs: REMOVED, where: 'bootDevice', sideEffects: ['boot']},
]
