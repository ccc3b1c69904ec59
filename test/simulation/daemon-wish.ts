// What the people behind a source want, drawn from a seed and written as they would write it. Every revision bears its
// number in the description of each guest, so that whatever is sent can be told to come from it.
import type {Intent} from '../../src/lib/model/operation.ts'
import type {Random} from './random.ts'
import {ARCHIVES, SOURCES, TEMPLATE, type GuestSlot, type Scenario} from './scenario.ts'

export interface WishedGuest {
  readonly slot: GuestSlot
  readonly isAbsent: boolean
  readonly run?: 'running' | 'stopped'
  readonly create?: Readonly<Record<string, unknown>>
  readonly config: Readonly<Record<string, unknown>>
  readonly disks: Readonly<Record<string, unknown>>
}

export interface Wish {
  readonly serial: number
  readonly guests: readonly WishedGuest[]
}

/** The first guest is always wanted: a source without any has nothing to lose. */
export function drawWish(scenario: Scenario, serial: number, random: Random): Wish {
  const guests = scenario.managed.map((slot, i) =>
    i > 0 && random.chance(0.12) ? absent(slot) : drawGuest(slot, scenario.hasCopies, serial, random),
  )
  return {serial, guests}
}

const absent = (slot: GuestSlot): WishedGuest => ({slot, isAbsent: true, config: {}, disks: {}})

function drawGuest(slot: GuestSlot, hasCopies: boolean, serial: number, random: Random): WishedGuest {
  const {kind, vmid} = slot
  const config: Record<string, unknown> = {description: describeSerial(serial)}
  const maybe = (name: string, values: readonly unknown[]): void => {
    if (random.chance(0.4)) config[name] = random.pick(values)
  }
  maybe('memory', [512, 768, 1024])
  maybe('cores', [1, 2, 3])
  maybe('onboot', [true, false])
  maybe(kind === 'lxc' ? 'hostname' : 'name', [`host-${vmid}`, `guest-${vmid}`])
  // Always the same: a disk that has grown does not shrink again.
  const disks = random.chance(0.3) ? {[kind === 'lxc' ? 'rootfs' : 'scsi0']: {size: '5GiB'}} : {}
  const create = random.chance(0.8) ? drawCreate(kind, hasCopies, random) : undefined
  if (create?.['template'] !== undefined) config['net0'] = {name: 'eth0', bridge: 'vmbr0'}
  const run = random.pick(['running', 'running', 'stopped', undefined] as const)
  return {slot, isAbsent: false, config, disks, ...(run && {run}), ...(create && {create})}
}

function drawCreate(kind: GuestSlot['kind'], hasCopies: boolean, random: Random): Record<string, unknown> {
  const copies = [{clone: SOURCES[kind], full: true}, {restore: ARCHIVES[kind]}]
  if (hasCopies && random.chance(0.6)) return {...random.pick(copies), storage: 'nas'}
  return {...(kind === 'lxc' && {template: TEMPLATE}), storage: 'nas'}
}

export const describeSerial = (serial: number): string => `serial ${serial}`

/** JSON is YAML too. */
export function writeWish({guests}: Wish): string {
  const rows = guests.map((guest) => `  ${guest.slot.vmid}: ${JSON.stringify(writeGuest(guest))}\n`)
  return rows.length === 0 ? 'felhom: 1\n' : `felhom: 1\nguests:\n${rows.join('')}`
}

function writeGuest({slot, isAbsent, run, create, config, disks}: WishedGuest): Record<string, unknown> {
  const {kind, node} = slot
  if (isAbsent) return {kind, ensure: 'absent', stop: {timeout: '10s', force: true}}
  return {
    ...{kind, config, disks, restart: 'allowed', stop: {timeout: '10s', force: true}},
    ...(run && {run}),
    ...(create && {node, create}),
  }
}

/** Why this does not follow from what is wanted; undefined: it does. */
export function findUnexplained({serial, guests}: Wish, {body, target}: Intent): string | undefined {
  const guest = guests.find(({slot}) => slot.vmid === target.vmid)
  if (!guest) return 'the guest is not in it'
  const {isAbsent, run, create, config, disks} = guest
  switch (body.type) {
    case 'destroy':
      return isAbsent ? undefined : 'the guest shall be there'
    case 'create':
      return create ? findForeign(body.options, config, disks, serial) : 'nobody wants it created'
    case 'set-config':
      return isAbsent ? 'the guest shall be gone' : findForeign(body.set, config, disks, serial)
    case 'start':
      return run === 'running' ? undefined : `its run state is ${run ?? 'left open'}`
    case 'shutdown':
      return run === 'stopped' || isAbsent ? undefined : `its run state is ${run ?? 'left open'}`
    case 'resize':
      return body.disk in disks ? undefined : 'nobody says how large it shall be'
    case 'restart':
      return isAbsent ? 'the guest shall be gone' : undefined
    case 'snapshot-delete':
    case 'snapshot-rollback':
    case 'job':
      return 'no file can ask for that'
  }
}

function findForeign(
  set: Readonly<Record<string, string>>,
  config: Readonly<Record<string, unknown>>,
  disks: Readonly<Record<string, unknown>>,
  serial: number,
): string | undefined {
  // Proxmox wants it beside the disk of a new machine.
  const foreign = Object.keys(set).filter(
    (name) => !(name in config) && !(name in disks) && name !== 'rootfs',
  )
  if (foreign.length > 0) return `it says nothing about ${foreign.join(', ')}`
  const written = set['description']?.trim()
  return written === undefined || written === describeSerial(serial)
    ? undefined
    : `it is ${describeSerial(serial)}, and ${written} is written`
}
