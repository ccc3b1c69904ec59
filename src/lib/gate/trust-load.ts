// The trust store as the gate believes it, whole or not at all.
import type {TrustFile} from './ports.ts'
import {walkTrustChain, type TrustLink, type TrustMark} from './trust-chain.ts'
import {refuseTrust, type TrustRefusal} from './trust-problem.ts'
import {createTrustSnapshot, type TrustSnapshot} from './trust-snapshot.ts'

export type {TrustLink, TrustMark}

export type TrustReading = {readonly trust: TrustSnapshot} | {readonly refusal: TrustRefusal}

export function loadTrust(
  files: readonly TrustFile[],
  genesis: string,
  nowMs: number,
  mark: TrustMark,
): TrustReading {
  const {trust, refusal} = reviewTrust(files, genesis, nowMs, mark)
  if (refusal) return {refusal}
  if (trust) return {trust}
  throw new Error('a trust store is believed or refused')
}

export interface TrustReview {
  /** Every version that holds. */
  readonly links: readonly TrustLink[]
  /** Of a chain that holds from end to end, even if it has expired: what must be renewed must be readable. */
  readonly trust?: TrustSnapshot
  /** Why the gate does not believe it. */
  readonly refusal?: TrustRefusal
}

export function reviewTrust(
  files: readonly TrustFile[],
  genesis: string,
  nowMs: number,
  mark: TrustMark,
): TrustReview {
  const {links, problem} = walkTrustChain(files, {genesis, nowMs, mark})
  if (problem) return {links, refusal: refuseTrust(problem.kind, problem.message)}
  const head = links.at(-1)
  if (!head) return {links, refusal: refuseTrust('missing', 'the trust store has no version 1')}
  const trust = createTrustSnapshot(head.document, head.hash)
  if (nowMs < head.document.expiresMs) return {links, trust}
  const message = `version ${trust.version} of the trust store has expired: the recovery role must sign a new one`
  return {links, trust, refusal: refuseTrust('expired', message)}
}
