// For a key that is right in itself but stands in the wrong place: where it belongs.
import {findOption, type Option} from '../catalog/option.ts'
import type {GuestKind} from '../model/guest.ts'
import {GUEST_KEYS} from './guest-keys.ts'
import type {Complaint} from './section.ts'

/** Parameters of Proxmox's create, restore and clone that are no options, and their names under `create`. */
const CREATE_NAMES: Readonly<Record<string, string>> = {
  archive: 'restore',
  clone: 'clone',
  full: 'full',
  ostemplate: 'template',
  password: 'password',
  pool: 'pool',
  restore: 'restore',
  'ssh-public-keys': 'sshkeys',
  sshkeys: 'sshkeys',
  storage: 'storage',
  unprivileged: 'unprivileged',
}

/** What the other kind calls the same thing. */
const COUNTERPARTS: Readonly<Record<string, string>> = {hostname: 'name', name: 'hostname'}

export function explainMisplaced(
  kind: GuestKind,
  where: 'config' | 'disks',
  key: string,
  option: Option | undefined,
): Complaint | undefined {
  if (option?.isCreateOnly || (!option && Object.hasOwn(CREATE_NAMES, key))) return belongsUnderCreate(key)
  if (option?.isReadOnly)
    return {
      code: 'read_only',
      message: `'${key}' cannot be desired: ${option.readOnlyReason ?? 'Proxmox alone sets it'}`,
    }
  if (option) return belongsBeside(key, where === 'config' ? 'disks' : 'config')
  if (GUEST_KEYS.includes(key))
    return {
      code: 'misplaced',
      message: `'${key}' belongs to the guest itself, not into '${where}'`,
      expected: `'${key}' on the level of '${where}'`,
    }
  return ofOtherKind(kind, key)
}

function belongsUnderCreate(key: string): Complaint {
  const name = CREATE_NAMES[key] ?? key
  return {
    code: 'create_only',
    message: `'${key}' matters only when the guest is created`,
    expected: `'${name}' under 'create'`,
  }
}

const belongsBeside = (key: string, home: 'config' | 'disks'): Complaint => ({
  code: 'misplaced',
  message: home === 'disks' ? `'${key}' is a volume` : `'${key}' is not a volume`,
  expected: `'${key}' under '${home}'`,
})

function ofOtherKind(kind: GuestKind, key: string): Complaint | undefined {
  const other = kind === 'lxc' ? 'qemu' : 'lxc'
  if (!findOption(other, key)) return undefined
  const counterpart = COUNTERPARTS[key]
  return {
    code: 'other_kind',
    message: `'${key}' is an option of ${other}, and this guest is ${kind}`,
    ...(counterpart !== undefined && {suggestion: counterpart}),
  }
}
