// Drives of a running machine: throttles and flags are changed in place, media are swapped, disks on buses that
// allow it are plugged and unplugged; the machine never loses a disk that it may boot from.
import {bootDrives} from './boot-order.ts'
import {fileOf, isCdrom, isCloudinit, parseDrive, type Drive} from './drive.ts'
import {detachDrive, registerUnused} from './unused-volumes.ts'
import {die} from '../../pve-error.ts'
import {requireVolume, tryParseVolid} from '../../storage/volumes.ts'
import type {Plug} from './hotplug-parts.ts'

/** Keys that the machine reads only when it starts. */
const COLD_KEYS = ['aio', 'discard', 'iothread', 'queues', 'product', 'cache', 'ssd', 'vendor', 'ro']

/** IDE and SATA disks cannot be plugged, firmware variables and TPM state neither. */
const isColdBus = (option: string): boolean => /^(?:ide|sata|efidisk|tpmstate)\d+$/.test(option)

export function plugDrive(plug: Plug, option: string, wanted: Drive): boolean {
  const text = plug.conf.config[option]
  const before = text === undefined ? undefined : parseDrive(option, text)
  if (before) {
    if ((wanted['media'] ?? 'disk') !== (before['media'] ?? 'disk')) die('unable to change media type')
    if (isCdrom(before)) return changeMedium(plug, wanted, before)
    if (fileOf(wanted) === fileOf(before)) return !COLD_KEYS.some((key) => wanted[key] !== before[key])
    if (!plug.features.has('disk')) return false
    requireUnpluggable(plug, option)
    registerUnused(plug.work, plug.conf, before)
  }
  if (!plug.features.has('disk') || isColdBus(option)) return false
  requireMedium(plug, wanted)
  return true
}

export function unplugDrive(plug: Plug, option: string): boolean {
  if (!plug.features.has('disk') || isColdBus(option)) return false
  requireUnpluggable(plug, option)
  detachDrive(plug.work, plug.guest, plug.conf, option, plug.conf.pendingDelete[option]?.force ?? false)
  return true
}

function changeMedium(plug: Plug, wanted: Drive, before: Drive): boolean {
  requireMedium(plug, wanted)
  if (fileOf(wanted) === 'none' && isCloudinit(before)) registerUnused(plug.work, plug.conf, before)
  return true
}

function requireMedium({work}: Plug, wanted: Drive): void {
  if (tryParseVolid(fileOf(wanted))) requireVolume(work.cluster, fileOf(wanted), work.node)
}

function requireUnpluggable({conf}: Plug, option: string): void {
  if (bootDrives(conf.config).includes(option)) die(`can't unplug bootdisk '${option}'`)
  if (isColdBus(option)) die(`can't unplug device '${option}'`)
}
