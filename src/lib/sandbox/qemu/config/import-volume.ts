// `import-from=<volume>`: a new disk with the contents of another machine's disk or of an uploaded image.
import {isCloudinit} from './drive.ts'
import {die, PveError} from '../../pve-error.ts'
import {allocateVolume, findVolume, requireVolume, tryParseVolid} from '../../storage/volumes.ts'
import type {Work} from './work.ts'
import type {Volume} from '../../state.ts'

export interface ImportTarget {
  storage: string
  node: string
  vmid: number
  format?: string
}

export function importVolume(work: Work, source: string, target: ImportTarget): Volume {
  if (!tryParseVolid(source)) die(`file '${source}' does not exist`)
  try {
    return copyImage(work, source, target)
  } catch (error) {
    if (error instanceof PveError) die(`cannot import from '${source}' - ${error.message}`)
    throw error
  }
}

function copyImage(work: Work, source: string, target: ImportTarget): Volume {
  const {cluster, node} = work
  const size = findVolume(cluster, source, node)?.size ?? 0
  if (size === 0) die(`could not get size of ${source}`)
  if (isCloudinit({file: source})) die('cannot import from cloudinit disk')
  const volume = requireVolume(cluster, source, node)
  const owner = volume.vmid === undefined ? undefined : cluster.guest(volume.vmid)
  if (owner && (owner.kind !== 'qemu' || owner.node !== node)) {
    die(`owner VM ${String(owner.vmid)} not on local node`)
  }
  return allocateVolume(cluster, {...target, sizeBytes: size, content: 'images'})
}
