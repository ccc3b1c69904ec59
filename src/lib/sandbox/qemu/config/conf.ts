// A machine's config as Proxmox has it in memory between reading and writing the file. Loading gives what parsing
// the file gives, storing does what writing it does: values are checked and brought into shape, `smp` becomes
// `sockets`, and a volume that is attached again is no longer unused.
import {cloudinitOption, fileOf, isDriveName, isTrue, parseDrive} from './drive.ts'
import {optionSchema} from './option-schema.ts'
import {descriptionAsRead} from '../../guest/config-file.ts'
import {unset, type Staged} from '../../guest/pending.ts'
import {die} from '../../pve-error.ts'
import type {Guest, Section} from '../../state.ts'

export interface QemuConf extends Staged {
  /** What the cloud-init drive was made from, where that differs from the config by now. */
  cloudinit?: Section
}

export function loadConf(guest: Guest): QemuConf {
  const conf: QemuConf = {
    config: readSection(guest.config, false),
    pending: readSection(guest.pending, true),
    pendingDelete: {...guest.pendingDelete},
  }
  if (guest.cloudinit) conf.cloudinit = {...guest.cloudinit}
  return conf
}

/** Writes the file. Dies, with nothing written, where a value cannot stand in it. */
export function storeConf(guest: Guest, conf: QemuConf): void {
  const config = takeSmp(checkedSection(conf.config))
  const pending = checkedSection(conf.pending)
  const used = new Set([...volidsOf(config), ...volidsOf(pending)])
  for (const [key, value] of Object.entries(config)) {
    if (key.startsWith('unused') && used.has(value)) unset(config, key)
  }
  if (config['description'] !== undefined && !isTrue(config['description'])) unset(config, 'description')
  guest.config = config
  guest.pending = pending
  guest.pendingDelete = {...conf.pendingDelete}
  if (conf.cloudinit && cloudinitOption(config) !== undefined) guest.cloudinit = {...conf.cloudinit}
  else delete guest.cloudinit
}

export const hasPending = (conf: QemuConf): boolean =>
  Object.keys(conf.pending).length > 0 || Object.keys(conf.pendingDelete).length > 0

function readSection(section: Section, isPending: boolean): Section {
  const read: Section = {}
  for (const [key, text] of Object.entries(section)) {
    const value = key === 'description' ? readDescription(text, isPending) : readValue(text)
    if (value !== undefined) read[key] = value
  }
  return read
}

/** An empty description waits as a bare `#` and is read as empty; line ends alone leave no line at all. */
function readDescription(text: string, isPending: boolean): string | undefined {
  return isPending && !isTrue(text) ? '' : descriptionAsRead('qemu', text)
}

/** The parser wants at least one character, so an empty value is read as the blank after the colon. */
function readValue(text: string): string {
  const trimmed = text.trim()
  return trimmed === '' ? ' ' : trimmed
}

function checkedSection(section: Section): Section {
  const checked: Section = {}
  for (const [key, value] of Object.entries(section)) {
    checked[key] = key === 'description' ? value : checkValue(key, value)
  }
  return checked
}

function checkValue(key: string, value: string): string {
  const refuse = (why: string): never => die(`unable to parse value of '${key}' - ${why}`)
  if (/[\n\r]/.test(value)) refuse('property contains a line feed')
  const schema = optionSchema(key)
  if (!schema) return value
  if (schema.type === 'integer') {
    return /^\d+$/.test(value)
      ? BigInt(value).toString()
      : refuse(`type check ('integer') failed - got '${value}'`)
  }
  if (schema.type === 'number' && !/^\d+(\.\d+)?$/.test(value)) {
    refuse(`type check ('number') failed - got '${value}'`)
  }
  if (schema.type === 'string' && schema.format === undefined) return value.replace(/^"(.*)"$/, '$1')
  return value
}

/** The old option for the number of processors is no longer written. */
function takeSmp(config: Section): Section {
  if (isTrue(config['sockets'])) {
    unset(config, 'smp')
  } else if (config['smp'] !== undefined && isTrue(config['smp'])) {
    config['sockets'] = config['smp']
    unset(config, 'cores')
    unset(config, 'smp')
  }
  return config
}

function volidsOf(section: Section): string[] {
  return Object.entries(section).flatMap(([key, value]) => {
    const drive = isDriveName(key) ? parseDrive(key, value) : undefined
    return drive ? [fileOf(drive)] : []
  })
}
