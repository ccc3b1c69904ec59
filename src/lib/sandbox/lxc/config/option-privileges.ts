// Who may change which option of a container. root@pam may everything; a token of root is not root.
import {hasPrivs, requirePrivs, ROOT} from '../../access/permissions.ts'
import {checkBridgeAccess} from '../../guest/bridge-access.ts'
import {checkTagPermissions} from '../../guest/tags.ts'
import {checkVolumeAccess} from '../../guest/volume-access.ts'
import {permissionDenied} from '../../pve-error.ts'
import {parsePropertyString} from '../../schema/property-string.ts'
import {isMountPoint, newDisk, parseMountPoint} from './mount-points.ts'
import {optionFormat} from './option-schema.ts'
import type {Call} from '../../call.ts'
import type {Section} from '../../state.ts'

export interface OptionChange {
  vmid: number
  /** The current section; empty for a container that is being made. */
  before: Section
  isUnprivileged: boolean
  /** The pool that a new container joins: privileges on it count as well. */
  pool?: string
}

const privileges: Record<string, string> = {
  cores: 'VM.Config.CPU',
  cpuunits: 'VM.Config.CPU',
  cpulimit: 'VM.Config.CPU',
  memory: 'VM.Config.Memory',
  swap: 'VM.Config.Memory',
  nameserver: 'VM.Config.Network',
  searchdomain: 'VM.Config.Network',
  hostname: 'VM.Config.Network',
}

/** The 403 of the first option that the caller may not delete or revert, in the order in which they are named. */
export function requireRemovalPrivileges(call: Call, change: OptionChange, options: readonly string[]): void {
  if (call.principal.authid === ROOT) return
  for (const option of options) requireOne(call, change, option, undefined)
}

/** The 403 of the first option that the caller may not set. */
export function requireOptionPrivileges(
  call: Call,
  change: OptionChange,
  options: Readonly<Record<string, string>>,
): void {
  if (call.principal.authid === ROOT) return
  for (const option of Object.keys(options).sort()) requireOne(call, change, option, options[option])
}

function requireOne(call: Call, change: OptionChange, option: string, value: string | undefined): void {
  if (option === 'rootfs' || isMountPoint(option)) requireVolume(call, change, option, value)
  else if (/^net\d+$/.test(option)) requireNetwork(call, change, option, value)
  else if (/^dev\d+$/.test(option)) rootOnly('configuring device passthrough')
  else if (option === 'features') requireFeatures(call, change, value)
  else if (option === 'hookscript') rootOnly('changing the hookscript')
  else if (option === 'tags') checkTagPermissions(call, change.vmid, change.before['tags'] ?? '', value ?? '')
  else requireOnGuest(call, change, privileges[option] ?? 'VM.Config.Options')
}

function requireOnGuest(call: Call, {vmid, pool}: OptionChange, privilege: string): void {
  if (pool !== undefined && hasPrivs(call, `/pool/${pool}`, [privilege])) return
  requirePrivs(call, `/vms/${String(vmid)}`, [privilege])
}

function rootOnly(what: string): never {
  permissionDenied(`${what} is only allowed for ${ROOT}`)
}

function requireVolume(call: Call, change: OptionChange, option: string, value: string | undefined): void {
  requireOnGuest(call, change, 'VM.Config.Disk')
  if (value === undefined) return
  const {type, volume} = parseMountPoint(option, value)
  if (type !== 'volume') rootOnly(`mount point type ${type}`)
  const wanted = newDisk(volume)
  if (wanted) requirePrivs(call, `/storage/${wanted.storage}`, ['Datastore.AllocateSpace'])
  else checkVolumeAccess(call, change.vmid, volume, 'rootdir')
}

function requireNetwork(call: Call, change: OptionChange, option: string, value: string | undefined): void {
  requireOnGuest(call, change, 'VM.Config.Network')
  for (const text of [change.before[option], value]) {
    if (text !== undefined && text !== '')
      checkBridgeAccess(call, parsePropertyString(optionFormat(option), text))
  }
}

function requireFeatures(call: Call, change: OptionChange, value: string | undefined): void {
  if (!change.isUnprivileged) rootOnly('changing feature flags for privileged container')
  const before = parseFeatures(change.before['features'])
  const after = parseFeatures(value)
  const keys = new Set([...Object.keys(before), ...Object.keys(after)])
  const changed = [...keys].filter((key) => (before[key] ?? '') !== (after[key] ?? ''))
  if (changed.some((key) => key !== 'nesting')) rootOnly('changing feature flags (except nesting)')
  if (changed.length > 0) requireOnGuest(call, change, 'VM.Allocate')
}

function parseFeatures(text: string | undefined): Record<string, string> {
  return text === undefined || text.trim() === '' ? {} : parsePropertyString(optionFormat('features'), text)
}
