// PUT config of a container, in Proxmox's own order: lock, digest, privileges, contradictions, values; then a
// stopped container is changed as it is, a running one as far as it can. One error keeps everything as it was.
import {nodeOf, vmidOf, type Call, type ParamValue} from '../../call.ts'
import {configDigest} from '../../guest/config-file.ts'
import {die, paramError} from '../../pve-error.ts'
import {splitList} from '../../schema/split-list.ts'
import {applyPending} from './apply-pending.ts'
import {renderHostConfig} from './host-config.ts'
import {hotplugPending} from './hotplug.ts'
import {requireOptionPrivileges, requireRemovalPrivileges, type OptionChange} from './option-privileges.ts'
import {optionSchema} from './option-schema.ts'
import {stageChanges, type Changes} from './stage-changes.ts'
import {loadStaged, writeStaged} from './staged-config.ts'
import type {Guest} from '../../state.ts'

const MAX_CPU_WEIGHT = 10_000

export async function updateConfig(call: Call): Promise<null> {
  const {digest, ...params} = call.params
  const options = Object.entries(params).filter(([name]) => name !== 'node' && name !== 'vmid')
  if (options.length === 0) die('no options specified')
  const changes = changesOf(Object.fromEntries(options))
  const vmid = vmidOf(call)
  await call.cluster.locks.withLock('lxc', vmid, () => {
    const guest = call.cluster.requireGuest('lxc', nodeOf(call), vmid)
    if (guest.config['lock'] !== undefined) die(`CT is locked (${guest.config['lock']})`)
    checkDigest(guest, digest)
    checkRequest(call, guest, changes)
    change(call, guest, changes)
  })
  return null
}

function changesOf(params: Record<string, ParamValue>): Changes {
  const {delete: deleted, revert, ...values} = params
  const set: Record<string, string> = {}
  for (const [option, value] of Object.entries(values)) set[option] = textOf(value)
  if (Number(set['cpuunits'] ?? 0) > MAX_CPU_WEIGHT) set['cpuunits'] = String(MAX_CPU_WEIGHT)
  return {set, delete: splitList(textOf(deleted)), revert: splitList(textOf(revert))}
}

/** A list from a JSON body stands for its elements, null for nothing. */
function textOf(value: ParamValue | undefined): string {
  return Array.isArray(value) ? value.join('\0') : (value ?? '')
}

function checkDigest(guest: Guest, digest: ParamValue | undefined): void {
  if (typeof digest !== 'string' || digest === '' || digest === '0') return
  if (digest !== configDigest(guest)) {
    die('detected modified configuration - file changed by other user? Try again.')
  }
}

/** Privileges for what is deleted and reverted, then contradictions, then privileges for what is set. */
function checkRequest(call: Call, guest: Guest, changes: Changes): void {
  const change: OptionChange = {
    vmid: guest.vmid,
    before: loadStaged(guest).config,
    isUnprivileged: guest.config['unprivileged'] === '1',
  }
  requireRemovalPrivileges(call, change, changes.delete)
  requireRemovalPrivileges(call, change, changes.revert)
  checkContradictions(changes)
  requireOptionPrivileges(call, change, changes.set)
}

function checkContradictions(changes: Changes): void {
  for (const option of changes.revert) {
    if (!optionSchema(option)) paramError({revert: `unknown option '${option}'`})
    if (changes.set[option] !== undefined) {
      paramError({revert: `you can't use '-${option}' and '-revert ${option}' at the same time`})
    }
  }
  for (const option of changes.delete) {
    if (!optionSchema(option)) paramError({delete: `unknown option '${option}'`})
    if (changes.set[option] !== undefined) {
      paramError({delete: `you can't use '-${option}' and -delete ${option}' at the same time`})
    }
    if (changes.revert.includes(option)) {
      paramError({delete: `you can't use '-delete ${option}' and '-revert ${option}' at the same time`})
    }
  }
}

function change(call: Call, guest: Guest, changes: Changes): void {
  const {cluster} = call
  const staged = loadStaged(guest)
  const touched = stageChanges(cluster, guest, staged, changes)
  const apply = guest.runtime.status === 'running' ? hotplugPending : applyPending
  const errors = apply(cluster, guest, staged, touched)
  if (Object.keys(errors).length > 0) paramError(errors)
  writeStaged(guest, staged)
  renderHostConfig(cluster, guest)
}
