// GET feature: whether all disks can be snapshotted, cloned or copied, and where all of them are at hand.
import {nodeOf, optionalText, text, type Call} from '../../call.ts'
import {requireSnapshot} from '../../guest/snapshots.ts'
import {isDisabled, isOnNode, requireStorage, tryParseVolid} from '../../storage/volumes.ts'
import {drivesOf, fileOf} from '../config/drive.ts'
import {hasFeatureOnAll} from './snapshot.ts'
import {isRunning, placeOf, requireVm} from './vm.ts'
import type {Cluster} from '../../cluster.ts'
import type {Section} from '../../state.ts'

export function feature(call: Call): {hasFeature: number; nodes: string[]} {
  const place = placeOf(call)
  isRunning(place)
  const guest = requireVm(place)
  const snapname = optionalText(call, 'snapname')
  const section = snapname ? requireSnapshot(guest, snapname).config : guest.config
  const wanted = text(call, 'feature') as 'snapshot' | 'clone' | 'copy'
  return {
    hasFeature: hasFeatureOnAll(call.cluster, wanted, section, snapname || undefined) ? 1 : 0,
    nodes: sharedNodes(call.cluster, section, nodeOf(call)),
  }
}

function sharedNodes(cluster: Cluster, section: Section, here: string): string[] {
  let nodes = cluster.state.nodes.map((node) => node.name)
  for (const {drive} of drivesOf(section)) {
    const id = tryParseVolid(fileOf(drive))
    if (!id) continue
    const storage = requireStorage(cluster, id.storage)
    if (isDisabled(storage)) nodes = []
    else if (storage.nodes) nodes = nodes.filter((node) => isOnNode(storage, node))
    else if (!storage.shared) nodes = nodes.filter((node) => node === here)
  }
  return nodes
}
