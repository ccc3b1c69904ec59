// What the storages under a container can do for it.
import {nodeOf, optionalText, text, vmidOf, type Call} from '../../call.ts'
import {requireSnapshot} from '../../guest/snapshots.ts'
import {volumeHasFeature, type Feature} from '../../storage/volumes.ts'
import {mountPointsOf} from './container-volumes.ts'
import type {Cluster} from '../../cluster.ts'
import type {Section} from '../../state.ts'

const CONTAINER_FORMATS = ['raw', 'subvol']

/** Whether every mount point offers it; a bind mount offers nothing. */
export function containerHasFeature(
  cluster: Cluster,
  section: Section,
  feature: Feature,
  snapname?: string,
): boolean {
  const formats = feature === 'copy' || feature === 'clone' ? {validTargetFormats: CONTAINER_FORMATS} : {}
  const options = {...formats, ...(snapname !== undefined && {snapname})}
  return mountPointsOf(section).every(
    (m) => m.type === 'volume' && volumeHasFeature(cluster, feature, m.volume, options),
  )
}

/** GET feature. */
export function feature(call: Call): {hasFeature: number} {
  const guest = call.cluster.requireGuest('lxc', nodeOf(call), vmidOf(call))
  const snapname = optionalText(call, 'snapname')
  const section = snapname === undefined ? guest.config : requireSnapshot(guest, snapname).config
  return {
    hasFeature: containerHasFeature(call.cluster, section, text(call, 'feature') as Feature, snapname)
      ? 1
      : 0,
  }
}
