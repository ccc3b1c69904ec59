// A guest as it is now, wherever it is; or the proof that there is none, which takes more than not seeing it: a
// list of all nodes, with quorum and the right to see every guest, and a number that the cluster calls free.
import type {ActualCluster} from '../model/actual.ts'
import {isFelhomError} from '../model/felhom-error.ts'
import type {GuestAddress} from '../model/guest.ts'
import type {Intent} from '../model/operation.ts'
import type {ClusterObserver} from './observe-cluster.ts'
import type {GuestReader} from './ports.ts'
import type {Sight} from './recovery-facts.ts'

type Reader = Pick<GuestReader, 'readGuest' | 'isVmidFree'>

export async function observeGuest(
  reader: Reader,
  cluster: ClusterObserver,
  address: GuestAddress,
): Promise<Sight> {
  try {
    const actual = await readAt(reader, address)
    if (actual) return {guest: 'present', actual}
    return await searchCluster(reader, await cluster.observe(), address.vmid)
  } catch (error) {
    if (!isFelhomError(error)) throw error
    return {guest: 'unknown', reason: error.message}
  }
}

/** What an operation is about: the guest, and its snapshots if it is about one of them. */
export async function observeTarget(
  {body, target}: Intent,
  reader: Reader & Pick<GuestReader, 'readSnapshots'>,
  cluster: ClusterObserver,
): Promise<Sight> {
  if (body.type === 'job') return {guest: 'unknown', reason: 'nothing in it would tell'}
  const sight = await observeGuest(reader, cluster, target)
  if (body.type !== 'snapshot-delete' || sight.guest !== 'present') return sight
  try {
    return {...sight, snapshots: await reader.readSnapshots(sight.actual)}
  } catch (error) {
    if (!isFelhomError(error)) throw error
    return {guest: 'unknown', reason: error.message}
  }
}

/** The node on which a guest is; undefined if that cannot be told. */
export async function locateGuest(
  reader: Reader,
  cluster: ClusterObserver,
  address: GuestAddress,
): Promise<string | undefined> {
  const sight = await observeGuest(reader, cluster, address)
  return sight.guest === 'present' ? sight.actual.node : undefined
}

async function readAt(
  reader: Reader,
  address: GuestAddress,
): Promise<Awaited<ReturnType<Reader['readGuest']>> | undefined> {
  try {
    return await reader.readGuest(address)
  } catch (error) {
    if (isFelhomError(error, 'guest_missing')) return undefined
    throw error
  }
}

async function searchCluster(reader: Reader, cluster: ActualCluster, vmid: number): Promise<Sight> {
  const actual = cluster.guests.find((guest) => guest.vmid === vmid)
  if (actual) return {guest: 'present', actual}
  const doubt = whyUnproved(cluster)
  if (doubt !== undefined) return {guest: 'unknown', reason: doubt}
  if (await reader.isVmidFree(vmid)) return {guest: 'absent'}
  return {guest: 'unknown', reason: `number ${String(vmid)} is taken by a guest that cannot be seen`}
}

function whyUnproved({completeness, quorum}: ActualCluster): string | undefined {
  if (!completeness.complete) return completeness.reasons.map((reason) => reason.message).join('; ')
  if (quorum === 'lost') return 'the cluster has no quorum'
  return quorum === 'unknown' ? 'it is unknown whether the cluster has quorum' : undefined
}
