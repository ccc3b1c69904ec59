// A backup archive: its name, and what of a guest it keeps.
import {renderConfigFile} from '../guest/config-file.ts'
import {includedVolumes} from './included-volumes.ts'
import {addVolume, findVolume, tryParseVolid} from '../storage/volumes.ts'
import type {Cluster} from '../cluster.ts'
import type {Guest, Storage, Volume} from '../state.ts'

const compressions: Record<string, string> = {'1': '.lzo', lzo: '.lzo', gzip: '.gz', zstd: '.zst'}

/** vzdump-lxc-101-2026_11_18-03_04_59.tar.zst */
export function archiveName(guest: Guest, atMs: number, compress: string | undefined): string {
  const [day = '', time = ''] = new Date(atMs).toISOString().slice(0, 19).split('T')
  const stamp = `${day.replaceAll('-', '_')}-${time.replaceAll(':', '_')}`
  const extension = guest.kind === 'lxc' ? 'tar' : 'vma'
  return `vzdump-${guest.kind}-${String(guest.vmid)}-${stamp}.${extension}${compressions[compress ?? '0'] ?? ''}`
}

/** Puts the archive of the guest as it is now on the storage. */
export function addArchive(cluster: Cluster, storage: Storage, guest: Guest, name: string): Volume {
  const volumes = backedUpVolumes(cluster, guest)
  const bytes = volumes.reduce((sum, v) => sum + v.used, 0)
  const kept = Object.entries(guest.config).filter(([option]) => option !== 'lock' && option !== 'parent')
  const config = Object.fromEntries(kept)
  return addVolume(cluster, storage, guest.node, {
    volid: `${storage.storage}:backup/${name}`,
    vmid: guest.vmid,
    format: name.slice(name.indexOf('.') + 1),
    content: 'backup',
    size: 1_000_000 + Math.floor(bytes * 0.4),
    backup: {kind: guest.kind, config, volumes: volumes.map(({option, size}) => ({option, size}))},
  })
}

/** The config file inside an archive: the current section alone. */
export function archivedConfig(backup: NonNullable<Volume['backup']>): string {
  const {kind, config, volumes} = backup
  const text = renderConfigFile({kind, config, pending: {}, pendingDelete: {}, snapshots: {}})
  if (kind === 'lxc') return text
  const maps = volumes.map(({option}) => {
    const id = tryParseVolid((config[option] ?? '').split(',')[0] ?? '')
    return `#qmdump#map:${option}:drive-${option}:${id?.storage ?? ''}:${/\.(\w+)$/.exec(id?.volname ?? '')?.[1] ?? 'raw'}:\n`
  })
  return text + maps.join('')
}

interface BackedUpVolume {
  option: string
  size: number
  used: number
}

function backedUpVolumes(cluster: Cluster, guest: Guest): BackedUpVolume[] {
  return includedVolumes(guest).flatMap(({option, volid, isIncluded}) => {
    const volume = isIncluded ? findVolume(cluster, volid, guest.node) : undefined
    return volume ? [{option, size: volume.size, used: volume.used ?? Math.floor(volume.size / 20)}] : []
  })
}
