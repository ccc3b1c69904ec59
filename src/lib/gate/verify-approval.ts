// An approval against the action that it shall allow: steps 3 to 13 of the pipeline in their locked order, over data
// that is loaded already. Nothing in the payload is read before every signature over its bytes was found good, with
// the keys that are pinned and not with those that the signatures bring along.
import type {BoundAction, Envelope, Refusal, Role, SignerName, Statement} from '../model/approval.ts'
import {describeBadSignature} from './bad-signature.ts'
import {findBindingProblem} from './check-binding.ts'
import {findTimeProblem} from './check-times.ts'
import {statementDigest} from './digests.ts'
import {decodeEnvelope} from './envelope.ts'
import {OPERATION_NAMESPACE} from './namespaces.ts'
import type {NonceState} from './ports.ts'
import {Refused} from './refused.ts'
import {findRole} from './roles.ts'
import {Malformed} from './ssh-wire.ts'
import {isSignedBy, readSshSignature, type SshSignature} from './sshsig.ts'
import {decodeStatement} from './statement.ts'
import type {PinnedSigner} from './trust-document.ts'
import type {TrustSnapshot} from './trust-snapshot.ts'

export interface ApprovalFacts {
  readonly bound: BoundAction
  /** `sha256:` of the guest as it was read immediately before. */
  readonly observed: string
  /** Install id of this agent. */
  readonly host: string
  readonly nowMs: number
  readonly trust: TrustSnapshot
  readonly nonceState: (nonce: string) => NonceState
  /** What became of an approval that was used, if the journal knows: for the message alone. */
  readonly outcomeOf?: (nonce: string) => string | undefined
}

/** What is proved of an approval by the time it is decided upon: for the audit. */
export interface Evidence {
  /** `sha256:` of the signed bytes. */
  readonly statement?: string
  readonly nonce?: string
  /** Only those whose signatures hold. */
  readonly signers: readonly SignerName[]
}

/** It may allow the action, if its nonce can be burned. */
export interface Approved {
  readonly statement: Statement
  /** `sha256:` of the signed bytes. */
  readonly digest: string
  readonly evidence: Evidence
}

export interface NotApproved {
  /** The step that stopped it. */
  readonly step: number
  readonly refusal: Refusal
  readonly evidence: Evidence
}

interface SignedPart {
  readonly signature: SshSignature
  readonly signer: PinnedSigner
}

export function verifyApproval(bytes: Uint8Array, facts: ApprovalFacts): Approved | NotApproved {
  let evidence: Evidence = {signers: []}
  try {
    const {envelope, signatures} = decode(bytes)
    const digest = statementDigest(envelope.payload)
    evidence = {...evidence, statement: digest}
    checkPresence(signatures)
    const parts = signatures.map((signature) => findSigner(signature, facts))
    checkNamespaces(parts)
    checkSignatures(parts, envelope.payload)
    evidence = {...evidence, signers: parts.map(nameSigner)}
    const statement = readPayload(envelope.payload)
    evidence = {...evidence, nonce: statement.nonce}
    checkTimes(statement, facts)
    checkHost(statement, facts)
    checkNonce(statement, facts)
    const role = checkRole(statement, parts)
    checkBinding(statement, facts)
    countPeople(statement, role, parts, facts)
    return {statement, digest, evidence}
  } catch (error) {
    if (!(error instanceof Refused)) throw error
    return {step: error.step, refusal: error.refusal, evidence}
  }
}

const nameSigner = ({signer: {principal, fingerprint}}: SignedPart): SignerName => ({principal, fingerprint})

/** Step 3. Everything is decoded, key and signature too, before anybody asks who signed. */
function decode(bytes: Uint8Array): {envelope: Envelope; signatures: readonly SshSignature[]} {
  return orMalformed(3, () => {
    const envelope = decodeEnvelope(bytes)
    return {envelope, signatures: envelope.signatures.map(readSshSignature)}
  })
}

/** Step 1, for an envelope that came without having been looked at. */
function checkPresence(signatures: readonly SshSignature[]): void {
  if (signatures.length === 0) throw new Refused(1, 'pending_signature', 'nobody has signed the approval')
}

/** Step 4: pinned by its exact bytes, not revoked, inside its window. */
function findSigner(signature: SshSignature, {trust, nowMs}: ApprovalFacts): SignedPart {
  const found = trust.findSigner(signature.keyBlob, nowMs)
  if (!('signer' in found)) throw new Refused(4, 'unknown_signer', found.message)
  return {signature, signer: found.signer}
}

/** Step 5. */
function checkNamespaces(parts: readonly SignedPart[]): void {
  if (parts.some(({signature}) => signature.namespace !== OPERATION_NAMESPACE))
    throw new Refused(5, 'wrong_namespace', `a signature is not made for ${OPERATION_NAMESPACE}`)
}

/** Step 6. One bad signature spoils the envelope: nobody can tell what it was meant to say. */
function checkSignatures(parts: readonly SignedPart[], payload: Uint8Array): void {
  for (const {signature, signer} of parts) {
    if (!isSignedBy(signer.key, signature, payload, signer.demands))
      throw new Refused(6, 'bad_signature', describeBadSignature(signer))
  }
}

/** Step 7: read for the first time. */
const readPayload = (payload: Uint8Array): Statement => orMalformed(7, () => decodeStatement(payload))

/** Step 8. */
function checkTimes(statement: Statement, {nowMs}: ApprovalFacts): void {
  const problem = findTimeProblem(statement, nowMs)
  if (problem !== undefined) throw new Refused(8, 'expired', problem)
}

/** Step 9. */
function checkHost(statement: Statement, {host}: ApprovalFacts): void {
  if (statement.host !== host)
    throw new Refused(9, 'wrong_host', 'the approval was signed for another installation')
}

/** Step 10: only looked at; it is burned last, so that nobody can waste a signature on a wrong action. */
function checkNonce({nonce}: Statement, {nonceState, outcomeOf}: ApprovalFacts): void {
  const state = nonceState(nonce)
  if (state === 'fresh') return
  if (state === 'rejected') throw new Refused(10, 'replay', 'the approval was rejected')
  const outcome = outcomeOf?.(nonce) ?? 'it allows one thing, once'
  throw new Refused(10, 'replay', `the approval was used before: ${outcome}`)
}

/** Step 11. */
function checkRole({op}: Statement, parts: readonly SignedPart[]): Role {
  const role = findRole(
    parts.map(({signer}) => signer.role),
    op,
  )
  if (!role) throw new Refused(11, 'role_denied', `not everybody who signed may sign for ${op}`)
  return role
}

/** Step 12. */
function checkBinding(statement: Statement, {bound, observed, trust}: ApprovalFacts): void {
  const problem = findBindingProblem(statement, {bound, observed, trust: trust.version})
  if (problem !== undefined) throw new Refused(12, 'binding_mismatch', problem)
}

/** Step 13: people, not keys. */
function countPeople(
  {op}: Statement,
  role: Role,
  parts: readonly SignedPart[],
  {trust}: ApprovalFacts,
): void {
  const people = new Set(parts.map(({signer}) => signer.principal)).size
  const needed = trust.thresholdFor(op, role)
  if (people < needed)
    throw new Refused(13, 'pending_signature', `${people} of ${needed} people have signed`, {people, needed})
}

function orMalformed<T>(step: number, read: () => T): T {
  try {
    return read()
  } catch (error) {
    if (!(error instanceof Malformed)) throw error
    throw new Refused(step, 'malformed', `the approval is malformed: ${error.message}`)
  }
}
