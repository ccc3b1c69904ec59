// Signed jobs that came with the desired state. Each is an approval that says itself what it is for; the gate verifies
// it like any other, and its nonce lets it be carried out at most once, whatever carries it here how often.
import {describeDecision} from '../../../gate/describe-decision.ts'
import type {TrustSnapshot} from '../../../gate/trust-snapshot.ts'
import type {Statement} from '../../../model/approval.ts'
import type {JobResult} from '../../../model/daemon.ts'
import type {ErrorCode} from '../../../model/error-codes.ts'
import {FelhomError} from '../../../model/felhom-error.ts'
import type {GuestId} from '../../../model/guest.ts'
import type {GuestJob} from '../../gate/run-signed-job.ts'
import {limitsOf} from '../back-offs.ts'
import {carryOutJob, type Ended} from './carry-out-job.ts'
import type {Scene} from '../scene.ts'
import {describeBackOff} from '../restrain-plan.ts'
import {jobOfStatement} from './job-of-statement.ts'
import {digest} from '../tell/matter.ts'
import {reportUsed} from './report-used-job.ts'
import type {PassMemory, PassWorld} from '../pass-world.ts'
import {judgeJob, readJobs, type BroughtJob, type JobFacts, type RefusedJob} from './read-jobs.ts'
import type {Draft} from '../pass-draft.ts'

/** Of jobs that nobody has signed for; all of them are in the log. */
const MOST_AUDITED = 3

export async function runJobs(
  scene: Scene,
  world: PassWorld,
  memory: PassMemory,
  draft: Draft,
): Promise<void> {
  const {state, delivery} = scene
  const brought = readJobs(delivery.jobs, state.host, (text) => {
    world.tell({type: 'warning', text})
  })
  const isWhole =
    brought.size === 0 || (await new Jobs(scene, world, memory, draft, await world.readTrust()).run(brought))
  if (!isWhole) return
  // Without a state of the source nobody can tell which jobs it carries.
  if (!delivery.desired && delivery.standing.kind !== 'none') {
    draft.areJobsSeen = 'no_source'
    return
  }
  draft.areJobsSeen = true
  forgetGone(memory, draft.jobs, world.clock.now())
}

class Jobs {
  readonly #scene: Scene
  readonly #world: PassWorld
  readonly #memory: PassMemory
  readonly #draft: Draft
  readonly #trust: TrustSnapshot | undefined
  #audited = 0

  constructor(
    scene: Scene,
    world: PassWorld,
    memory: PassMemory,
    draft: Draft,
    trust: TrustSnapshot | undefined,
  ) {
    this.#scene = scene
    this.#world = world
    this.#memory = memory
    this.#draft = draft
    this.#trust = trust
  }

  /** Whether it came to the last of them. */
  async run(brought: ReadonlyMap<string, readonly BroughtJob[]>): Promise<boolean> {
    const world = this.#world
    const results: JobResult[] = []
    this.#draft.jobs = results
    for (const [nonce, jobs] of brought) {
      if (world.stop.aborted || this.#draft.problem) return false
      const job = await this.#runOne(nonce, jobs)
      if (!job) continue
      results.push(job)
      const told = digest(JSON.stringify(job))
      if (this.#memory.toldJobs.get(nonce) !== told) world.tell({type: 'job_ended', job})
      this.#memory.toldJobs.set(nonce, told)
    }
    return !world.stop.aborted || results.at(-1)?.outcome !== 'not_started'
  }

  /** What our own records know comes first, then what the bytes alone say, and Proxmox last. */
  async #runOne(nonce: string, brought: readonly BroughtJob[]): Promise<JobResult | undefined> {
    const {state} = this.#scene
    const judged = brought.map((one) => ({...one, refused: judgeJob(one, this.#facts())}))
    const own = judged.find(({statement}) => reportUsed(statement, state)?.operation !== undefined)
    const chosen = own ?? judged.find(({refused}) => !refused) ?? judged[0]
    if (!chosen) return undefined
    const {statement, refused} = chosen
    const base = {nonce, op: statement.op, ...guestOf(statement)}
    const used = reportUsed(statement, state)
    if (used) return {...base, ...used}
    if (this.#world.clock.now() > statement.expMs)
      return {...base, outcome: 'refused', refusal: 'expired', detail: 'the signature is no longer valid'}
    const job = jobOfStatement(statement)
    if (!job) return {...base, outcome: 'refused', detail: `felhom has no means to carry out ${statement.op}`}
    if (refused) {
      await this.#audit(statement, refused)
      const {code, message} = refused.refusal
      return {...base, outcome: 'refused', refusal: code, detail: message}
    }
    const waiting = this.#memory.jobBackOffs.waiting(nonce, this.#world.clock.now())
    if (waiting) return {...base, outcome: 'blocked', detail: describeBackOff(waiting)}
    const ended = await this.#carryOut(job, statement)
    if (hasFailedBefore(ended)) this.#backOff(nonce)
    return {...base, ...ended}
  }

  #backOff(nonce: string): void {
    const {settings, clock} = this.#world
    this.#memory.jobBackOffs.fail(nonce, clock.now(), limitsOf(settings))
  }

  #facts(): JobFacts {
    const {nonces, host} = this.#scene.state
    return {
      trust: this.#trust,
      host,
      nowMs: this.#world.clock.now(),
      nonceState: (nonce) => nonces.state(nonce),
    }
  }

  /** Once for each, and not for every number that a stranger can think of. It stays refused whether or not. */
  async #audit({nonce, op, target}: Statement, {refusal, evidence}: RefusedJob): Promise<void> {
    const {jobRefusals} = this.#memory
    const before = jobRefusals.get(nonce)
    const now = digest(refusal.message)
    jobRefusals.set(nonce, now)
    if (before === now || ++this.#audited > MOST_AUDITED) return
    const vmid = typeof target.vmid === 'number' ? target.vmid : 0
    const decided = {op, vmid, class: 'destructive' as const, refusal, ...(evidence && {evidence})}
    await this.#scene.state.audit.append(describeDecision(decided)).catch(() => undefined)
  }

  async #carryOut(job: GuestJob, statement: Statement): Promise<Ended> {
    // That the cluster cannot be read is no matter of this job.
    await this.#scene.view.read()
    try {
      return await carryOutJob(job, statement, this.#scene, this.#world, this.#memory, this.#draft)
    } catch (error) {
      if (!(error instanceof FelhomError) || FATAL.has(error.code)) throw error
      // What is not there now, or not seen, may be there before the signature has expired.
      const outcome = error.code === 'usage' ? 'blocked' : 'not_started'
      return {outcome, detail: [error.message, error.hint].filter((text) => text !== undefined).join('. ')}
    }
  }
}

/** What is its own was not sent, but its guest may have been shut down for it, and would be again. */
const hasFailedBefore = ({outcome, operation}: Ended): boolean =>
  operation === undefined && (outcome === 'failed' || outcome === 'in_flight' || outcome === 'stale')

/** Of the state directory: no other job fares better. */
const FATAL: ReadonlySet<ErrorCode> = new Set([
  'journal_corrupt',
  'journal_failed',
  'journal_locked',
  'journal_mismatch',
  'state_unsafe',
])

function guestOf({target: {kind, vmid}}: Statement): {guest?: GuestId} {
  if (typeof vmid !== 'number' || (kind !== 'lxc' && kind !== 'qemu')) return {}
  return {guest: {kind, vmid}}
}

/** A source may send new jobs for months. */
function forgetGone(memory: PassMemory, results: readonly JobResult[], nowMs: number): void {
  const present = new Set(results.map(({nonce}) => nonce))
  for (const known of [memory.toldJobs, memory.jobRefusals])
    for (const nonce of known.keys()) if (!present.has(nonce)) known.delete(nonce)
  memory.jobBackOffs.forgetOld(present, nowMs)
}
