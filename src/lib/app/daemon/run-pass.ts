// One pass of the daemon: ask the source, take the lock, settle what was interrupted, plan, do what may be done now,
// carry out signed jobs. Whatever goes wrong is part of its report; the loop goes on.
import type {Decision} from '../../engine/decide-recovery.ts'
import {recover} from '../../engine/recover.ts'
import type {PassReport} from '../../model/daemon.ts'
import type {Intent} from '../../model/operation.ts'
import type {WritingAccess} from '../compose.ts'
import type {OpenState} from '../state/open-state.ts'
import {ClusterView} from './cluster-view.ts'
import {convergeGuests} from './converge-guests.ts'
import {describeProblem, type Draft} from './pass-draft.ts'
import type {PassMemory, PassWorld} from './pass-world.ts'
import type {Delivery} from './ports.ts'
import {whySuspended} from './restrain-plan.ts'
import {runJobs} from './jobs/run-jobs.ts'

export async function runPass(pass: number, world: PassWorld, memory: PassMemory): Promise<PassReport> {
  world.tell({type: 'pass_started', pass})
  const draft = await beginReport(pass, world, memory)
  try {
    await makePass(world, memory, draft)
  } catch (error) {
    draft.problem = describeProblem(error)
  }
  draft.endedMs = world.clock.now()
  return draft
}

async function beginReport(pass: number, world: PassWorld, memory: PassMemory): Promise<Draft> {
  const {clock, settings} = world
  const nowMs = clock.now()
  const trust = await world.readTrust().catch(() => undefined)
  return {
    pass,
    startedMs: nowMs,
    endedMs: nowMs,
    mode: settings.daemon.mode,
    permission: memory.permissionsOf(settings.daemon).at(nowMs),
    results: [],
    jobs: [],
    areJobsSeen: false,
    open: [],
    disarmed: [],
    suspensions: [],
    backOffs: [],
    ...(trust && {trust: {version: trust.version, expiresMs: trust.document.expiresMs}}),
  }
}

async function makePass(world: PassWorld, memory: PassMemory, draft: Draft): Promise<void> {
  // Whatever keeps the pass from going on, these hold.
  draft.suspensions = world.readSuspensions()
  draft.backOffs = memory.backOffs.waiting(world.clock.now())
  await world.keeper.ask(world.stop)
  const access = await world.openAccess()
  try {
    const state = await world.openState(access)
    try {
      if (world.memory) memory.recall(world.memory)
      // Without Proxmox there is no pass, but what the source said is kept all the same.
      const delivery = await world.keeper.settle()
      draft.source = delivery.standing
      draft.suspensions = world.readSuspensions()
      await workIn(state, access, delivery, world, memory, draft)
    } finally {
      draft.open = state.journal.openOperations()
      draft.disarmed = state.journal.disarmed()
      if (world.memory) memory.keep(world.memory)
      await state.close()
    }
  } finally {
    await access.close()
  }
}

async function workIn(
  state: OpenState,
  access: WritingAccess,
  delivery: Delivery,
  world: PassWorld,
  memory: PassMemory,
  draft: Draft,
): Promise<void> {
  const {clock, settings} = world
  await settleFirst(state, access, world, memory)
  const gate = await world.openGate({
    state,
    access,
    carried: [...delivery.approvals, ...delivery.jobs],
    // At the moment when an action is about to begin, not when the pass did: a window may have closed since, and
    // somebody who suspends a guest means now.
    withhold: (action, gateClass, target) =>
      whySuspended(world.readSuspensions(), target) ??
      memory.permissionsOf(settings.daemon).withholdAt(clock.now())(action, gateClass),
  })
  const view = new ClusterView(access.reader)
  const scene = {state, access, gate, delivery, view, inspector: world.openInspector(gate)}
  await convergeGuests(scene, world, memory, draft)
  draft.suspensions = world.readSuspensions()
  if (draft.problem) return
  await runJobs(scene, world, memory, draft)
  await tidyUp(state, world, memory)
}

/** Looks once: whatever cannot be decided yet freezes its guest, and the next pass looks again. */
async function settleFirst(
  state: OpenState,
  {reader, tokenId}: WritingAccess,
  world: PassWorld,
  memory: PassMemory,
): Promise<void> {
  const {clock, settings, stop} = world
  const {decisions} = await recover({
    reader,
    journal: state.journal,
    clock,
    tokenId,
    settleMs: settings.recover.settleMs,
    waitMs: 0,
    signal: stop,
  })
  for (const {operation, decision} of decisions) noteSetback(operation.intent, decision, memory)
  if (decisions.length === 0) return
  world.tell({
    type: 'recovered',
    decisions: decisions.map(({operation: {intent}, decision}) => ({
      op: intent.op,
      guest: {kind: intent.target.kind, vmid: intent.target.vmid},
      verdict: decision.verdict,
      reason: decision.reason,
    })),
  })
}

/** What is signed for is never sent again by itself. */
function noteSetback(intent: Intent, {verdict, reason}: Decision, {setbacks}: PassMemory): void {
  if (intent.key !== undefined) return
  const {vmid} = intent.target
  if (verdict === 'failed' || verdict === 'superseded') setbacks.set(vmid, {intent, reason})
  else setbacks.delete(vmid)
}

const DAY_MS = 24 * 60 * 60 * 1000

/** At the start and once a day, so that months of history do not fill the disk, whoever starts it how often. */
async function tidyUp({journal}: OpenState, {clock, settings}: PassWorld, memory: PassMemory): Promise<void> {
  const nowMs = clock.now()
  // After a clock that was ahead has been put right, too.
  const sinceMs = nowMs - (memory.keptSinceMs ?? -Infinity)
  if (sinceMs >= 0 && sinceMs < DAY_MS) return
  memory.keptSinceMs = nowMs
  await journal.compact({olderThanMs: settings.daemon.keepMs})
}
