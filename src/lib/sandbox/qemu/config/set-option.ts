// Puts one option's new value among the waiting changes, after the checks that depend on the config: who may
// replace what is there now, what a value drags along, and what must exist before it is named.
import {createDisks} from './create-disks.ts'
import {isDriveName, isPlainCdrom, parseDrive} from './drive.ts'
import {checkDrivePrivileges} from './drive-params.ts'
import {isNetName, parseNet} from './net.ts'
import {checkMachine, checkVga} from './option-rules.ts'
import {pinMachine, windowsVersion} from './os-type.ts'
import {checkDevice, isHostDevice} from './option-privileges.ts'
import {encryptPassword} from './password.ts'
import {printBootOrder} from './boot-order.ts'
import {registerUnused} from './unused-volumes.ts'
import {changeBootOrder, type Writing} from './writing.ts'
import {checkBridgeAccess} from '../../guest/bridge-access.ts'
import {addPendingDelete, removePendingDelete} from '../../guest/pending.ts'
import {checkTagPermissions, uniqueTags} from '../../guest/tags.ts'
import {die} from '../../pve-error.ts'
import {parsePropertyString} from '../../schema/property-string.ts'
import {splitList} from '../../schema/split-list.ts'
import type {QemuConf} from './conf.ts'

type Setter = (writing: Writing, conf: QemuConf, option: string, value: string) => void

export function setOption(writing: Writing, conf: QemuConf, option: string, value: string): void {
  setterOf(option)(writing, conf, option, value)
  if (writing.request.valueless.has(option)) leaveEmpty(conf, option)
  removePendingDelete(conf, option)
}

/** The file can hold no option without a value, but a description without lines, and no tags. */
function leaveEmpty(conf: QemuConf, option: string): void {
  if (option === 'description') conf.pending[option] = '\n'
  else if (option !== 'tags') die(`unable to parse value of '${option}' - got undefined value`)
}

const queue: Setter = (_writing, conf, option, value) => {
  conf.pending[option] = value
}

const SETTERS: Record<string, Setter> = {
  boot: setBoot,
  cipassword: setPassword,
  machine: setMachine,
  ostype: setOsType,
  tags: setTags,
  vga: setVga,
}

function setterOf(option: string): Setter {
  if (isDriveName(option)) return setDrive
  if (isNetName(option)) return setNet
  if (isHostDevice(option)) return setHostDevice
  return (Object.hasOwn(SETTERS, option) ? SETTERS[option] : undefined) ?? queue
}

function setDrive(writing: Writing, conf: QemuConf, option: string, value: string): void {
  const {work} = writing
  const current = conf.config[option]
  if (current !== undefined) {
    checkDrivePrivileges(work.subject, work.vmid, option, current)
    if (option === 'tpmstate0') forbidVersionChange(current, value)
  }
  checkDrivePrivileges(work.subject, work.vmid, option, value)
  const waiting = conf.pending[option] === undefined ? undefined : parseDrive(option, conf.pending[option])
  if (waiting) registerUnused(work, conf, waiting)
  const stored = createDisks(work, {settings: {[option]: value}, config: conf.config, pending: conf.pending})
  Object.assign(conf.pending, stored)
  const drive = parseDrive(option, value)
  const isNew = writing.bootOrder.length > 0 && !writing.bootOrder.includes(option)
  if (isNew && drive && isPlainCdrom(drive)) {
    changeBootOrder(writing, conf.pending, [...writing.bootOrder, option])
  }
}

function forbidVersionChange(current: string, value: string): void {
  const [before, wanted] = [parseDrive('tpmstate0', current), parseDrive('tpmstate0', value)]
  if (!before || !wanted || before['file'] !== wanted['file']) return
  if ((before['version'] ?? 'v1.2') !== (wanted['version'] ?? 'v1.2')) {
    die('cannot change TPM state version after creation')
  }
}

function setNet({work}: Writing, conf: QemuConf, option: string, value: string): void {
  const current = conf.config[option]
  if (current !== undefined) checkBridgeAccess(work.subject, parseNet(current))
  conf.pending[option] = value
}

function setHostDevice({work}: Writing, conf: QemuConf, option: string, value: string): void {
  const current = conf.config[option]
  const values = current === undefined ? [value] : [current, value]
  checkDevice(work.subject, work.vmid, option, values, 'modify')
  conf.pending[option] = value
}

function setTags({work}: Writing, conf: QemuConf, option: string, value: string): void {
  checkTagPermissions(work.subject, work.vmid, conf.config[option] ?? '', value)
  conf.pending[option] = uniqueTags(work.cluster, value)
}

function setVga(_writing: Writing, conf: QemuConf, option: string, value: string): void {
  checkVga(value)
  conf.pending[option] = value
}

function setMachine(_writing: Writing, conf: QemuConf, option: string, value: string): void {
  checkMachine(value)
  conf.pending[option] = value
}

/** Windows is pinned to a machine version, unless the caller or a waiting change says something about it. */
function setOsType(writing: Writing, conf: QemuConf, option: string, value: string): void {
  const isMachineTouched =
    writing.request.settings['machine'] !== undefined ||
    conf.pending['machine'] !== undefined ||
    writing.modified.has('machine')
  const machine = isMachineTouched ? '' : pinMachine(conf.config['machine'], value)
  if (machine !== '') conf.pending['machine'] = machine
  conf.pending[option] = value
}

/** Not even a running machine keeps the password waiting; only Windows gets it in the clear. */
function setPassword({work}: Writing, conf: QemuConf, option: string, value: string): void {
  const isHash = /^\$(?:[156]|2[ay])(\$.+){2}/.test(value)
  const isPlainWanted = windowsVersion(conf.config['ostype']) > 0
  conf.config[option] = isHash || isPlainWanted ? value : encryptPassword(work.cluster, value)
}

function setBoot(writing: Writing, conf: QemuConf, option: string, value: string): void {
  conf.pending[option] = value
  const {order} = parsePropertyString('pve-qm-boot', value)
  if (order === undefined) return
  const devices = splitList(order)
  const {settings, deletions} = writing.request
  for (const device of devices) {
    const exists = [conf.config, conf.pending, settings].some((section) => section[device] !== undefined)
    if (!exists || deletions.includes(device)) die(`invalid bootorder: device '${device}' does not exist'`)
  }
  conf.pending[option] = printBootOrder(devices)
  if (conf.config['bootdisk'] !== undefined) addPendingDelete(conf, 'bootdisk')
}
