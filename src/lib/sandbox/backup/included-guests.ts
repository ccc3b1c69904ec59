// Which guests a backup is about: those of a pool, those it names, or all but those it leaves out.
import {die} from '../pve-error.ts'
import {splitList} from '../schema/split-list.ts'
import type {Cluster} from '../cluster.ts'

export interface Selection {
  pool?: string | undefined
  /** A list of vmids. */
  vmid?: string | undefined
  isAll: boolean
  /** A list of vmids that `isAll` leaves out. */
  exclude?: string | undefined
}

/** In ascending order; what is named need not exist. */
export function includedGuests(cluster: Cluster, selection: Selection): number[] {
  return candidates(cluster, selection).sort((a, b) => a - b)
}

function candidates(cluster: Cluster, {pool, vmid, isAll, exclude}: Selection): number[] {
  const {state} = cluster
  if (pool) {
    const found = state.pools.find((p) => p.poolid === pool) ?? die(`pool '${pool}' does not exist`)
    return found.vmids.filter((id) => state.guests.has(id))
  }
  if (vmid) return [...new Set(splitVmids(vmid))]
  if (!isAll) return []
  const excluded = new Set(splitVmids(exclude ?? ''))
  return [...state.guests.keys()].filter((id) => !excluded.has(id))
}

const splitVmids = (list: string): number[] =>
  splitList(list)
    .filter((item) => item !== '')
    .map(Number)

/** A destroyed guest leaves the lists of the jobs; a job that named nobody else goes with it. */
export function leaveBackupJobs(cluster: Cluster, vmid: number): void {
  const {state} = cluster
  const without = (list: string): string =>
    splitVmids(list)
      .filter((id) => id !== vmid)
      .join(',')
  state.backupJobs = state.backupJobs.filter(({options}) => {
    const list = options['vmid'] === undefined ? 'exclude' : 'vmid'
    if (typeof options[list] !== 'string') return true
    const rest = without(options[list])
    if (rest !== '') options[list] = rest
    else if (list === 'exclude') delete options['exclude']
    return rest !== '' || list === 'exclude'
  })
}
