// Signatures over the next version of the trust store, gathered one by one: what is signed is kept at once, and the
// version comes into force with the last one that it takes.
import {readFileSync} from 'node:fs'
import {resolve} from 'node:path'
import {judgeSignature} from '../../gate/judge-signature.ts'
import {TRUST_NAMESPACE} from '../../gate/namespaces.ts'
import type {TrustProblemKind} from '../../gate/trust-problem.ts'
import {judgeProposal, type ProposalState, type TrustHead} from '../../gate/trust-proposal.ts'
import {decodeTrustSignatures, encodeTrustSignatures} from '../../gate/trust-signatures.ts'
import {FelhomError, isFelhomError} from '../../model/felhom-error.ts'
import type {TrustVersion} from '../../store/trust-files.ts'
import {publishVersion, type Proposed} from './gate-trust-publish.ts'
import {describeSigned, type ProposalView} from './gate-trust-view.ts'
import type {UpkeepRequest} from '../journal/journal-upkeep.ts'
import {signWithSshKeygen} from './run-ssh-keygen.ts'
import {withSigningLock} from './with-signing-lock.ts'

export interface Collecting {
  readonly cwd: string
  readonly nowMs: number
  /** Keys to sign with now: private, or public with the private half beside it or in the agent. */
  readonly keys: readonly string[]
  /** Files with signatures that were made elsewhere. */
  readonly signatureFiles: readonly string[]
  /** Who is about to be asked for a touch, a PIN or a passphrase: ssh-keygen does not say for which key. */
  readonly tell: (text: string) => void
  /** Where it is audited that a version came into force. */
  readonly upkeep: UpkeepRequest
}

/** Throws signing_failed, usage or trust_unsafe; signatures that were good until then are kept. */
export async function collectSignatures(proposed: Proposed, collecting: Collecting): Promise<ProposalView> {
  let kept = await keep(proposed, collecting, (open) => open ?? proposed.version)
  for await (const armoured of gatherSignatures(proposed.version, collecting))
    kept = await keep(proposed, collecting, (open) => addSignature(requireOpen(open), armoured))
  const {version, state, file} = kept
  const isInForce = state.wanting.length === 0
  if (isInForce) await publishVersion({...proposed, version}, state, collecting)
  return {...describeSigned(state), ...(isInForce ? {inForce: true} : {inForce: false, file})}
}

interface Kept {
  readonly version: TrustVersion
  readonly state: ProposalState
  readonly file: string
}

/** Others may have signed since it was read: what they left there is gone on with. */
function keep(
  {files, head, version: {version: number, bytes}}: Proposed,
  {nowMs, upkeep}: Collecting,
  change: (open: TrustVersion | undefined) => TrustVersion,
): Promise<Kept> {
  return withSigningLock(upkeep, () => {
    const open = files.readProposal(number)
    if (open && Buffer.compare(open.bytes, bytes) !== 0)
      throw usage(`another version ${number} was proposed meanwhile, in ${open.file}`)
    const version = change(open)
    const state = requireSound(head, version, nowMs)
    return {version, state, file: files.writeProposal(version)}
  })
}

function requireOpen(open: TrustVersion | undefined): TrustVersion {
  if (open) return open
  throw usage(
    'the version was dropped while it was being signed, or has come into force',
    'Look at it: felhom gate trust show',
  )
}

async function* gatherSignatures(
  {version, bytes}: TrustVersion,
  {cwd, keys, signatureFiles, tell, upkeep: {signal}}: Collecting,
): AsyncGenerator<string> {
  for (const name of signatureFiles) yield readSignatureFile(resolve(cwd, name), bytes)
  for (const key of keys) {
    tell(`Signing with ${key}`)
    const request = {key, namespace: TRUST_NAMESPACE, bytes, cwd, signal}
    const made = await signWithSshKeygen(request).catch((error: unknown) => {
      throw explainKept(error, version)
    })
    yield made.armoured
  }
}

/** What was proposed is there by now, and so are the signatures before this one. */
function explainKept(error: unknown, version: number): unknown {
  if (!isFelhomError(error)) return error
  const {code, message, hint} = error
  const way = `Go on with felhom gate trust ${version === 1 ? 'init' : 'rotate'} --key KEY, or drop it with --discard.`
  return new FelhomError(code, message, {
    cause: error,
    hint: hint === undefined ? way : `${hint} ${way}`,
    doubt: `Version ${version} of the trust store is proposed, with the signatures until then; it is not in force.`,
  })
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
function addSignature({version, bytes, signatures}: TrustVersion, armoured: string): TrustVersion {
  const keyOf = (text: string): string => {
    const judged = judgeSignature(text, TRUST_NAMESPACE, bytes)
    return 'keyBlob' in judged ? judged.fingerprint : ''
  }
  const key = keyOf(armoured)
  const others = decodeTrustSignatures(signatures).filter((text) => keyOf(text) !== key)
  return {version, bytes, signatures: encodeTrustSignatures([...others, armoured])}
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
  bad_signature:
    'Sign with a key that is pinned, before the change or after it; a security key must be touched, and unlocked where that is demanded.',
}

const usage = (message: string, hint?: string): FelhomError =>
  new FelhomError('usage', message, {
    doubt: 'The trust store is as it was.',
    ...(hint !== undefined && {hint}),
  })
