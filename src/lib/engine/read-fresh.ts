// The guest immediately before a change, with no more questions than the change needs: a config write starts no task
// and cares little whether the guest runs, so that its config alone is read.
import type {ActualGuest, KnownConfig} from '../model/actual.ts'
import {isFelhomError} from '../model/felhom-error.ts'
import type {GuestAddress, GuestId} from '../model/guest.ts'
import type {GuestPlan, PlannedAction} from '../model/plan.ts'
import type {Snapshot} from '../model/snapshot.ts'
import type {RunOptions} from './run-options.ts'

export interface Fresh {
  /** Undefined: it does not exist, and its number is free. */
  readonly guest: ActualGuest | undefined
  /** Tasks of our token that are listed already. */
  readonly knownTasks: readonly string[]
  readonly sourceNode?: string
  /** Read for those actions alone that are about one. */
  readonly snapshots?: readonly Snapshot[]
}

type World = Pick<RunOptions, 'reader' | 'tokenId'>

/** Throws guest_missing where a guest should be and is not. */
export async function readFresh(
  action: Exclude<PlannedAction, {type: 'create'}>,
  plan: GuestPlan,
  address: GuestAddress,
  world: World,
): Promise<Fresh> {
  if (action.type === 'set-config') {
    return {guest: guestOf(plan, address, await world.reader.readConfig(address)), knownTasks: []}
  }
  const isOfSnapshot = action.type === 'snapshot-delete' || action.type === 'snapshot-rollback'
  const [guest, knownTasks, snapshots] = await Promise.all([
    world.reader.readGuest(address),
    listKnownTasks(address.node, address.vmid, world),
    isOfSnapshot ? world.reader.readSnapshots(address) : undefined,
  ])
  return {guest, knownTasks, ...(snapshots && {snapshots})}
}

/** Whether two readings saw the same: whatever is written to a guest changes its digest, its snapshots too. */
export function isUnchanged({guest: before}: Fresh, {guest: now}: Fresh): boolean {
  if (!before || !now) return before === now
  const isSameConfig = before.config.known && now.config.known && before.config.digest === now.config.digest
  return isSameConfig && before.run === now.run && before.lock === now.lock
}

/** What only `status/current` tells is taken from the plan. */
function guestOf(plan: GuestPlan, address: GuestAddress, config: KnownConfig): ActualGuest {
  const {current} = config
  return {
    ...address,
    name: plan.name,
    run: plan.run,
    template: current['template'] === '1',
    lock: current['lock'],
    tags: (current['tags'] ?? '').split(/[;, ]+/).filter((tag) => tag !== ''),
    ha: {managed: 'unknown'},
    config,
  }
}

/** Undefined: the number is taken, though the plan saw nobody there. */
export async function readVacancy(
  action: Extract<PlannedAction, {type: 'create'}>,
  address: GuestAddress,
  world: World,
): Promise<Fresh | undefined> {
  const {from} = action
  const [isFree, source] = await Promise.all([
    world.reader.isVmidFree(address.vmid),
    'clone' in from
      ? findSource({kind: address.kind, vmid: from.clone}, address.node, world)
      : {node: address.node, vmid: address.vmid},
  ])
  if (!isFree) return undefined
  const knownTasks = await listKnownTasks(source.node, source.vmid, world)
  return {guest: undefined, knownTasks, ...('clone' in from && {sourceNode: source.node})}
}

/** Most often it is on the node where the copy shall be. */
async function findSource(source: GuestId, likelyNode: string, {reader}: World): Promise<GuestAddress> {
  const likely = {...source, node: likelyNode}
  try {
    await reader.readConfig(likely)
    return likely
  } catch (error) {
    if (!isFelhomError(error, 'guest_missing')) throw error
    const {guests} = await reader.readCluster()
    const found = guests.find(({kind, vmid}) => kind === source.kind && vmid === source.vmid)
    if (!found) throw error
    return {...source, node: found.node}
  }
}

async function listKnownTasks(node: string, vmid: number, {reader, tokenId}: World): Promise<string[]> {
  const tasks = await reader.listTasks(node, {vmid, source: 'all'})
  return tasks.filter(({upid}) => upid.user === tokenId).map(({upid}) => upid.text)
}
