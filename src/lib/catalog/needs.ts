// What a token must be allowed to do for a change: the privilege of the option itself, and what its value
// drags in — storages, bridges, mapped devices, other guests' volumes. Root alone is a need too.
import type {GuestKind} from '../model/guest.ts'
import type {Need} from '../model/plan.ts'
import type {DescribedChange, Side} from './described-change.ts'

/** One row: what values such as these need. `{…}` in the path stands for a part of the value. */
interface NeedRule {
  readonly kind?: GuestKind
  readonly families: readonly string[]
  /** Absent: both the value before and the value after need it. */
  readonly side?: 'before' | 'after'
  readonly fits?: (side: Side, change: DescribedChange, vmid: number) => boolean
  readonly path?: string
  readonly anyOf?: readonly string[]
  readonly rootOnly?: true
}

const MOUNTS = ['rootfs', 'mp[n]']
const DRIVES = ['ide[n]', 'sata[n]', 'scsi[n]', 'virtio[n]', 'efidisk0', 'tpmstate0']
const VM = '/vms/{vmid}'
const STORAGE = '/storage/{storage}'

/* prettier-ignore */
const NEED_RULES: readonly NeedRule[] = [
  {kind: 'qemu', families: DRIVES, fits: (side) => !side.isMediumDrive, path: VM, anyOf: ['VM.Config.Disk']},
  {kind: 'qemu', families: DRIVES, fits: (side) => side.isMediumDrive, path: VM, anyOf: ['VM.Config.CDROM']},
  {kind: 'qemu', families: DRIVES, fits: (side) => side.volume?.is === 'cloudinit', path: VM, anyOf: ['VM.Config.Cloudinit']},
  {families: [...MOUNTS, ...DRIVES], side: 'after', fits: (side) => side.volume?.is === 'new', path: STORAGE, anyOf: ['Datastore.AllocateSpace']},
  {families: [...MOUNTS, ...DRIVES], side: 'after', fits: (side) => side.volume?.is === 'path', rootOnly: true},
  {families: [...MOUNTS, ...DRIVES], side: 'after', fits: isForeign, path: STORAGE, anyOf: ['Datastore.Audit', 'Datastore.Allocate']},
  {families: [...MOUNTS, ...DRIVES], side: 'after', fits: isForeign, path: '/vms/{owner}', anyOf: ['VM.Config.Disk']},
  {kind: 'qemu', families: DRIVES, side: 'after', fits: (side) => side.volume?.is === 'medium' && side.volume.isHostDrive, path: '/', anyOf: ['Sys.Console']},
  {kind: 'qemu', families: DRIVES, side: 'after', fits: (side) => side.volume?.is === 'medium' && side.volume.storage !== undefined, path: STORAGE, anyOf: ['Datastore.AllocateSpace', 'Datastore.Audit']},
  {kind: 'qemu', families: ['vmstatestorage'], side: 'after', path: '/storage/{value}', anyOf: ['Datastore.AllocateSpace']},
  {kind: 'qemu', families: ['unused[n]'], side: 'before', fits: (_, {verb}) => verb === 'removed', path: VM, anyOf: ['VM.Config.Disk']},
  {families: ['net[n]'], fits: (side) => side.parts.has('tag'), path: '/sdn/zones/localnetwork/{bridge}/{tag}', anyOf: ['SDN.Use']},
  // Who may use the bridge may use every VLAN of it, trunks included.
  {families: ['net[n]'], fits: (side) => !side.parts.has('tag'), path: '/sdn/zones/localnetwork/{bridge}', anyOf: ['SDN.Use']},
  {kind: 'qemu', families: ['startup'], path: '/', anyOf: ['Sys.Modify']},
  {kind: 'qemu', families: ['usb[n]'], path: '/mapping/usb/{mapping}', anyOf: ['Mapping.Use']},
  {kind: 'qemu', families: ['usb[n]'], fits: (side) => !/^spice$/i.test(side.parts.get('host') ?? 'spice'), rootOnly: true},
  {kind: 'qemu', families: ['hostpci[n]'], path: '/mapping/pci/{mapping}', anyOf: ['Mapping.Use']},
  {kind: 'qemu', families: ['hostpci[n]'], fits: (side) => side.parts.has('host') || side.parts.has('romfile'), rootOnly: true},
  {kind: 'qemu', families: ['virtiofs[n]'], path: '/mapping/dir/{dirid}', anyOf: ['Mapping.Use']},
  {kind: 'qemu', families: ['rng0'], fits: (side) => side.parts.get('source') === '/dev/hwrng', path: '/mapping/hwrng', anyOf: ['Mapping.Use']},
  {kind: 'qemu', families: ['serial[n]'], fits: (side) => side.text !== 'socket', rootOnly: true},
  {kind: 'lxc', families: ['features'], fits: (_, {parts}) => [...parts].some((part) => part !== 'nesting'), rootOnly: true},
  {kind: 'lxc', families: ['features'], fits: (_, {config}) => Number(config['unprivileged'] ?? 1) !== 1, rootOnly: true},
]

/** What the request itself needs, whatever it changes. */
const ANY_CONFIG: Readonly<Record<GuestKind, readonly string[]>> = {
  lxc: configPrivileges('Disk CPU Memory Network Options'),
  qemu: configPrivileges('Disk CDROM CPU Memory Network HWType Options Cloudinit'),
}

function configPrivileges(names: string): string[] {
  return names.split(' ').map((name) => `VM.Config.${name}`)
}

export function needsOf(change: DescribedChange, vmid: number): Need[] {
  const {option} = change
  const path = `/vms/${String(vmid)}`
  const rules = NEED_RULES.filter(
    (rule) => (rule.kind ?? option.kind) === option.kind && rule.families.includes(option.family),
  )
  const valued = rules.flatMap((rule) => needsByRule(rule, change, vmid))
  if (option.rootOnly === true || valued.some((need) => need.rootOnly)) {
    return [{path, anyOf: [], rootOnly: true}]
  }
  const needs = unique([...ownNeeds(change, path), ...valued])
  const general = ANY_CONFIG[option.kind]
  const isCovered = needs.some((need) => need.path === path && need.anyOf.every((p) => general.includes(p)))
  return isCovered ? needs : [{path, anyOf: general}, ...needs]
}

/** Drives and unused volumes of a machine have rows instead: what they need depends on the value. */
function ownNeeds({option}: DescribedChange, path: string): Need[] {
  const hasRows = option.kind === 'qemu' && option.isDisk
  return hasRows || option.privilege === '' ? [] : [{path, anyOf: option.privilege.split('|')}]
}

function needsByRule(rule: NeedRule, change: DescribedChange, vmid: number): Need[] {
  const sides = rule.side === undefined ? [change.before, change.after] : [change[rule.side]]
  return sides.flatMap((side) => {
    if (!side || (rule.fits && !rule.fits(side, change, vmid))) return []
    const path = fillIn(rule.path ?? VM, side, vmid)
    if (path === undefined) return []
    return [{path, anyOf: rule.anyOf ?? [], ...(rule.rootOnly && {rootOnly: true as const})}]
  })
}

/** Undefined: the value has no such part, so it needs nothing there. */
function fillIn(path: string, side: Side, vmid: number): string | undefined {
  const steps = path.split('/').map((step) => {
    const name = /^\{(\w+)\}$/.exec(step)?.[1]
    return name === undefined ? step : valueOf(name, side, vmid)
  })
  return steps.includes(undefined) ? undefined : steps.join('/')
}

function valueOf(name: string, {text, parts, volume}: Side, vmid: number): string | undefined {
  if (name === 'vmid') return String(vmid)
  if (name === 'value') return text
  if (name === 'storage') return volume && 'storage' in volume ? volume.storage : undefined
  if (name === 'owner') return volume?.is === 'stored' ? String(volume.owner) : undefined
  return parts.get(name)
}

function isForeign({volume}: Side, _: DescribedChange, vmid: number): boolean {
  return volume?.is === 'stored' && volume.owner !== undefined && volume.owner !== vmid
}

function unique(needs: readonly Need[]): Need[] {
  return [...new Map(needs.map((need) => [`${need.path} ${need.anyOf.join()}`, need])).values()]
}
