// Removes the backups that a retention does not keep, and tells beforehand which these would be.
import {die} from '../pve-error.ts'
import {freeVolume, hasContent, listVolumes, requireStorage} from '../storage/volumes.ts'
import {markBackups, parseRetention, type Mark, type Retention} from './retention.ts'
import type {Cluster} from '../cluster.ts'
import type {Volume} from '../state.ts'

export interface PruneRequest {
  storage: string
  node: string
  /** Absent: as the storage is configured. */
  keep?: Retention
  vmid?: number
  /** Absent: backups of both kinds of guest. */
  type?: string
}

export interface PruneEntry {
  volid: string
  ctime: number
  type: string
  vmid?: number
  mark: Mark
}

const ARCHIVE = /\/vzdump-(lxc|openvz|qemu)-.+$/
const STANDARD_NAME =
  /\/vzdump-(?:lxc|openvz|qemu)-[1-9]\d{2,8}-(\d{4})_(\d{2})_(\d{2})-(\d{2})_(\d{2})_(\d{2})\.[^/]+$/

type Unmarked = Omit<PruneEntry, 'mark'> & {mark?: Mark}

/** What a prune would do with each backup. */
export function previewPrune(cluster: Cluster, request: PruneRequest): PruneEntry[] {
  const {vmid, type} = request
  const storage = requireStorage(cluster, request.storage)
  if (!hasContent(storage, 'backup')) die(`storage '${request.storage}' does not support backups`)
  const keep = request.keep ?? configuredRetention(storage.storage, storage.config['prune-backups'])
  requireStorage(cluster, request.storage, request.node)
  const filter = {content: 'backup', ...(vmid !== undefined && {vmid})}
  const entries = listVolumes(storage, request.node, filter)
    .map(describe)
    .filter((entry) => type === undefined || entry.type === type)
  for (const group of groupByGuest(entries).values()) markBackups(group, keep)
  return entries.map((entry) => ({...entry, mark: entry.mark ?? 'renamed'}))
}

/** Does it; returns how many went. */
export function prune(cluster: Cluster, request: PruneRequest, log: (line: string) => void): number {
  const doomed = previewPrune(cluster, request).filter((entry) => entry.mark === 'remove')
  for (const {volid} of doomed) {
    log(`removing backup '${volid}'`)
    freeVolume(cluster, volid, request.node)
  }
  return doomed.length
}

function configuredRetention(storage: string, text: string | undefined): Retention {
  return parseRetention(text ?? die(`no prune-backups options configured for storage '${storage}'`))
}

/** A backup under another name than vzdump gives is never removed. */
function describe(volume: Volume): Unmarked {
  const {volid, vmid} = volume
  const type = ARCHIVE.exec(volid)?.[1] ?? 'unknown'
  const stamp = STANDARD_NAME.exec(volid)
  const ctime = stamp ? secondsOf(stamp) : (volume.ctime ?? 0)
  const mark: Mark | undefined = volume.protected ? 'protected' : stamp ? undefined : 'renamed'
  return {volid, type, ctime, ...(vmid !== undefined && {vmid}), ...(mark !== undefined && {mark})}
}

function secondsOf([, year, month, day, hour, minute, second]: RegExpExecArray): number {
  const [y = 0, mo = 1, d = 1, h = 0, mi = 0, s = 0] = [year, month, day, hour, minute, second].map(Number)
  return Date.UTC(y, mo - 1, d, h, mi, s) / 1000
}

function groupByGuest(entries: readonly Unmarked[]): Map<string, Unmarked[]> {
  const groups = new Map<string, Unmarked[]>()
  for (const entry of entries) {
    if (entry.mark === 'renamed') continue
    const key = `${entry.type}/${String(entry.vmid)}`
    const group = groups.get(key)
    if (group) group.push(entry)
    else groups.set(key, [entry])
  }
  return groups
}
