// What somebody is about to sign: the statement for one action of the live plan, made from what is there now, or one
// that others have signed already and that still holds.
import {randomBytes} from 'node:crypto'
import type {SignatureNeed} from '../../gate/gate.ts'
import {Malformed} from '../../gate/ssh-wire.ts'
import {encodeStatement} from '../../gate/statement.ts'
import {verifyApproval} from '../../gate/verify-approval.ts'
import type {TrustSnapshot} from '../../gate/trust-snapshot.ts'
import {encodeEnvelope} from '../../gate/envelope.ts'
import type {Statement} from '../../model/approval.ts'
import {FelhomError} from '../../model/felhom-error.ts'
import {formatGuestId} from '../../model/guest.ts'
import type {Settings} from '../../settings/settings.ts'
import {openInstallId} from '../../store/install-id.ts'
import {openStateDirectory} from '../../store/open-state-directory.ts'
import {shortId} from './gate-check.ts'
import {findDocuments, toDocument, type ApprovalDocument} from './gate-documents.ts'
import {readJudgeFacts} from './gate-judge.ts'
import {lookAtGate, type GateEntry, type LookRequest} from './gate-look.ts'

const [MIN_LIFETIME_MS, MAX_LIFETIME_MS] = [60_000, 24 * 3_600_000]

export interface DraftRequest extends LookRequest {
  /** Beginning of the digest; undefined: the one action of the plan that needs a signature. */
  readonly id: string | undefined
  readonly lifetimeMs: number
  readonly reason: string | undefined
}

export interface Draft {
  readonly document: ApprovalDocument
  /** What the operator types to show that it is the guest that was meant. */
  readonly word: string
}

interface Needed {
  readonly entry: GateEntry
  readonly need: SignatureNeed
  readonly trust: TrustSnapshot
}

export async function draftApproval(request: DraftRequest): Promise<Draft> {
  const {settings, nowMs, lifetimeMs} = request
  if (lifetimeMs < MIN_LIFETIME_MS || lifetimeMs > MAX_LIFETIME_MS)
    throw refused('an approval lasts at least a minute and at most 24 hours', 'See --expires-in.')
  const needed = await findNeed(request)
  const {guest} = needed.entry
  const dir = await openStateDirectory(settings.state)
  const host = openInstallId(dir)
  const open = await findOpenApproval(needed, settings, nowMs)
  if (open && request.reason !== undefined) throw alreadyWorded(open)
  return {document: open ?? makeDocument(needed, host, request), word: guest.name ?? formatGuestId(guest)}
}

async function findNeed(request: DraftRequest): Promise<Needed> {
  const {entries, trust} = await lookAtGate(request)
  if (!trust) throw refused('no signer is pinned', 'Make a trust store first: felhom gate trust init')
  const signable = entries.flatMap((entry) => {
    const {need} = entry.inspection
    return need ? [{entry, need, trust}] : []
  })
  const {id} = request
  const found = id === undefined ? signable : signable.filter(({need}) => digits(need.action).startsWith(id))
  const [only, ...others] = found
  if (!only) throw nothingNeeded(id, entries)
  if (others.length > 0) throw refused(`${id ?? 'this'} is the beginning of ${found.length} actions`, LIST)
  if (only.entry.inspection.approved) throw refused('it is signed already', 'Carry it out with: felhom apply')
  return only
}

const digits = (action: string): string => action.slice('sha256:'.length)

const LIST = 'See those that wait with: felhom gate pending'

/** Of an action without a need the reason is told by the gate. */
function nothingNeeded(id: string | undefined, entries: readonly GateEntry[]): FelhomError {
  const why = entries.find(({inspection}) => inspection.refusal)?.inspection.refusal?.message
  if (id === undefined) return refused(`no signature can be made for it: ${why ?? 'it needs none'}`, LIST)
  return refused(`no action of the live plan that can be signed for begins with ${id}`, LIST)
}

/** For this action on this guest as it is now, good, and short of people alone. */
async function findOpenApproval(
  {need, trust}: Needed,
  settings: Settings,
  nowMs: number,
): Promise<ApprovalDocument | undefined> {
  const {host, nonces} = await readJudgeFacts(settings, nowMs)
  // What is broken there is left for apply to tell; a new statement does not need it.
  return findDocuments(settings, shortId(need.action), () => undefined).find((document) => {
    const result = verifyApproval(Buffer.from(encodeEnvelope(document)), {
      bound: need.bound,
      observed: need.observed,
      host: host ?? '',
      nowMs,
      trust,
      nonceState: (nonce) => nonces.state(nonce),
    })
    return 'refusal' in result && result.refusal.signed !== undefined
  })
}

function makeDocument({need, trust}: Needed, host: string, request: DraftRequest): ApprovalDocument {
  const {nowMs, lifetimeMs, reason = ''} = request
  const iatMs = Math.floor(nowMs / 1000) * 1000
  const statement: Statement = {
    ...need.bound,
    host,
    action: need.action,
    observed: need.observed,
    nonce: randomBytes(16).toString('base64url'),
    iatMs,
    expMs: iatMs + Math.floor(lifetimeMs / 1000) * 1000,
    trust: trust.version,
    reason: reason.normalize('NFC'),
  }
  try {
    return toDocument(encodeStatement(statement), [])
  } catch (error) {
    if (!(error instanceof Malformed)) throw error
    throw refused(
      `no statement can be made of it: ${error.message}`,
      'A reason is one line of at most 2,000 characters without control characters.',
    )
  }
}

const alreadyWorded = ({file}: ApprovalDocument): FelhomError =>
  refused(
    'others have signed a statement for this action already, with its own reason',
    `Add your signature to it by leaving out --reason; or take it back: felhom gate reject ${file ?? ''}`,
  )

const refused = (message: string, hint: string): FelhomError =>
  new FelhomError('usage', message, {hint, doubt: 'Nothing was signed and nothing was written.'})
