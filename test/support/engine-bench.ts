// The real engine, planner, reader and writer on a sandbox without HTTP and on virtual time; the journal is in memory.
// What a test changes is the desired state, what others do meanwhile, and where the network strikes.
import type {Journal} from '../../src/lib/engine/ports.ts'
import type {RunOptions, RunResult} from '../../src/lib/engine/run-options.ts'
import {runPlan} from '../../src/lib/engine/run-plan.ts'
import {createGate, type AuthorizedAction, type Gate} from '../../src/lib/gate/gate.ts'
import type {ActualCluster, ActualGuest} from '../../src/lib/model/actual.ts'
import type {DesiredGuest} from '../../src/lib/model/desired.ts'
import type {GuestPlan, Plan} from '../../src/lib/model/plan.ts'
import type {RunEvent} from '../../src/lib/model/run-event.ts'
import {planChanges} from '../../src/lib/plan/plan-changes.ts'
import {createReader, type Reader} from '../../src/lib/pve/read.ts'
import {createWriter} from '../../src/lib/pve/write.ts'
import {
  InProcessConnection,
  type InProcessFault,
  type InProcessRequest,
} from '../../src/lib/testing/in-process-connection.ts'
import {desiredState} from './desired-guest.ts'
import {InProcessSandbox} from './in-process-sandbox.ts'
import {MemoryJournal} from '../../src/lib/testing/memory-journal.ts'

export const TOKEN_ID = 'root@pam!felhom'

export interface BenchOptions {
  readonly seed?: unknown
  readonly latencyMs?: number
}

export class EngineBench {
  readonly sandbox: InProcessSandbox
  readonly connection: InProcessConnection
  readonly reader: Reader
  readonly journal: MemoryJournal
  readonly events: RunEvent[] = []
  readonly stop = new AbortController()
  /** Asked for each request of the engine. */
  fault: (request: InProcessRequest) => InProcessFault | undefined = () => undefined

  constructor({seed, latencyMs = 0}: BenchOptions = {}) {
    this.sandbox = new InProcessSandbox(seed)
    this.connection = new InProcessConnection(this.sandbox.cluster, {
      latencyMs,
      fault: (request) => this.fault(request),
    })
    this.reader = createReader(this.connection)
    this.journal = new MemoryJournal(() => this.sandbox.clock.now())
  }

  read(): Promise<ActualCluster> {
    return this.sandbox.clock.run(this.reader.readCluster())
  }

  async plan(...guests: DesiredGuest[]): Promise<Plan> {
    return planChanges(desiredState(...guests), await this.read())
  }

  /** Plans again as `apply` does: with the rest of the cluster as it was. */
  async planner(...guests: DesiredGuest[]): Promise<RunOptions['planAgain']> {
    const cluster = await this.read()
    return (guest) => {
      const desired = guests.find(({vmid}) => vmid === guest.vmid)
      if (!desired) return undefined
      const plan = planChanges(desiredState(desired), {...cluster, guests: [guest]})
      return plan.guests[0] ?? asDesired(guest)
    }
  }

  /** Plans and carries out; `between` is what others do after the plan was made. */
  async apply(
    guests: readonly DesiredGuest[],
    options: Partial<RunOptions> = {},
    between: () => Promise<unknown> = () => Promise.resolve(),
  ): Promise<RunResult> {
    const plan = await this.plan(...guests)
    const planAgain = await this.planner(...guests)
    await between()
    this.connection.requests.length = 0
    return this.carryOut(plan, {planAgain, ...options})
  }

  carryOut(plan: Plan, options: Partial<RunOptions> = {}): Promise<RunResult> {
    return this.sandbox.clock.run(runPlan(plan, this.runOptions(options)))
  }

  runOptions(options: Partial<RunOptions> = {}): RunOptions {
    const journal: Journal = this.journal
    return {
      run: 'r',
      tokenId: TOKEN_ID,
      reader: this.reader,
      writer: createWriter(this.connection),
      journal,
      gate: createGate(),
      clock: this.sandbox.clock,
      perNode: 4,
      taskTimeoutMs: 600_000,
      stop: this.stop.signal,
      emit: (event) => this.events.push(event),
      secretsFor: () => Promise.resolve({}),
      planAgain: () => undefined,
      mayAdapt: true,
      randomHex: (digits) => this.sandbox.cluster.randomHex(digits),
      ...options,
    }
  }

  /** `PUT /nodes/pve1/lxc/101/config`, without reads unless asked for. */
  sent(which: 'writes' | 'all' = 'writes'): string[] {
    return this.connection.requests
      .filter(({method}) => which === 'all' || method !== 'GET')
      .map(({method, path}) => `${method} ${path}`)
  }

  /** The state of each operation in the journal, in the order of their starts. */
  states(): string[] {
    return [...this.journal.operations.values()].map(({intent, state}) => `${intent.body.type} ${state}`)
  }

  outcomes(): string[] {
    return this.events.flatMap((event) =>
      event.type === 'action_ended' ? [`${event.result.action.type} ${event.result.outcome}`] : [],
    )
  }
}

/** The plan of a guest of which nothing differs. */
function asDesired(guest: ActualGuest): GuestPlan {
  return {
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
  }
}

/** Lets everything pass, destructive work too, each under a key of its own. */
export function openGate(): Gate {
  let keys = 0
  return {
    authorize: (request) => {
      const isDestructive = request.action.class === 'destructive'
      const authorized = {
        ...request,
        class: request.action.class,
        ...(isDestructive && {key: `key-${++keys}`}),
      } as unknown as AuthorizedAction
      return Promise.resolve({allowed: true, authorized})
    },
    preview: () => Promise.resolve(undefined),
  }
}

/** Strikes the first request that matches. */
export function once(method: string, path: RegExp, fault: InProcessFault): EngineBench['fault'] {
  let isArmed = true
  return (request) => {
    if (!isArmed || request.method !== method || !path.test(request.path)) return undefined
    isArmed = false
    return fault
  }
}
