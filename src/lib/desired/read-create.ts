// `create`: how a guest is made that does not exist. Nothing in it is ever compared with what is there.
import {isSshKey, readSshKeys} from '../catalog/ssh-keys.ts'
import type {DesiredCreate} from '../model/desired.ts'
import {isVmid, type GuestKind} from '../model/guest.ts'
import {CREATE_KEYS} from './guest-keys.ts'
import {isReference, readSecret} from './read-secret.ts'
import type {Section} from './section.ts'

const ORIGINS = ['template', 'clone', 'restore'] as const
const VOLUME = /^[A-Za-z][A-Za-z0-9._-]*[A-Za-z0-9]:\S+$/
const STORAGE = /^[A-Za-z][A-Za-z0-9._-]*[A-Za-z0-9]$/
const POOL = /^[A-Za-z0-9._-]+(?:\/[A-Za-z0-9._-]+){0,2}$/

export function readCreate(guest: Section, kind: GuestKind, vmid: number): DesiredCreate | undefined {
  if (guest.map['create'] === undefined) return undefined
  const create = guest.section('create', '{template: …}, {clone: …} or {restore: …}')
  if (!create) {
    if (guest.map['create'] === null) refuseOrigin(guest, 'create', kind)
    return undefined
  }
  for (const key of Object.keys(create.map)) checkKey(create, key, kind)
  const from = readOrigin(guest, create, kind, vmid)
  const details = readDetails(create)
  return from && {from, ...details, place: guest.place('create')}
}

function checkKey(create: Section, key: string, kind: GuestKind): void {
  if (!CREATE_KEYS.includes(key)) create.complainOfUnknown(key, `'create' has no key '${key}'`, CREATE_KEYS)
  else if (create.map[key] === null)
    create.complainOfKey(key, {
      code: 'no_value',
      message: `nothing is written for '${key}'`,
      expected: 'a value',
    })
  else if (kind === 'qemu' && CONTAINER_KEYS.has(key))
    create.complainOfKey(key, {
      code: 'other_kind',
      ...CONTAINER_KEYS.get(key),
      message: `'${key}' is for containers`,
    })
  else if (key === 'full' && create.map['clone'] === undefined)
    create.complainOfKey(key, {code: 'misplaced', message: "'full' has a meaning only beside 'clone'"})
  else if (isInherited(create, key))
    create.complainOfKey(key, {
      code: 'misplaced',
      message: `a copy keeps what its original has: '${key}' goes with 'template' only`,
    })
}

/** Proxmox takes these when it unpacks a template; of a copy it would silently leave them out. */
function isInherited({map}: Section, key: string): boolean {
  if (key === 'password' || key === 'sshkeys')
    return map['clone'] !== undefined || map['restore'] !== undefined
  return key === 'unprivileged' && map['clone'] !== undefined
}

/** What a virtual machine has instead, where it has something. */
const CONTAINER_KEYS = new Map<string, {expected?: string}>([
  ['template', {expected: "'clone' of a template, or 'restore'"}],
  ['password', {expected: "'cipassword' under 'config'"}],
  ['sshkeys', {expected: "'sshkeys' under 'config'"}],
  ['unprivileged', {}],
])

function readOrigin(
  guest: Section,
  create: Section,
  kind: GuestKind,
  vmid: number,
): DesiredCreate['from'] | undefined {
  const written = ORIGINS.filter((key) => create.map[key] !== undefined)
  const [origin, second] = written
  if (second !== undefined) {
    create.complainOfKey(second, {
      code: 'several_origins',
      message: `a guest comes from one of ${written.join(' and ')}, not from both`,
      expected: 'only one of them',
    })
    return undefined
  }
  if (origin === 'clone') return readClone(create, vmid)
  if (origin !== undefined) {
    const volume = readPattern(create, origin, VOLUME, 'a volume, such as local:vztmpl/debian-13.tar.zst')
    if (volume === undefined) return undefined
    return origin === 'template' ? {template: volume} : {restore: volume}
  }
  if (kind === 'qemu') return {empty: true}
  refuseOrigin(guest, 'create', kind)
  return undefined
}

function refuseOrigin(guest: Section, key: string, kind: GuestKind): void {
  guest.complainOfKey(key, {
    code: 'no_origin',
    message: "'create' does not say what the guest is made from",
    expected: kind === 'lxc' ? 'template, clone or restore' : 'clone or restore, or {} for an empty machine',
  })
}

function readClone(create: Section, vmid: number): DesiredCreate['from'] | undefined {
  const source = create.map['clone']
  const full = create.flag('full')
  if (typeof source === 'number' && isVmid(source) && source !== vmid)
    return {clone: source, ...(full !== undefined && {full})}
  create.complainOfValue('clone', {
    code: 'wrong_value',
    message: source === vmid ? 'a guest cannot be a clone of itself' : "'clone' names a guest by its number",
    expected: 'the vmid of another guest, such as 9000',
  })
  return undefined
}

function readDetails(create: Section): Omit<DesiredCreate, 'from' | 'place'> {
  const storage = readPattern(create, 'storage', STORAGE, 'the name of a storage, such as local-lvm')
  const pool = readPattern(create, 'pool', POOL, 'the name of a pool')
  const password = readUnlessNull(create, 'password', () => readSecret(create, 'password'))
  const sshKeys = readUnlessNull(create, 'sshkeys', () => readKeys(create))
  const unprivileged = readUnlessNull(create, 'unprivileged', () => create.flag('unprivileged'))
  return {
    ...(storage !== undefined && {storage}),
    ...(pool !== undefined && {pool}),
    ...(password !== undefined && {password}),
    ...(sshKeys !== undefined && {sshKeys}),
    ...(unprivileged !== undefined && {unprivileged}),
  }
}

/** checkKey has complained of null already. */
const readUnlessNull = <T>(section: Section, key: string, read: () => T | undefined): T | undefined =>
  section.map[key] === null ? undefined : read()

function readPattern(section: Section, key: string, pattern: RegExp, expected: string): string | undefined {
  const value = section.map[key]
  if (value === undefined || value === null) return undefined
  if (typeof value === 'string' && pattern.test(value)) return value
  section.complainOfValue(key, {
    code: 'wrong_value',
    message: `'${key}' has a value that felhom cannot use`,
    expected,
  })
  return undefined
}

/** Public keys are no secrets, yet they are often kept in a file. */
function readKeys(create: Section): DesiredCreate['sshKeys'] {
  const value = create.map['sshkeys']
  if (value === undefined) return undefined
  if (isReference(value)) return readSecret(create, 'sshkeys')
  const texts: unknown[] = Array.isArray(value) ? value : [value]
  const keys = texts.flatMap((text) => (typeof text === 'string' ? readSshKeys(text) : ['']))
  if (keys.length > 0 && keys.every(isSshKey)) return keys.join('\n')
  create.complainOfValue('sshkeys', {
    code: 'wrong_value',
    message: "'sshkeys' holds a line that is no public key",
    expected: "lines such as 'ssh-ed25519 AAAA… me', a list of them, or {fromFile: PATH}",
  })
  return undefined
}
