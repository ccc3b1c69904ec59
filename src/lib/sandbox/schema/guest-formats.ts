// Formats of guests: ids, tags, start order, mount paths, boot devices, CPUs and time zones.
import {byPattern} from './address-formats.ts'
import {refuse, type FormatCheck} from './format-error.ts'
import {optionCount, splitIndexed} from './option-ranges.ts'
import {perlRegex} from './perl-regex.ts'
import {dropTrailing, splitList} from './split-list.ts'
import {timeZones} from './time-zones.ts'

const CONFIG_ID = perlRegex('[a-z][a-z0-9_-]+', {whole: true, ignoreCase: true})
const STARTUP_PARTS = [/^(?:order=)?\p{Nd}+\n?$/u, /^up=\p{Nd}+\n?$/u, /^down=\p{Nd}+\n?$/u]
const DISKS = new Set(['ide', 'sata', 'scsi', 'virtio'])
const BOOT_DEVICES = new Set([...DISKS, 'net', 'usb', 'hostpci'])

function checkStartup(value: string): void {
  const right =
    value !== '' &&
    value !== '0' &&
    dropTrailing(value.split(',')).every(
      (part) => /^\s*$/.test(part) || STARTUP_PARTS.some((regex) => regex.test(part)),
    )
  if (!right) refuse('unable to parse startup options')
}

function isDevice(names: Set<string>, value: string): boolean {
  const device = splitIndexed(value)
  return device !== undefined && names.has(device.name) && device.index < optionCount(device.name)
}

function checkHotplug(value: string): void {
  if (value === '0' || value === '1') return
  for (const feature of splitList(value)) {
    if (!/^(?:network|disk|cpu|memory|usb|cloudinit)\n?$/.test(feature)) {
      refuse(`invalid hotplug feature '${feature}'`)
    }
  }
}

function checkCpuSet(value: string): void {
  for (const part of dropTrailing(value.split(','))) {
    const range = /^\s*(\d+)(?:-(\d+))?\s*$/.exec(part)
    if (!range || Number(range[2] ?? range[1]) < Number(range[1])) refuse('unable to parse cpuset option')
  }
}

function checkTimeZone(value: string): void {
  if (value !== 'UTC' && !timeZones.has(value)) refuse(`invalid time zone '${value}'`)
}

export const guestFormats: Record<string, FormatCheck> = {
  string: () => undefined,
  'pve-vmid': byPattern('[1-9][0-9]{2,8}', 'value does not look like a valid VM ID'),
  'pve-configid': (value) => {
    if (!CONFIG_ID.test(value)) refuse(`invalid configuration ID '${value}'`)
  },
  'pve-tag': byPattern('[a-z0-9_][a-z0-9_\\-\\+\\.]*', 'invalid characters in tag', true),
  'pve-startup-order': checkStartup,
  'pve-lxc-mp-string': (value) => {
    if (/\/\.\.?(?:\/|\n?$)|^\.\.\//.test(value)) refuse(`${value} contains illegal character sequences`)
  },
  'pve-lxc-dev-string': (value) => {
    if (/\/\.\.?(?:\/|\n?$)/.test(value) || !value.startsWith('/dev/')) {
      refuse(`${value} is not a valid device path`)
    }
  },
  'pve-qm-bootdev': (value) => {
    if (!isDevice(BOOT_DEVICES, value)) refuse(`invalid boot device '${value}'`)
  },
  'pve-qm-bootdisk': (value) => {
    if (!isDevice(DISKS, value) && value !== 'efidisk0' && value !== 'tpmstate0') {
      refuse(`invalid boot disk '${value}'`)
    }
  },
  'pve-hotplug-features': checkHotplug,
  'pve-cpuset': checkCpuSet,
  'pve-phys-bits': (value) => {
    const bits = Number(value)
    if (value !== 'host' && !(/^\d{1,2}\n?$/.test(value) && bits >= 8 && bits <= 64)) {
      refuse("value must be an integer between 8 and 64 or 'host'")
    }
  },
  timezone: checkTimeZone,
  'pve-ct-timezone': (value) => {
    if (value !== 'host') checkTimeZone(value)
  },
  'pve-task-status-type': (value) => {
    if (!/^(?:ok|error|warning|unknown)\n?$/i.test(value)) refuse(`invalid status '${value}'`)
  },
  urlencoded: (value) => {
    if (!/^[-%a-zA-Z0-9_.!~*'()]*\n?$/.test(value)) refuse(`invalid urlencoded string: ${value}`)
  },
}
