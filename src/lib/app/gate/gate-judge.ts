// What an approval would be worth, judged by the gate's own verifier over the exact bytes: before it is written, so
// that nobody goes home with a signature that will be refused.
import {encodeEnvelope} from '../../gate/envelope.ts'
import {judgeSignature} from '../../gate/judge-signature.ts'
import {OPERATION_NAMESPACE} from '../../gate/namespaces.ts'
import type {TrustSnapshot} from '../../gate/trust-snapshot.ts'
import {verifyApproval} from '../../gate/verify-approval.ts'
import type {Envelope, SignerName, Statement} from '../../model/approval.ts'
import {FelhomError} from '../../model/felhom-error.ts'
import {readInstallId} from '../../store/install-id.ts'
import {readNonces} from '../../store/nonces/read-nonces.ts'
import {systemDisk} from '../../store/system-disk.ts'
import type {ApprovalDocument} from './gate-documents.ts'
import {openTrustStore, readTrustStore, type TrustSettings} from './gate-trust-store.ts'

export interface JudgeFacts {
  readonly trust: TrustSnapshot
  readonly host: string | undefined
  readonly nonces: Awaited<ReturnType<typeof readNonces>>
  readonly nowMs: number
}

export interface Worth {
  readonly signers: readonly SignerName[]
  /** None: it allows its action, as long as the guest stays as it is. */
  readonly wanting: {readonly people: number; readonly needed: number} | undefined
}

export async function readJudgeFacts(settings: TrustSettings, nowMs: number): Promise<JudgeFacts> {
  const [trust, nonces] = await Promise.all([
    openTrustStore(settings).then((store) => readTrustStore(store, nowMs)),
    readNonces({disk: systemDisk, dir: settings.state}),
  ])
  return {trust, nonces, host: readInstallId(settings.state), nowMs}
}

/** Everything but whether the guest is still as it was. Throws signing_failed for what the gate would refuse. */
export function judgeWorth(
  {payload, signatures, statement}: ApprovalDocument,
  {trust, host, nonces, nowMs}: JudgeFacts,
): Worth {
  const result = verifyApproval(Buffer.from(encodeEnvelope({payload, signatures})), {
    bound: toBound(statement),
    observed: statement.observed,
    host: host ?? '',
    nowMs,
    trust,
    nonceState: (nonce) => nonces.state(nonce),
  })
  const {signers} = result.evidence
  if ('statement' in result) return {signers, wanting: undefined}
  const {code, message, signed} = result.refusal
  if (code === 'pending_signature' && signed) return {signers, wanting: signed}
  throw new FelhomError('signing_failed', `the gate would refuse this approval (${code}): ${message}`, {
    doubt: 'Nothing was written.',
  })
}

const toBound = ({op, params, target}: Statement) => ({
  op,
  params,
  // A number written as text stays a mismatch: it is compared with what is signed.
  target: {...target, vmid: Number(target.vmid)},
})

export interface SignatureView {
  /** Undefined: it cannot even be read. */
  readonly fingerprint: string | null
  /** Over these very bytes. */
  readonly holds: boolean
  readonly problem: string | null
}

/** From the bytes alone, whoever may be pinned. */
export const describeSignatures = ({payload, signatures}: Envelope): SignatureView[] =>
  signatures.map((armoured) => {
    const judged = judgeSignature(armoured, OPERATION_NAMESPACE, payload)
    return 'problem' in judged
      ? {fingerprint: null, holds: false, problem: judged.problem}
      : {fingerprint: judged.fingerprint, holds: true, problem: null}
  })
