// Every kind of operation, of both kinds of guest where they differ.
import type {DesiredCreate} from '../../src/lib/model/desired.ts'
import type {GuestKind} from '../../src/lib/model/guest.ts'
import {desiredGuest, type Written} from '../support/desired-guest.ts'
import type {CrashCase} from './crash-case.ts'
import {ARCHIVES, PLACE, SOURCES, TEMPLATE} from './scenario.ts'

const VMID = 101
const stop = {timeoutMs: 20_000, force: false}

interface Shape {
  readonly running?: boolean
  readonly pending?: Readonly<Record<string, string>>
  readonly options?: Record<string, Written>
  readonly run?: 'running' | 'stopped'
  readonly restart?: 'allowed'
  readonly from?: DesiredCreate['from']
  readonly ensure?: 'absent'
  readonly wish?: CrashCase['wish']
}

function crashCase(name: string, type: CrashCase['type'], kind: GuestKind, shape: Shape): CrashCase {
  const {running = false, pending, options = {}, run, restart, from, ensure, wish} = shape
  const slot = {kind, vmid: VMID, node: 'pve1'}
  const desired = desiredGuest(VMID, options, {
    kind,
    stop,
    ...(run && {run}),
    ...(restart && {restart}),
    ...(ensure && {ensure}),
    ...(from && {create: {from, storage: 'nas', place: PLACE}}),
  })
  const more = {...(pending && {pending}), ...(wish && {wish})}
  return {name: `${name} of ${kind}`, type, slot, exists: !from, running, ...more, desired}
}

const marked = (kind: GuestKind): Record<string, Written> => ({
  net0: kind === 'lxc' ? {name: 'eth0', bridge: 'vmbr0'} : {model: 'virtio', bridge: 'vmbr0'},
})

const ofBoth = (kind: GuestKind): CrashCase[] => [
  crashCase('set-config', 'set-config', kind, {options: {memory: '2048', tags: 'red'}}),
  crashCase('resize', 'resize', kind, {options: {[kind === 'lxc' ? 'rootfs' : 'scsi0']: {size: '6G'}}}),
  crashCase('start', 'start', kind, {run: 'running'}),
  crashCase('shutdown', 'shutdown', kind, {running: true, run: 'stopped'}),
  crashCase('destroy', 'destroy', kind, {ensure: 'absent'}),
  crashCase('creation with an address', 'create', kind, {
    options: marked(kind),
    from: kind === 'lxc' ? {template: TEMPLATE} : {empty: true},
  }),
  crashCase('creation without an address', 'create', kind, {
    from: kind === 'lxc' ? {template: TEMPLATE} : {empty: true},
  }),
  crashCase('copy', 'create', kind, {from: {clone: SOURCES[kind], full: true}}),
  crashCase('restore', 'create', kind, {from: {restore: ARCHIVES[kind]}}),
]

export const CRASH_CASES: readonly CrashCase[] = [
  ...ofBoth('lxc'),
  ...ofBoth('qemu'),
  // Of the storage here only machines can have snapshots.
  ...(['snapshot-delete', 'snapshot-rollback'] as const).map((type) =>
    crashCase(type, type, 'qemu', {wish: {type, snapshot: 'before'}}),
  ),
  crashCase('restart', 'restart', 'lxc', {
    running: true,
    pending: {nameserver: '192.0.2.53'},
    options: {nameserver: '192.0.2.53'},
    restart: 'allowed',
  }),
  crashCase('restart', 'restart', 'qemu', {
    running: true,
    pending: {memory: '2048'},
    options: {memory: '2048'},
    restart: 'allowed',
  }),
]
