// Pools: named groups of guests and storages that privileges can be given on.
import {flag, optionalText, text, type Call, type Route} from '../call.ts'
import {hasPrivs, requirePrivs} from '../access/permissions.ts'
import {die} from '../pve-error.ts'
import {underFileLock} from '../shared-file.ts'
import {guestRow} from '../stats/guest-stats.ts'
import {storageRow} from '../stats/node-stats.ts'
import {findStorage, isOnNode} from '../storage/volumes.ts'
import type {Pool} from '../state.ts'

export const routes: Route[] = [
  {method: 'GET', path: '/pools', handler: listPools},
  {method: 'POST', path: '/pools', handler: createPool},
  {method: 'PUT', path: '/pools', handler: updatePool},
  {method: 'DELETE', path: '/pools', handler: deletePool},
  {method: 'GET', path: '/pools/{poolid}', handler: (call) => poolInfo(call, text(call, 'poolid'))},
  {method: 'PUT', path: '/pools/{poolid}', handler: updatePool},
  {method: 'DELETE', path: '/pools/{poolid}', handler: deletePool},
]

const findPool = (call: Call, poolid: string): Pool | undefined =>
  call.cluster.state.pools.find((p) => p.poolid === poolid)

function listPools(call: Call): unknown[] {
  const poolid = optionalText(call, 'poolid')
  if (poolid !== undefined && poolid !== '') return [poolInfo(call, poolid)]
  return call.cluster.state.pools
    .filter((p) => hasPrivs(call, `/pool/${p.poolid}`, ['Pool.Audit']))
    .map(({poolid: id, comment}) => ({poolid: id, ...(comment !== undefined && {comment})}))
    .sort((a, b) => (a.poolid < b.poolid ? -1 : 1))
}

/** The members are those that still exist, whoever asks. */
function poolInfo(call: Call, poolid: string): unknown {
  const pool = findPool(call, poolid) ?? die(`pool '${poolid}' does not exist`)
  const type = optionalText(call, 'type')
  const guests = pool.vmids
    .map((vmid) => call.cluster.guest(vmid))
    .filter((g) => g !== undefined)
    .filter((g) => type === undefined || g.kind === type)
    .map((g) => guestRow(call.cluster, g))
  const storages = type === undefined || type === 'storage' ? storageRows(call, pool) : []
  const {comment} = pool
  return {poolid, ...(comment !== undefined && {comment}), members: [...guests, ...storages]}
}

function storageRows(call: Call, pool: Pool): unknown[] {
  const {localNode} = call.cluster.state
  return [...pool.storages].sort().flatMap((id) => {
    const storage = findStorage(call.cluster, id)
    if (!storage) return []
    const node = isOnNode(storage, localNode)
      ? localNode
      : ([...(storage.nodes ?? [])].sort()[0] ?? localNode)
    return [storageRow(call.cluster, storage, node)]
  })
}

function createPool(call: Call): null {
  const poolid = text(call, 'poolid')
  underFileLock('create pool failed', () => {
    if (findPool(call, poolid)) die(`pool '${poolid}' already exists`)
    const slash = poolid.lastIndexOf('/')
    const parent = poolid.slice(0, Math.max(0, slash))
    if (slash > 0 && !findPool(call, parent)) die(`parent '${parent}' of pool '${poolid}' does not exist`)
    if (!/^[A-Za-z]/.test(poolid.slice(slash + 1))) die('pool name must start with a letter')
    const comment = optionalText(call, 'comment')
    call.cluster.state.pools.push({poolid, vmids: [], storages: [], ...(comment && {comment})})
  })
  return null
}

const splitList = (list: string): string[] => list.split(/[,;\0\s]+/).filter((item) => item !== '')

function updatePool(call: Call): null {
  const poolid = text(call, 'poolid')
  underFileLock('update pools failed', () => {
    const pool = findPool(call, poolid) ?? die(`pool '${poolid}' does not exist`)
    const next = {...pool, vmids: [...pool.vmids], storages: [...pool.storages]}
    const comment = optionalText(call, 'comment')
    if (comment) next.comment = comment
    else if (comment !== undefined) delete next.comment
    const leaving: {pool: Pool; vmid: number}[] = []
    for (const vmid of splitList(optionalText(call, 'vms') ?? ''))
      changeGuest(call, next, Number(vmid), leaving)
    for (const storage of splitList(optionalText(call, 'storage') ?? '')) changeStorage(call, next, storage)
    for (const {pool: old, vmid} of leaving) old.vmids = old.vmids.filter((v) => v !== vmid)
    if (next.comment === undefined) delete pool.comment
    Object.assign(pool, next)
  })
  return null
}

function changeGuest(call: Call, pool: Pool, vmid: number, leaving: {pool: Pool; vmid: number}[]): void {
  requireModify(call, `/vms/${String(vmid)}`, 'VM.Allocate')
  const isMember = pool.vmids.includes(vmid)
  if (flag(call, 'delete')) {
    if (!isMember) die(`VM ${String(vmid)} is not a pool member`)
    pool.vmids = pool.vmids.filter((v) => v !== vmid)
    return
  }
  if (isMember) die(`VM ${String(vmid)} is already a pool member`)
  const other = call.cluster.state.pools.find((p) => p.vmids.includes(vmid))
  if (other) {
    if (!flag(call, 'allow-move')) {
      die(`VM ${String(vmid)} belongs already to pool '${other.poolid}' and 'allow-move' is not set`)
    }
    requirePrivs(call, `/pool/${other.poolid}`, ['Pool.Allocate'])
    leaving.push({pool: other, vmid})
  }
  pool.vmids.push(vmid)
}

function changeStorage(call: Call, pool: Pool, storage: string): void {
  requireModify(call, `/storage/${storage}`, 'Datastore.Allocate')
  const isMember = pool.storages.includes(storage)
  if (flag(call, 'delete')) {
    if (!isMember) die(`Storage '${storage}' is not a pool member`)
    pool.storages = pool.storages.filter((s) => s !== storage)
  } else {
    if (isMember) die(`Storage '${storage}' is already a pool member`)
    pool.storages.push(storage)
  }
}

/** Whoever may hand out privileges there, or allocate there. */
function requireModify(call: Call, path: string, allocate: string): void {
  requirePrivs(call, path, ['Permissions.Modify', allocate], true)
}

function deletePool(call: Call): null {
  const poolid = text(call, 'poolid')
  const {state} = call.cluster
  underFileLock('delete pool failed', () => {
    const pool = findPool(call, poolid) ?? die(`pool '${poolid}' does not exist`)
    const refuse = (content: string): never => die(`pool '${poolid}' is not empty (contains ${content})`)
    const child = state.pools.map((p) => p.poolid).find((id) => id.startsWith(`${poolid}/`))
    if (child !== undefined) refuse(`pool '${child}'`)
    const vmid = [...pool.vmids].sort().find((v) => state.guests.has(v))
    if (vmid !== undefined) refuse(`VM ${String(vmid)}`)
    const storage = [...pool.storages].sort().find((s) => findStorage(call.cluster, s))
    if (storage !== undefined) refuse(`storage '${storage}'`)
    state.pools = state.pools.filter((p) => p !== pool)
    state.access.acl = state.access.acl.filter((a) => a.path !== `/pool/${poolid}`)
  })
  return null
}
