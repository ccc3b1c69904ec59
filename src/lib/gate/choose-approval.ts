// Which of the approvals that lie there could be for an action. The payload is looked at for a hint only, before
// anybody has checked a signature: a wrong hint costs a better message, never a verdict.
import type {BoundAction} from '../model/approval.ts'
import {actionDigest} from './digests.ts'
import type {ApprovalFile} from './ports.ts'

const NAME_DIGITS = 16

/** For this very action; for the same guest; or nobody can tell, and somebody says that it is for this. */
const NEARNESS = ['exact', 'guest', 'named'] as const
export type Nearness = (typeof NEARNESS)[number]

export interface Candidate {
  readonly file: ApprovalFile
  readonly nearness: Nearness
}

/** The nearest first. What nobody has signed is no approval (step 1). */
export function chooseApprovals(files: readonly ApprovalFile[], bound: BoundAction): Candidate[] {
  const digest = actionDigest(bound)
  const candidates = files.flatMap((file) => {
    const hint = readHint(file.bytes)
    const nearness = hint?.isUnsigned === true ? undefined : judgeNearness(file, hint, bound, digest)
    return nearness ? [{file, nearness}] : []
  })
  return candidates.sort((a, b) => NEARNESS.indexOf(a.nearness) - NEARNESS.indexOf(b.nearness))
}

/** Of what may be as long as an envelope no more is kept than tells one guest and action from another. */
interface Hint {
  readonly isUnsigned: boolean
  readonly action?: string
  readonly kind?: string
  readonly vmid?: number
}

function judgeNearness(
  {name, handedOver}: ApprovalFile,
  hint: Hint | undefined,
  {target}: BoundAction,
  digest: string,
): Nearness | undefined {
  if (hint?.action === digest) return 'exact'
  if (hint?.kind === target.kind && hint.vmid === target.vmid) return 'guest'
  if (handedOver === true) return 'named'
  return name.startsWith(digest.slice('sha256:'.length).slice(0, NAME_DIGITS)) ? 'named' : undefined
}

/** By the bytes themselves: a source may carry thousands, and plans as many actions that each is looked at for. */
const known = new WeakMap<Uint8Array, {readonly hint: Hint | undefined}>()

function readHint(bytes: Uint8Array): Hint | undefined {
  const before = known.get(bytes)
  if (before) return before.hint
  const hint = findHint(bytes)
  known.set(bytes, {hint})
  return hint
}

/** Lenient on purpose: what is malformed shall be called so by the pipeline, for the action that it was meant for. */
function findHint(bytes: Uint8Array): Hint | undefined {
  const envelope = readLoosely(Buffer.from(bytes).toString('utf8'))
  if (!envelope) return undefined
  const {payload, signatures} = envelope
  const isUnsigned = Array.isArray(signatures) && signatures.length === 0
  const statement = readLoosely(
    Buffer.from(typeof payload === 'string' ? payload : '', 'base64').toString('utf8'),
  )
  if (!statement) return {isUnsigned}
  const {action, target} = statement
  const {kind, vmid} = isRecord(target) ? target : {}
  return {
    isUnsigned,
    ...(isShort(action) && {action}),
    ...(isShort(kind) && {kind}),
    // Nothing else: to make a number of a list that is nested deeply takes more stack than there is.
    ...((typeof vmid === 'number' || isShort(vmid)) && {vmid: Number(vmid)}),
  }
}

const LONGEST = 128

const isShort = (value: unknown): value is string => typeof value === 'string' && value.length <= LONGEST

function readLoosely(text: string): Readonly<Record<string, unknown>> | undefined {
  try {
    const value: unknown = JSON.parse(text.replace(/^\uFEFF/, ''))
    return isRecord(value) ? value : undefined
  } catch {
    return undefined
  }
}

const isRecord = (value: unknown): value is Readonly<Record<string, unknown>> =>
  typeof value === 'object' && value !== null && !Array.isArray(value)
