// One pass of felhom as a process makes it: lock, journal, recover, plan, run. The parts are the real ones; only what
// they touch is simulated.
import type {Clock, Journal} from '../../src/lib/engine/ports.ts'
import {recover} from '../../src/lib/engine/recover.ts'
import {runPlan} from '../../src/lib/engine/run-plan.ts'
import {createGate} from '../../src/lib/gate/gate.ts'
import type {ActualCluster, ActualGuest} from '../../src/lib/model/actual.ts'
import type {DesiredState} from '../../src/lib/model/desired.ts'
import type {Intent} from '../../src/lib/model/operation.ts'
import type {GuestPlan, Plan} from '../../src/lib/model/plan.ts'
import {heldPrivileges} from '../../src/lib/plan/held-privileges.ts'
import {planSnapshot} from '../../src/lib/plan/plan-snapshot.ts'
import {planChanges} from '../../src/lib/plan/plan-changes.ts'
import {createReader, type Reader} from '../../src/lib/pve/read.ts'
import {createWriter, type Writer} from '../../src/lib/pve/write.ts'
import {openJournal, type JournalStore} from '../../src/lib/store/open-journal.ts'
import type {ProcessLife} from './process-life.ts'
import {OUR_TOKEN} from './sim-proxmox.ts'
import type {World} from './world.ts'

export const STATE_DIR = '/state'
const LOCK_TIMEOUT_MS = 10_000
const PER_NODE = 2
/** Small, so that a life sees several segments. */
export const SEGMENT_BYTES = 6_000

export interface PassResult {
  readonly plan: Plan
  /** How many operations are still open. */
  readonly open: number
}

/** Undefined: another instance held the lock. */
export async function applyPass(world: World, life: ProcessLife): Promise<PassResult | undefined> {
  if (!(await life.step('lock', () => world.lock.acquire(life, LOCK_TIMEOUT_MS)))) return undefined
  try {
    world.oracle.passBegins(life)
    const store = await openStore(world, life)
    try {
      return await makePass(world, life, store)
    } finally {
      await store.close()
    }
  } finally {
    world.lock.release(life)
  }
}

export async function openStore(world: World, life: ProcessLife): Promise<JournalStore> {
  const store = await openJournal({
    disk: world.disk.forProcess(life),
    dir: STATE_DIR,
    identity: {endpoint: 'https://pve1:8006', tokenId: OUR_TOKEN},
    clock: {now: () => world.wallClockMs()},
    warn: (text) => {
      world.trace(() => `    journal warns: ${text}`)
    },
    segmentBytes: SEGMENT_BYTES,
  })
  world.mayLookDamaged = false
  world.oracle.opened(store)
  return store
}

async function makePass(world: World, life: ProcessLife, store: JournalStore): Promise<PassResult> {
  const reader = createReader(world.network.reads(life))
  const clock = processClock(world, life)
  const observed = observeJournal(world, store)
  const journal = world.policy.journal?.(observed) ?? observed
  await world.rearmIfAsked(store)
  await runRecover(world, life, {reader, clock, journal: observed})
  const actual = await reader.readCluster()
  const {desired} = world
  const plan = planFor(world, desired, actual)
  world.trace(() => `    felhom ${String(life.id)}: plan ${describePlan(plan)}`)
  const run = world.nextRunId()
  const writer = observeWriter(world, life)
  const hex = world.random.stream(`addresses ${run}`)
  const result = await runPlan(plan, {
    run,
    tokenId: OUR_TOKEN,
    reader,
    writer: world.policy.writer?.(writer) ?? writer,
    journal,
    gate: world.wrapGate(createGate()),
    clock,
    perNode: PER_NODE,
    taskTimeoutMs: world.taskTimeoutMs,
    stop: new AbortController().signal,
    emit: () => undefined,
    secretsFor: () => Promise.resolve({}),
    planAgain: (guest) => planAgain(world, desired, actual, guest),
    mayAdapt: true,
    randomHex: (digits) => Array.from({length: digits}, () => hex.below(16).toString(16)).join(''),
  })
  for (const {outcome} of result.results) world.oracle.count(`outcome ${outcome}`)
  world.trace(
    () =>
      `    felhom ${String(life.id)}: ${result.results.map((r) => `${r.guest.vmid} ${r.action.type} ${r.outcome}${r.detail === undefined ? '' : ` (${r.detail})`}`).join('; ')}`,
  )
  await world.lookAfter(store)
  return {plan, open: store.openOperations().length}
}

async function runRecover(
  world: World,
  life: ProcessLife,
  {reader, clock, journal}: {reader: Reader; clock: Clock; journal: Journal},
): Promise<void> {
  const {policy, oracle} = world
  oracle.recovers(life, true)
  const result = await recover({
    reader: policy.tasks ? {...reader, ...policy.tasks(reader)} : reader,
    journal,
    clock,
    tokenId: OUR_TOKEN,
    waitMs: 60_000,
    signal: new AbortController().signal,
    ...(policy.decide && {decide: policy.decide}),
  })
  oracle.recovers(life, false)
  world.noteDisarmed(result.disarmed)
  for (const {operation, decision} of result.decisions)
    world.trace(
      () =>
        `    recover ${operation.intent.op} ${operation.intent.body.type}: ${decision.verdict} (${decision.reason})`,
    )
}

/** Needs a signature, and has one: only then a destruction gets as far as the gate. */
export function planFor(world: World, desired: DesiredState, actual: ActualCluster): Plan {
  const held = actual.privileges === undefined ? undefined : heldPrivileges(actual.privileges)
  const plan = planChanges(desired, actual, held ? {held} : {})
  const jobs = [...world.jobs.values()].flatMap(({vmid, wish}) => {
    const guest = actual.guests.find((one) => one.vmid === vmid)
    return wish && guest ? [planSnapshot(wish, guest, actual, held)] : []
  })
  return {...plan, guests: [...plan.guests, ...jobs].map((guest) => withSignature(world, guest))}
}

function withSignature(world: World, plan: GuestPlan): GuestPlan {
  if (!world.jobs.has(plan.vmid)) return plan
  const actions = plan.actions.map((action) => ({
    ...action,
    blockers: action.blockers.filter(({code}) => code !== 'needs_signature'),
  }))
  return {...plan, actions}
}

function planAgain(
  world: World,
  desired: DesiredState,
  actual: ActualCluster,
  guest: ActualGuest,
): GuestPlan | undefined {
  const one = {...desired, guests: desired.guests.filter(({vmid}) => vmid === guest.vmid)}
  const plan = planFor(world, one, {...actual, guests: [guest]})
  return plan.guests[0] ?? unchanged(guest)
}

const unchanged = (guest: ActualGuest): GuestPlan => ({
  kind: guest.kind,
  vmid: guest.vmid,
  name: guest.name,
  node: guest.node,
  exists: true,
  run: guest.run,
  liveDigest: guest.config.known ? guest.config.digest : undefined,
  actions: [],
  unchangedOptions: 0,
  problems: [],
})

export const processClock = (world: World, life: ProcessLife): Clock => ({
  now: () => world.wallClockMs(),
  sleep: (ms, signal) => life.step('sleep', () => world.clock.sleep(ms, signal)),
})

/** The real journal, and the oracle told of everything it acknowledges. */
export function observeJournal(world: World, store: JournalStore): Journal {
  const {oracle} = world
  return {
    start: async (intent) => {
      oracle.starting(intent)
      const journaled = await store.start(intent)
      oracle.started(intent.op)
      return journaled
    },
    taskRunning: async (op, upid) => {
      await store.taskRunning(op, upid)
      oracle.taskRunning(op)
    },
    settle: async (op, ending) => {
      oracle.settling(op, ending)
      await store.settle(op, ending)
      oracle.settled(op, ending.state)
    },
    noteAbsence: (op, sinceMs) => store.noteAbsence(op, sinceMs),
    openOperations: () => store.openOperations(),
    disarmed: () => store.disarmed(),
    knowsTask: (upid) => store.knowsTask(upid),
    knowsTasksSinceMs: store.knowsTasksSinceMs,
    disarm: (upids) => store.disarm(upids),
  }
}

export function observeWriter(world: World, life: ProcessLife): Writer {
  const {oracle} = world
  const watch = (intent: Intent): Parameters<World['network']['writes']>[1] => ({
    sent: () => {
      oracle.sent(life, intent)
      world.onSent(life, intent)
    },
    handled: (answer) => {
      world.trace(
        () => `      Proxmox on ${intent.op}: ${answer ? `${answer.status} ${answer.reason}` : 'gone'}`,
      )
      oracle.handled(intent, answer)
      world.onHandled(intent, answer)
    },
    dropped: () => {
      oracle.dropped(intent)
    },
  })
  return {
    dispatch: (intent, secrets) =>
      createWriter(world.network.writes(life, watch(intent))).dispatch(intent, secrets),
  }
}

export function describePlan(plan: Plan): string {
  return plan.guests
    .map(({vmid, actions, problems}) => {
      const steps = actions.map(({type, blockers}) => (blockers.length > 0 ? `[${type}]` : type))
      return `${String(vmid)}: ${[...steps, ...problems.map(({code}) => `!${code}`)].join(' ')}`
    })
    .join('; ')
}
