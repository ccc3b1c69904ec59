// Signatures over the next version of the trust store, gathered one by one: what is signed is kept at once, and the
// version comes into force with the last one that it takes.
import {readFileSync} from 'node:fs'
import {resolve} from 'node:path'
import {judgeSignature} from '../gate/judge-signature.ts'
import {TRUST_NAMESPACE} from '../gate/namespaces.ts'
import {hashTrust} from '../gate/trust-document.ts'
import type {TrustProblemKind} from '../gate/trust-problem.ts'
import {reviewTrust} from '../gate/trust-load.ts'
import {judgeProposal, type ProposalState, type TrustHead} from '../gate/trust-proposal.ts'
import {decodeTrustSignatures, encodeTrustSignatures} from '../gate/trust-signatures.ts'
import {FelhomError, isFelhomError} from '../model/felhom-error.ts'
import type {TrustFiles, TrustVersion} from '../store/trust-files.ts'
import {describeSigned, type ProposalView} from './gate-trust-view.ts'
import {toLock} from './gate-upkeep.ts'
import type {UpkeepRequest} from './journal-upkeep.ts'
import {withGateStores} from './open-state.ts'
import {signWithSshKeygen} from './run-ssh-keygen.ts'

export interface Collecting {
  readonly cwd: string
  readonly nowMs: number
  /** Keys to sign with now: private, or public with the private half beside it or in the agent. */
  readonly keys: readonly string[]
  /** Files with signatures that were made elsewhere. */
  readonly signatureFiles: readonly string[]
  /** Where it is audited that a version came into force. */
  readonly upkeep: UpkeepRequest
}

/** What signatures are collected for. */
export interface Proposed {
  readonly files: TrustFiles
  /** In force now; undefined before version 1. */
  readonly head: TrustHead | undefined
  readonly version: TrustVersion
}

/** Throws signing_failed, usage or trust_unsafe; signatures that were good until then are kept. */
export async function collectSignatures(proposed: Proposed, collecting: Collecting): Promise<ProposalView> {
  const {files, head} = proposed
  let {version} = proposed
  let state = requireSound(head, version, collecting.nowMs)
  let file = files.writeProposal(version)
  for await (const armoured of gatherSignatures(version.bytes, collecting)) {
    version = {...version, signatures: addSignature(version, armoured)}
    state = requireSound(head, version, collecting.nowMs)
    file = files.writeProposal(version)
  }
  const isInForce = state.wanting.length === 0
  if (isInForce) await publish({...proposed, version}, state, collecting)
  return {...describeSigned(state), ...(isInForce ? {inForce: true} : {inForce: false, file})}
}

async function* gatherSignatures(
  bytes: Uint8Array,
  {cwd, keys, signatureFiles, upkeep: {signal}}: Collecting,
): AsyncGenerator<string> {
  for (const name of signatureFiles) yield readSignatureFile(resolve(cwd, name), bytes)
  for (const key of keys)
    yield (await signWithSshKeygen({key, namespace: TRUST_NAMESPACE, bytes, cwd, signal})).armoured
}

function readSignatureFile(file: string, bytes: Uint8Array): string {
  const armoured = tryReading(file)
  const judged = judgeSignature(armoured, TRUST_NAMESPACE, bytes)
  if ('problem' in judged) throw usage(`${file}: ${judged.problem}`)
  return armoured
}

function tryReading(file: string): string {
  try {
    return readFileSync(file, 'latin1')
  } catch (error) {
    throw usage(`${file} cannot be read (${(error as NodeJS.ErrnoException).code ?? String(error)})`)
  }
}

/** A key that signs again puts its new signature in the place of the old one. */
function addSignature({bytes, signatures}: TrustVersion, armoured: string): Buffer {
  const keyOf = (text: string): string => {
    const judged = judgeSignature(text, TRUST_NAMESPACE, bytes)
    return 'keyBlob' in judged ? judged.fingerprint : ''
  }
  const key = keyOf(armoured)
  const others = decodeTrustSignatures(signatures).filter((text) => keyOf(text) !== key)
  return encodeTrustSignatures([...others, armoured])
}

function requireSound(head: TrustHead | undefined, version: TrustVersion, nowMs: number): ProposalState {
  const state = judgeProposal(head, version.bytes, version.signatures, nowMs)
  if (!('refusal' in state)) return state
  const {kind, message} = state.refusal
  const hint = HINTS[kind] ?? 'If it was proposed earlier, it can be dropped with --discard.'
  throw usage(`version ${version.version} of the trust store cannot be: ${message}`, hint)
}

const HINTS: Readonly<Partial<Record<TrustProblemKind, string>>> = {
  threshold: 'Set it in the same step, with --threshold; it counts people, not keys.',
  role_empty: 'Name a key of that role in the same step.',
  expired: 'Say how long it shall hold, with --expires.',
  bad_signature: 'Sign with a key that is pinned, before the change or after it.',
}

/** Under the lock: the gate's own judgement, then the audit, because what is not in it has not happened. */
async function publish(
  {files, head, version}: Proposed,
  {hash, signed}: ProposalState,
  {nowMs, upkeep}: Collecting,
): Promise<void> {
  let isBegun = false
  const work = withGateStores(toLock(upkeep), async ({audit}) => {
    isBegun = true
    await requireAcceptable({files, head, version}, nowMs)
    const signers = [...new Set(signed.map(({principal}) => principal))]
    await audit.note({type: 'trust_changed', version: version.version, hash, signers})
    files.writeVersion(version)
    files.dropProposal(version.version)
  })
  await work.catch((error: unknown) => {
    throw isBegun ? error : explainWaiting(error, version.version)
  })
}

/** Of the version in its place behind those that are there now. */
async function requireAcceptable({files, head, version}: Proposed, nowMs: number): Promise<void> {
  files.requireFree(version.version)
  const before = head ? await files.read() : []
  const [first = version] = before
  const genesis = hashTrust(first.bytes)
  const {refusal} = reviewTrust([...before, version], genesis, nowMs, {version: before.length})
  if (refusal) throw usage(refusal.message)
}

/** Whoever has signed need not do it again. */
function explainWaiting(error: unknown, version: number): unknown {
  if (!isFelhomError(error)) return error
  const {code, message, hint = ''} = error
  return new FelhomError(code, message, {
    cause: error,
    hint: `${hint} Then: felhom gate trust ${version === 1 ? 'init' : 'rotate'}`.trim(),
    doubt: `Version ${version} of the trust store has all its signatures and is kept; it is not in force.`,
  })
}

const usage = (message: string, hint?: string): FelhomError =>
  new FelhomError('usage', message, {
    doubt: 'The trust store is as it was.',
    ...(hint !== undefined && {hint}),
  })
