// Steps 1 to 13: is there an approval that allows this very action, now? It reads and decides, and changes nothing;
// whoever goes on burns the nonce.
import type {BoundAction, Refusal} from '../model/approval.ts'
import {isFelhomError} from '../model/felhom-error.ts'
import {isClockBehind} from './check-clock.ts'
import {chooseApprovals, type Candidate} from './choose-approval.ts'
import type {ApprovalSource, NonceStore, SnapshotReader, TrustFiles} from './ports.ts'
import {loadTrust, type TrustReading} from './trust-load.ts'
import {
  verifyApproval,
  type ApprovalFacts,
  type Approved,
  type Evidence,
  type NotApproved,
} from './verify-approval.ts'

export interface Signing {
  /** Install id of this agent: approvals for others are not for it. */
  readonly host: string
  readonly clock: {now(): number}
  /** Who may sign: read and checked anew for each decision. */
  readonly trust: TrustFiles
  /** `sha256:` of version 1 of the trust store. */
  readonly genesis: string
  readonly nonces: NonceStore
  readonly approvals: ApprovalSource
  readonly snapshots: SnapshotReader
  /** What became of an approval that was used, if the journal knows. */
  readonly outcomeOf?: (nonce: string) => string | undefined
}

/** What a signature must be for. */
export interface SignedJob {
  readonly bound: BoundAction
  /** Reads what is there now: `sha256:…`. */
  observe(): Promise<string>
}

export type SignedDecision = {
  /** Marks that may be moved forward: a trust store that holds was read, and somebody in it has signed. */
  readonly seen: {readonly trust?: number; readonly trustHash?: string; readonly isAuthentic?: boolean}
  readonly evidence?: Evidence
} & ({readonly approved: Approved} | {readonly refusal: Refusal})

/** Whoever came further has proved that somebody whom we trust is at work. */
const LAST_STEP_BEFORE_PROOF = 6

/** `demand`: who wants a signature, and for what reason. */
export async function decideSigned(
  job: SignedJob,
  signing: Signing,
  demand: string,
): Promise<SignedDecision> {
  const candidates = chooseApprovals(await signing.approvals.list(), job.bound)
  if (candidates.length === 0) return refuse({code: 'pending_signature', message: demand})
  const {nonces, host} = signing
  const nowMs = signing.clock.now()
  if (isClockBehind(nowMs, nonces.clockMarkMs))
    return refuse({code: 'clock_error', message: 'the clock is behind a time that it has shown before'})
  const reading = await readTrust(signing, nowMs)
  if ('refusal' in reading) return refuse(reading.refusal)
  const {trust} = reading
  const observed = await job.observe()
  const {outcomeOf = () => undefined} = signing
  const nonceState = (nonce: string): ReturnType<NonceStore['state']> => nonces.state(nonce)
  return tryCandidates(candidates, {bound: job.bound, observed, host, nowMs, trust, nonceState, outcomeOf})
}

const refuse = (refusal: Refusal): SignedDecision => ({seen: {}, refusal})

/** Step 2, once for all approvals. */
async function readTrust(
  {trust, genesis, nonces}: Signing,
  nowMs: number,
): Promise<TrustReading | {refusal: Refusal}> {
  try {
    const {trustMark: version, trustHash: hash} = nonces
    return loadTrust(await trust.read(), genesis, nowMs, {version, ...(hash !== undefined && {hash})})
  } catch (error) {
    if (!isFelhomError(error)) throw error
    return {refusal: {code: 'trust_error', message: error.message}}
  }
}

/** The first that holds; of those that do not, the nearest that came furthest tells why. */
function tryCandidates(candidates: readonly Candidate[], facts: ApprovalFacts): SignedDecision {
  const {version: trust, hash: trustHash} = facts.trust
  const failed: (NotApproved & Pick<Candidate, 'nearness'>)[] = []
  for (const {file, nearness} of candidates) {
    const result = verifyApproval(file.bytes, facts)
    if ('statement' in result)
      return {seen: {trust, trustHash, isAuthentic: true}, evidence: result.evidence, approved: result}
    failed.push({...result, nearness})
  }
  const isAuthentic = failed.some(({step}) => step > LAST_STEP_BEFORE_PROOF)
  const {refusal, evidence} = failed
    .filter(({nearness}) => nearness === failed[0]?.nearness)
    .reduce((a, b) => (b.step > a.step ? b : a))
  return {seen: {trust, trustHash, isAuthentic}, evidence, refusal}
}
