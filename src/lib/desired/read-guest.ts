// One guest of a file: everything that was written about it, before defaults come under it.
import type {DesiredCreate, DesiredGuest, SourcePlace} from '../model/desired.ts'
import {GUEST_KINDS, isNodeName, type GuestKind} from '../model/guest.ts'
import {findOption} from '../catalog/option.ts'
import {CREATE_KEYS, GUEST_KEYS} from './guest-keys.ts'
import {readLayer, type GuestLayer} from './guest-layer.ts'
import {readCreate} from './read-create.ts'
import type {Section} from './section.ts'

export interface WrittenGuest {
  readonly kind: GuestKind
  readonly vmid: number
  readonly ensure: DesiredGuest['ensure']
  readonly nodes: readonly string[] | undefined
  readonly layer: GuestLayer
  readonly create: DesiredCreate | undefined
  readonly place: SourcePlace
}

export function readGuest(guest: Section, vmid: number, place: SourcePlace): WrittenGuest | undefined {
  for (const key of Object.keys(guest.map)) if (!GUEST_KEYS.includes(key)) refuseKey(guest, key)
  const kind = guest.choice('kind', GUEST_KINDS)
  const ensure = guest.choice('ensure', ['present', 'absent']) ?? 'present'
  const nodes = readNodes(guest)
  if (ensure === 'absent') refuseBesideAbsent(guest)
  if (kind === undefined) {
    if (guest.map['kind'] === undefined) refuseWithoutKind(guest)
    return undefined
  }
  return {
    kind,
    vmid,
    ensure,
    nodes,
    layer: readLayer(guest, kind),
    create: readCreate(guest, kind, vmid),
    place,
  }
}

function refuseWithoutKind(guest: Section): void {
  guest.complain([], 'key', {
    code: 'no_kind',
    message: "the guest has no 'kind'",
    expected: 'kind: lxc or kind: qemu',
  })
}

function refuseKey(guest: Section, key: string): void {
  const home = homeOf(key, guest.map['kind'] === 'qemu' ? 'qemu' : 'lxc')
  if (home === undefined) guest.complainOfUnknown(key, `a guest has no key '${key}'`, GUEST_KEYS)
  else
    guest.complainOfKey(key, {
      code: 'misplaced',
      message: `'${key}' does not stand beside '${home}' but in it`,
      expected: `'${key}' under '${home}'`,
    })
}

function homeOf(key: string, kind: GuestKind): string | undefined {
  const option = findOption(kind, key)
  if (option && !option.isReadOnly) return option.isDisk ? 'disks' : 'config'
  return CREATE_KEYS.includes(key) ? 'create' : undefined
}

/** A guest that shall not be there has nothing to be configured. */
const MEANINGLESS = ['config', 'disks', 'create', 'run', 'restart']

function refuseBesideAbsent(guest: Section): void {
  for (const key of MEANINGLESS.filter((name) => guest.map[name] !== undefined))
    guest.complainOfKey(key, {
      code: 'absent_with',
      message: `'${key}' has no meaning for a guest that shall be absent`,
      expected: "only kind, node and stop beside 'ensure: absent'",
    })
}

function readNodes(guest: Section): readonly string[] | undefined {
  const value = guest.map['node']
  if (value === undefined || value === 'any') return undefined
  const names: unknown[] = Array.isArray(value) ? value : [value]
  const wrong = names.findIndex((name) => typeof name !== 'string' || !isNodeName(name) || name === 'any')
  if (names.length > 0 && wrong < 0) return [...new Set(names as string[])]
  guest.complain(Array.isArray(value) && wrong >= 0 ? ['node', wrong] : ['node'], 'value', {
    code: 'wrong_value',
    message: "'node' does not name a node",
    expected: 'the name of a node, a list of names, or any',
  })
  return undefined
}
