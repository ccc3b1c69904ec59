// What of a pass a person may have to know, and what a pass says nothing about. Pure.
import type {RefusalCode} from '../../../model/approval.ts'
import type {JobResult, PassReport} from '../../../model/daemon.ts'
import {showDuration, showTime} from '../../../report/journal-times.ts'
import {describeBody, nameTarget} from '../../../report/journal-words.ts'
import {plural} from '../../../report/plural.ts'
import {failureMatters, driftMatters, signatureMatters} from './guest-matters.ts'
import {digest, endSentence, type Matter} from './matter.ts'

export interface MatterOptions {
  readonly staleAfterMs: number
  readonly trustWarningMs: number
  /** Since when there is a source that was never good. */
  readonly neverGoodSinceMs?: number
}

export const findMatters = (report: PassReport, options: MatterOptions): readonly Matter[] => [
  ...driftMatters(report),
  ...failureMatters(report),
  ...signatureMatters(report),
  ...quarantineMatters(report),
  ...sourceMatters(report, options),
  ...trustMatters(report, options),
  ...passMatters(report),
  ...disarmedMatters(report),
  ...idleJobMatters(report),
]

const quarantineMatters = ({open}: PassReport): Matter[] =>
  open
    .filter(({state}) => state === 'quarantined')
    .map(({intent, reason}) => {
      const {kind, vmid} = intent.target
      const subject = `${nameTarget(intent)}: ${describeBody(intent.body)}`
      return {
        kind: 'quarantine',
        key: `quarantine:${intent.op}`,
        // A job may be about no guest at all.
        ...(vmid > 0 && {guest: {kind, vmid}}),
        text: `${endSentence(`${subject} is in quarantine: ${reason ?? 'how it ended is not known'}`)} Operation ${intent.op}; see: felhom journal show ${intent.op}`,
        over: `${subject} (operation ${intent.op}) is no longer in quarantine.`,
      }
    })

function sourceMatters({source, endedMs}: PassReport, options: MatterOptions): Matter[] {
  if (!source || source.state === 'fresh') return []
  const {place, state, problem, revision, refusedRevision} = source
  const why = problem === undefined ? '' : `: ${problem}`
  const used =
    revision === undefined ? 'There is no earlier state to use.' : `Revision ${revision} is used instead.`
  const matters: Matter[] = []
  if (state === 'refused') {
    matters.push({
      kind: 'source_refused',
      key: `source_refused:${refusedRevision ?? digest(problem ?? '')}`,
      text: `${endSentence(`What the source ${place} offers is refused${why}`)} ${used}`,
      over: `The source ${place} no longer offers ${refusedRevision === undefined ? 'what was refused' : `the refused revision ${refusedRevision}`}.`,
    })
  }
  const sinceMs = source.goodAtMs ?? options.neverGoodSinceMs
  if (sinceMs !== undefined && endedMs - sinceMs > options.staleAfterMs) {
    matters.push({
      kind: 'source_stale',
      key: 'source_stale',
      text: `${endSentence(`The source ${place} has not been good since ${showTime(sinceMs)}, ${showDuration(endedMs - sinceMs)} ago${why}`)} ${used}`,
      over: `The source ${place} is no longer stale.`,
    })
  }
  return matters
}

function trustMatters({trust, endedMs}: PassReport, {trustWarningMs}: MatterOptions): Matter[] {
  if (!trust || trust.expiresMs - endedMs > trustWarningMs) return []
  const {version, expiresMs} = trust
  const verb = expiresMs <= endedMs ? 'has expired' : 'expires'
  return [
    {
      kind: 'trust_expiring',
      key: `trust_expiring:${version}`,
      text: `Version ${version} of the trust store ${verb} at ${showTime(expiresMs)}; from then on no signature counts. Make the next version: felhom gate trust rotate`,
      over: `Version ${version} of the trust store is no longer about to expire, or no longer in force.`,
    },
  ]
}

const passMatters = ({problem}: PassReport): Matter[] =>
  problem === undefined
    ? []
    : [
        {
          kind: 'pass_failing',
          key: 'pass_failing',
          text: `${endSentence(`A pass could not be made or ended (${problem.code}): ${problem.message}`)} The next one is tried as always.`,
          over: 'A pass has ended well again.',
        },
      ]

const MOST_NAMED = 5

function disarmedMatters({disarmed}: PassReport): Matter[] {
  if (disarmed.length === 0) return []
  const named = disarmed.slice(0, MOST_NAMED).join(', ')
  const more = disarmed.length > MOST_NAMED ? ` and ${disarmed.length - MOST_NAMED} more` : ''
  return [
    {
      kind: 'disarmed',
      key: 'disarmed',
      text: `Proxmox shows ${plural(disarmed.length, 'task')} of this token that the journal does not know: ${named}${more}. Nothing that can lose data is done until somebody has looked: felhom journal rearm`,
      over: 'The journal is armed again.',
    },
  ]
}

/**
 * Whether our own records know the job. What is refused before, or found to be done already, may be signed by nobody:
 * whoever can write to the source can make as many of these as he likes.
 */
export const isProven = ({operation, refusal}: JobResult): boolean =>
  operation !== undefined || refusal === 'replay'

/** A job that may still be done has not ended. */
const WAITING: readonly (RefusalCode | undefined)[] = [
  'pending_signature',
  'clock_error',
  'trust_error',
  'store_error',
  'disarmed',
  'limit_reached',
  'rule_failed',
  'withheld',
]

export function hasEnded({outcome, refusal, operation}: JobResult): boolean {
  if (outcome === 'refused') return !WAITING.includes(refusal)
  // Before anything was sent for it: the next pass tries it again. Once it was, its signature is used.
  if (outcome === 'failed' || outcome === 'stale') return operation !== undefined
  return outcome === 'succeeded' || outcome === 'satisfied'
}

/** One matter, however many there are. */
function idleJobMatters({jobs}: PassReport): Matter[] {
  const idle = jobs.filter((job) => hasEnded(job) && !isProven(job))
  if (idle.length === 0) return []
  const reasons = [...new Set(idle.map(({outcome, refusal}) => refusal ?? outcome))].sort().join(', ')
  return [
    {
      kind: 'job_ended',
      key: 'job_ended:idle',
      text: `The source carries ${plural(idle.length, 'job')} that nothing is done for (${reasons}): ${nameNonces(idle)}.`,
      over: 'The source no longer carries jobs that nothing is done for.',
    },
  ]
}

function nameNonces(jobs: readonly JobResult[]): string {
  const named = jobs.slice(0, MOST_NAMED).map(({nonce, op}) => `${op} ${nonce}`)
  const more = jobs.length > MOST_NAMED ? ` and ${jobs.length - MOST_NAMED} more` : ''
  return named.join(', ') + more
}
