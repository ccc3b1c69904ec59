// Which privilege each option of a machine asks for. Drives, serial ports, USB and PCI devices are not here:
// what they ask for depends on their values.
import {isDriveName} from './drive.ts'
import {isCloudinitOption} from './cloudinit-image.ts'
import {optionFormat} from './option-schema.ts'
import {requirePrivs, ROOT, type Subject} from '../../access/permissions.ts'
import {die} from '../../pve-error.ts'
import {parsePropertyString} from '../../schema/property-string.ts'
import type {Section} from '../../state.ts'

const OPTIONS_BY_PRIVILEGE: Record<string, string> = {
  'VM.Config.CPU': 'cores cpu runningcpu cpulimit cpuunits numa smp sockets vcpus',
  'VM.Config.Memory': 'memory balloon shares allow-ksm',
  'VM.Config.HWType':
    'acpi hotplug kvm machine runningmachine scsihw smbios1 tablet vga watchdog audio0 rng0',
  'VM.Config.Options':
    'agent autostart bios description keyboard localtime migrate_downtime migrate_speed name onboot ostype' +
    ' protection reboot startdate startup tdf template',
  'VM.PowerMgmt': 'freeze',
  'VM.Config.Disk': 'boot bootdisk vmstatestorage',
  'VM.Config.Network': 'running-nets-host-mtu',
}

const privilegeOf = new Map(
  Object.entries(OPTIONS_BY_PRIVILEGE).flatMap(([privilege, options]) =>
    options.split(' ').map((option) => [option, privilege] as const),
  ),
)

const vmPath = (vmid: number): string => `/vms/${String(vmid)}`
const isRoot = (subject: Subject): boolean => subject.principal.authid === ROOT

/** Dies for the first option that the caller may not touch. */
export function checkOptionPrivileges(subject: Subject, vmid: number, options: readonly string[]): void {
  if (isRoot(subject)) return
  for (const option of options) {
    if (!dependsOnValue(option)) checkOption(subject, vmid, option)
  }
}

const dependsOnValue = (option: string): boolean =>
  isDriveName(option) ||
  option === 'cdrom' ||
  option === 'tags' ||
  /^(?:unused|serial|usb|hostpci|virtiofs)\d+$/.test(option)

function checkOption(subject: Subject, vmid: number, option: string): void {
  const path = vmPath(vmid)
  const privilege =
    privilegeOf.get(option) ??
    (/^numa\d+$/.test(option) ? 'VM.Config.CPU' : /^net\d+$/.test(option) ? 'VM.Config.Network' : undefined)
  if (privilege !== undefined) {
    requirePrivs(subject, path, [privilege])
    if (option === 'startup') requirePrivs(subject, '/', ['Sys.Modify'])
  } else if (isCloudinitOption(option)) {
    requirePrivs(subject, path, ['VM.Config.Cloudinit', 'VM.Config.Network'], true)
  } else if (option === 'vmstate') {
    requirePrivs(subject, path, ['VM.Config.Disk', 'VM.PowerMgmt'])
  } else {
    die(`only root can set '${option}' config`)
  }
}

interface DeviceFamily {
  privilege: string
  /** May the caller use what the value names on the host? */
  checkHost(subject: Subject, option: string, value: string): void
}

const FAMILIES: Record<string, DeviceFamily> = {
  usb: {privilege: 'VM.Config.HWType', checkHost: checkUsb},
  hostpci: {privilege: 'VM.Config.HWType', checkHost: checkHostPci},
  rng: {privilege: 'VM.Config.HWType', checkHost: checkRng},
  virtiofs: {privilege: 'VM.Config.Disk', checkHost: checkSharedFolder},
}

const familyOf = (option: string): string => option.replace(/\d+$/, '')

/** Options that name devices or folders of the host: what they ask for depends on their values. */
export const isHostDevice = (option: string): boolean =>
  /^(?:serial|usb|hostpci|rng|virtiofs)\d+$/.test(option)

/** May the caller do that to a device with these values, what it is now among them? */
export function checkDevice(
  subject: Subject,
  vmid: number,
  option: string,
  values: readonly string[],
  action: 'set' | 'modify' | 'delete',
): void {
  if (familyOf(option) === 'serial') {
    if (values.every((value) => value === 'socket')) {
      requirePrivs(subject, vmPath(vmid), ['VM.Config.HWType'])
    } else if (!isRoot(subject)) die(`only root can ${action} '${option}' config for real devices`)
  } else if (!isRoot(subject)) {
    for (const value of values) checkHostDevice(subject, vmid, option, value)
  }
}

function checkHostDevice(subject: Subject, vmid: number, option: string, value: string): void {
  const family = FAMILIES[familyOf(option)]
  if (!family) return
  const checks = [
    (): void => {
      requirePrivs(subject, vmPath(vmid), [family.privilege])
    },
    (): void => {
      family.checkHost(subject, option, value)
    },
  ]
  // Of PCI devices Proxmox first asks which it is.
  if (option.startsWith('hostpci')) checks.reverse()
  for (const check of checks) check()
}

/** May the caller make another machine with the same devices? */
export function checkMappingAccess(subject: Subject, config: Section): void {
  if (isRoot(subject)) return
  for (const option of Object.keys(config).filter(isHostDevice).sort()) {
    FAMILIES[familyOf(option)]?.checkHost(subject, option, config[option] ?? '')
  }
}

function checkUsb(subject: Subject, option: string, value: string): void {
  const {host, mapping} = parsePropertyString(optionFormat(option), value)
  if (host !== undefined) {
    if (!/^spice$/i.test(host)) die(`only root can set '${option}' config for real devices`)
  } else if (mapping !== undefined) {
    requirePrivs(subject, `/mapping/usb/${mapping}`, ['Mapping.Use'])
  } else {
    die("either 'host' or 'mapping' must be set.")
  }
}

function checkHostPci(subject: Subject, option: string, value: string): void {
  const {host, mapping} = parsePropertyString(optionFormat(option), value)
  if (host !== undefined) die(`only root can set '${option}' config for non-mapped devices`)
  if (mapping === undefined) die("either 'host' or 'mapping' must be set.")
  requirePrivs(subject, `/mapping/pci/${mapping}`, ['Mapping.Use'])
}

function checkRng(subject: Subject, option: string, value: string): void {
  const {source} = parsePropertyString(optionFormat(option), value)
  if (source === '/dev/hwrng') requirePrivs(subject, '/mapping/hwrng', ['Mapping.Use'])
}

function checkSharedFolder(subject: Subject, option: string, value: string): void {
  const {dirid} = parsePropertyString(optionFormat(option), value)
  requirePrivs(subject, `/mapping/dir/${dirid ?? ''}`, ['Mapping.Use'])
}
