// Guests of a compact seed. Their volumes need not be listed: every volume that a config names is made.
import {parseSize} from '../schema/sizes.ts'
import {volumeIndex} from '../storage/volume-index.ts'
import {parseVolname, tryParseVolid} from '../storage/volume-names.ts'
import type {SeedObject} from './seed-reader.ts'
import type {Guest, Kind, Node, Section, Snapshot, Storage} from '../state.ts'

interface Surroundings {
  nodes: Node[]
  storages: Storage[]
  nowMs: number
}

const guestKeys = ['kind', 'vmid', 'node', 'running', 'config', 'pending', 'pendingDelete', 'snapshots']
const CLOUD_INIT_BYTES = 4 * 2 ** 20
const UP_MS = 3_600_000

export function readGuest(from: SeedObject, around: Surroundings): Guest {
  from.allowOnly(guestKeys)
  const vmid = from.number('vmid')
  const node = from.text('node')
  if (!around.nodes.some((n) => n.name === node)) from.fail('node', `there is no node ${node}`)
  const isRunning = from.flag('running')
  const guest: Guest = {
    kind: readKind(from),
    vmid,
    node,
    config: from.options('config'),
    pending: from.options('pending'),
    pendingDelete: Object.fromEntries(from.texts('pendingDelete').map((option) => [option, {force: false}])),
    snapshots: readSnapshots(from.object('snapshots')),
    runtime: isRunning
      ? {status: 'running', pid: 1000 + vmid, startedMs: around.nowMs - UP_MS}
      : {status: 'stopped'},
    knobs: {},
  }
  addVolumes(from, guest, around)
  return guest
}

function readKind(from: SeedObject): Kind {
  const kind = from.text('kind')
  return kind === 'lxc' || kind === 'qemu' ? kind : from.fail('kind', 'must be lxc or qemu')
}

function readSnapshots(from: SeedObject): Record<string, Snapshot> {
  return Object.fromEntries(
    from.keys().map((name) => {
      const snapshot = from.object(name)
      snapshot.allowOnly(['snaptime', 'parent', 'description', 'config'])
      const parent = snapshot.optionalText('parent')
      const description = snapshot.optionalText('description')
      return [
        name,
        {
          config: snapshot.options('config'),
          snaptime: snapshot.number('snaptime'),
          ...(parent !== undefined && {parent}),
          ...(description !== undefined && {description}),
        },
      ]
    }),
  )
}

const volumeOption: Record<Kind, RegExp> = {
  lxc: /^(?:rootfs|mp\d+|unused\d+)$/,
  qemu: /^(?:ide\d+|sata\d+|scsi\d+|virtio\d+|efidisk0|tpmstate0|unused\d+)$/,
}

function addVolumes(from: SeedObject, guest: Guest, {storages, nodes}: Surroundings): void {
  for (const section of [guest.config, guest.pending]) {
    for (const option of Object.keys(section)) {
      const place = volumeOption[guest.kind].test(option) ? volumePlace(section, option) : undefined
      if (!place) continue
      const storage = storages.find((s) => s.storage === place.storage)
      if (!storage) from.fail(`config.${option}`, `there is no storage ${place.storage}`)
      if (!(storage.nodes ?? nodes.map((n) => n.name)).includes(guest.node)) {
        from.fail(`config.${option}`, `storage ${place.storage} is not on node ${guest.node}`)
      }
      addVolume(from, guest, storage, option, place)
    }
  }
}

interface VolumePlace {
  volid: string
  storage: string
  volname: string
  size: string | undefined
}

/** Bind mounts, devices, and empty or inserted CD drives are no volumes of the guest's own. */
function volumePlace(section: Section, option: string): VolumePlace | undefined {
  const text = section[option] ?? ''
  const volid = text.split(',')[0] ?? ''
  const id = tryParseVolid(volid)
  if (!id || id.volname.startsWith('iso/')) return undefined
  return {volid, ...id, size: /(?:^|,)size=([^,]+)/.exec(text)?.[1]}
}

function addVolume(
  from: SeedObject,
  guest: Guest,
  storage: Storage,
  option: string,
  place: VolumePlace,
): void {
  const {volid, volname, size} = place
  const parsed = parseVolname(storage, volname)
  const index = volumeIndex(storage)
  if (index.byVolid(volid).some((v) => (v.node ?? guest.node) === guest.node)) return
  const bytes = volname.includes('cloudinit') ? CLOUD_INIT_BYTES : parseSize(size ?? '')
  if (!bytes) from.fail(`config.${option}`, 'a volume needs its size=')
  index.add({
    volid,
    ...(!storage.shared && {node: guest.node}),
    vmid: parsed.vmid ?? guest.vmid,
    format: parsed.format,
    content: guest.kind === 'lxc' ? 'rootdir' : 'images',
    size: bytes,
    used: Math.floor(bytes / 4),
    ctime: 1_767_225_600,
  })
}
