// Where felhom reads a recorded value otherwise than the letter of the recording, each reviewed, with its reason.
import type {GuestKind} from '../../../src/lib/model/guest.ts'

export interface RecordedValue {
  kind: GuestKind
  option: string
  value: string | number
  before: string | number | null
}

interface Exception {
  kind: GuestKind
  option: string
  value: RegExp
  reason: string
}

/** What was sent and what was read back are not the same to felhom. */
const DIFFERENT_FOR_FELHOM: readonly Exception[] = [
  {
    kind: 'qemu',
    option: 'scsi0',
    value: /,size=5G$/,
    reason: 'Proxmox ignores a size that is not so; to felhom it is the wish to grow the disk',
  },
]

export function whyDifferent({kind, option, value}: RecordedValue): string | undefined {
  const found = DIFFERENT_FOR_FELHOM.find(
    (entry) => entry.kind === kind && entry.option === option && entry.value.test(String(value)),
  )
  return found?.reason
}

/** Holds only where the option was not set. */
const standard = 'it is the default: not set and set so, the guest is the same'

/** Proxmox's text changed, yet the guest is as it was: nothing to do. */
export const SAME_IN_EFFECT: readonly {
  kind: GuestKind
  option: string
  values: (string | number)[]
  reason: string
}[] = [
  ...Object.entries({
    cmode: 'tty',
    console: 1,
    cpulimit: '0',
    debug: 0,
    entrypoint: '/sbin/init',
    features: 'nesting=0',
    onboot: 0,
    protection: 0,
    template: 0,
  }).map(([option, value]) => ({kind: 'lxc' as const, option, values: [value], reason: standard})),
  ...Object.entries({
    acpi: 1,
    agent: '0',
    'allow-ksm': 1,
    autostart: 0,
    bios: 'seabios',
    ciupgrade: 1,
    cpulimit: '0',
    freeze: 0,
    kvm: 1,
    migrate_speed: 0,
    numa: 0,
    onboot: 0,
    protection: 0,
    reboot: 1,
    scsihw: 'lsi',
    sockets: 1,
    startdate: 'now',
    tablet: 1,
    tdf: 0,
    template: 0,
    vga: 'std',
  }).map(([option, value]) => ({kind: 'qemu' as const, option, values: [value], reason: standard})),
  {
    kind: 'qemu',
    option: 'hotplug',
    values: ['network,disk,usb', '1'],
    reason: 'both are the default, and 1 is its other name',
  },
  {kind: 'lxc', option: 'tags', values: [''], reason: 'no tags, whether the option is empty or not set'},
  {kind: 'qemu', option: 'tags', values: [''], reason: 'no tags, whether the option is empty or not set'},
  {
    kind: 'lxc',
    option: 'rootfs',
    values: [
      'size=256M,volume=btr:102/vm-102-disk-0.raw,ro=0',
      'size=256M,volume=btr:100/vm-100-disk-0.raw,ro=0',
    ],
    reason: 'another order, and writable as it was',
  },
  {kind: 'qemu', option: 'cipassword', values: ['secret123'], reason: 'a secret is never compared'},
]

export function isSameInEffect({kind, option, value, before}: RecordedValue): boolean {
  return SAME_IN_EFFECT.some(
    (entry) =>
      entry.kind === kind &&
      entry.option === option &&
      entry.values.includes(value) &&
      (entry.reason !== standard || before === null),
  )
}

/** Nobody may write these into a file as they were sent. */
export const NOT_WRITABLE: ReadonlyMap<string, string> = new Map([
  ['cipassword', 'a secret is written by reference only'],
])
