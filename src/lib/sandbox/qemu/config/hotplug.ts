// What a running machine takes over at once and what has to wait. It knows, option by option, whether a change
// can be made live; it changes the config it is given; what cannot be made live, or fails, goes on waiting.
import {loadConf, storeConf, type QemuConf} from './conf.ts'
import {
  hasCloudinitChanges,
  isCloudinitOption,
  makeCloudinitImage,
  recordCloudinitChange,
  writeImage,
} from './cloudinit-image.ts'
import {fileOf, isCloudinit, isDriveName, parseDrive} from './drive.ts'
import {plugDrive, unplugDrive} from './hotplug-drive.ts'
import {plugNet} from './hotplug-net.ts'
import {
  changeAgent,
  changeBalloon,
  changeVcpus,
  deleteVcpus,
  plugMemory,
  plugUsb,
  resetBalloon,
  type Plug,
} from './hotplug-parts.ts'
import {hotplugFeatures} from './hotplug-features.ts'
import {isNetName} from './net.ts'
import {unset} from '../../guest/pending.ts'
import {PveError} from '../../pve-error.ts'
import type {ApplyErrors} from './apply-pending.ts'
import type {Work} from './work.ts'
import type {Guest} from '../../state.ts'

/** Options that mean nothing to the machine itself. */
const FREE_OPTIONS = new Set([
  'description',
  'hookscript',
  'lock',
  'migrate_downtime',
  'migrate_speed',
  'name',
  'onboot',
  'protection',
  'shares',
  'startup',
  'tags',
  'vmstatestorage',
])

const isFree = (option: string): boolean => FREE_OPTIONS.has(option) || isCloudinitOption(option)

/** Applies what waits for the options in `selection`, as far as the running machine lets it. */
export function hotplugPending(work: Work, guest: Guest, selection: ReadonlySet<string>): ApplyErrors {
  const conf = loadConf(guest)
  applyFreeOptions(guest, conf)
  const plug: Plug = {work, guest, conf, features: hotplugFeatures(conf.config['hotplug'])}
  const errors: ApplyErrors = {}
  for (const option of Object.keys(conf.pendingDelete).sort()) {
    if (selection.has(option) && attempt(errors, option, () => unplug(plug, option))) {
      recordCloudinitChange(conf, option, undefined)
      unset(conf.config, option)
      unset(conf.pendingDelete, option)
    }
  }
  for (const option of Object.keys(conf.pending).sort(cloudinitDriveLast(conf))) {
    if (selection.has(option)) plugOption(plug, option, errors)
  }
  storeConf(guest, conf)
  if (plug.features.has('cloudinit') && hasCloudinitChanges(conf)) makeCloudinitImage(work, guest)
  return errors
}

function applyFreeOptions(guest: Guest, conf: QemuConf): void {
  const free = Object.keys(conf.pending).filter(isFree)
  for (const option of free) {
    const value = conf.pending[option] ?? ''
    recordCloudinitChange(conf, option, value)
    conf.config[option] = value
    unset(conf.pending, option)
  }
  if (free.length > 0) storeConf(guest, conf)
}

/** The cloud-init drive is made from the other options, so it comes after them. */
function cloudinitDriveLast(conf: QemuConf): (a: string, b: string) => number {
  const rank = (option: string): number => (isCloudinitDrive(conf, option) ? 1 : 0)
  return (a, b) => rank(a) - rank(b) || (a < b ? -1 : 1)
}

function isCloudinitDrive(conf: QemuConf, option: string): boolean {
  const drive = isDriveName(option) ? parseDrive(option, conf.pending[option] ?? '') : undefined
  return drive !== undefined && isCloudinit(drive)
}

/** Whether a change was made; the text of a refusal is kept, a change that must wait says nothing. */
function attempt(errors: ApplyErrors, option: string, change: () => boolean): boolean {
  try {
    return change()
  } catch (error) {
    if (!(error instanceof PveError)) throw error
    errors[option] = `hotplug problem - ${error.asText()}`
    return false
  }
}

function plugOption(plug: Plug, option: string, errors: ApplyErrors): void {
  const {conf} = plug
  const value = conf.pending[option] ?? ''
  const isDone = attempt(errors, option, () => plugValue(plug, option, value))
  if (!isDone) return
  recordCloudinitChange(conf, option, conf.pending[option])
  conf.config[option] = conf.pending[option] ?? value
  unset(conf.pending, option)
}

/** True: done live. False: has to wait. */
function plugValue(plug: Plug, option: string, value: string): boolean {
  if (isNetName(option)) return plugNet(plug, option, value)
  if (isDriveName(option)) return plugDriveValue(plug, option, value)
  if (/^usb\d+$/.test(option)) return plugUsb(plug, value)
  switch (option) {
    case 'hotplug':
      return !/cpu|memory/.test(value) && !/cpu|memory/.test(plug.conf.config['hotplug'] ?? '')
    case 'tablet':
      return plug.features.has('usb')
    case 'vcpus':
      return changeVcpus(plug, Number(value))
    case 'balloon':
      return changeBalloon(plug, value)
    case 'memory':
      return plugMemory(plug, value)
    case 'agent':
      return changeAgent(plug, value)
    case 'cpuunits':
    case 'cpulimit':
      return true
    default:
      return false
  }
}

function plugDriveValue(plug: Plug, option: string, value: string): boolean {
  if (option === 'efidisk0' || option === 'tpmstate0') return false
  const drive = parseDrive(option, value)
  if (!drive) return false
  if (isCloudinit(drive)) writeNewImage(plug, fileOf(drive))
  return plugDrive(plug, option, drive)
}

/** Whatever has changed since the last image is in this one. */
function writeNewImage({work, conf}: Plug, volid: string): void {
  writeImage(work, conf.config, volid)
  if (hasCloudinitChanges(conf)) delete conf.cloudinit
}

/** Takes the device of an option away. True: done live. False: has to wait. */
function unplug(plug: Plug, option: string): boolean {
  const {features, conf} = plug
  if (isFree(option)) return true
  if (isNetName(option)) return features.has('network')
  if (isDriveName(option)) return unplugDrive(plug, option)
  if (/^usb\d+$/.test(option)) return plugUsb(plug, undefined)
  switch (option) {
    case 'hotplug':
      return !/cpu|memory/.test(conf.config['hotplug'] ?? '')
    case 'tablet':
      return features.has('usb')
    case 'vcpus':
      return deleteVcpus(plug)
    case 'balloon':
      return resetBalloon(plug)
    case 'memory':
      return plugMemory(plug, undefined)
    case 'cpuunits':
    case 'cpulimit':
      return true
    default:
      return false
  }
}
