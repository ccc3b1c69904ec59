// Adds signatures to a statement, made here by ssh-keygen or brought from elsewhere. Nothing is written before our
// own verifier has found every one of them good over the exact bytes.
import {readFileSync} from 'node:fs'
import {dirname, resolve} from 'node:path'
import {judgeSignature} from '../../gate/judge-signature.ts'
import {OPERATION_NAMESPACE} from '../../gate/namespaces.ts'
import type {SignerName, Statement} from '../../model/approval.ts'
import {FelhomError} from '../../model/felhom-error.ts'
import type {Settings} from '../../settings/settings.ts'
import {joinDocument, placeOf, writeDocument, type ApprovalDocument} from './gate-documents.ts'
import {describeSignatures, judgeWorth, readJudgeFacts, type Worth} from './gate-judge.ts'
import type {UpkeepRequest} from '../journal/journal-upkeep.ts'
import {signWithSshKeygen} from './run-ssh-keygen.ts'
import {withSigningLock} from './with-signing-lock.ts'

export {OPERATION_NAMESPACE}

export interface SavePlace {
  readonly settings: Pick<Settings, 'state' | 'trust' | 'approvals'>
  readonly cwd: string
  /** In place of the approvals directory. */
  readonly out: string | undefined
  readonly nowMs: number
  readonly upkeep: Omit<UpkeepRequest, 'settings' | 'warn'>
}

export interface SignRequest extends SavePlace {
  readonly document: ApprovalDocument
  readonly key: string
  readonly env: NodeJS.ProcessEnv
}

export interface SavedApproval extends Worth {
  readonly file: string
  readonly digest: string
  readonly nonce: string
  readonly signers: readonly SignerName[]
  /** The command that carries it out, once enough people have signed. */
  readonly next: string
}

export async function signApproval(request: SignRequest): Promise<SavedApproval> {
  const {document, key, cwd, env} = request
  // Where it belongs is settled first: nobody shall be asked for a PIN in vain.
  const file = findPlace(document, request)
  const {armoured, fingerprint} = await signWithSshKeygen({
    ...{key, cwd, env, signal: request.upkeep.signal},
    namespace: OPERATION_NAMESPACE,
    bytes: document.payload,
  })
  if (describeSignatures(document).some((signature) => signature.fingerprint === fingerprint))
    throw new FelhomError('usage', `the key ${fingerprint} has signed it already`, {
      hint: 'Thresholds count people: somebody else must sign.',
      doubt: 'Nothing was written.',
    })
  return save({...document, signatures: [...document.signatures, armoured]}, file, request)
}

/** Signatures that were made with ssh-keygen -Y sign over the statement's file. */
export function submitSignatures(
  document: ApprovalDocument,
  files: readonly string[],
  place: SavePlace,
): Promise<SavedApproval> {
  const known = new Set(describeSignatures(document).map(({fingerprint}) => fingerprint))
  const added = files.flatMap((name) => {
    const {armoured, fingerprint} = readSignature(resolve(place.cwd, name), document)
    if (known.has(fingerprint)) return []
    known.add(fingerprint)
    return [armoured]
  })
  const {signatures} = document
  return save({...document, signatures: [...signatures, ...added]}, findPlace(document, place), place)
}

const MOST_BYTES = 16 * 1024

function readSignature(file: string, {payload}: ApprovalDocument): {armoured: string; fingerprint: string} {
  let armoured: string
  try {
    armoured = readFileSync(file, 'latin1')
  } catch (error) {
    throw badSignature(file, (error as NodeJS.ErrnoException).code ?? String(error))
  }
  if (armoured.length > MOST_BYTES) throw badSignature(file, 'it is too long')
  const judged = judgeSignature(armoured, OPERATION_NAMESPACE, payload)
  if ('problem' in judged) throw badSignature(file, judged.problem)
  return {armoured, fingerprint: judged.fingerprint}
}

const badSignature = (file: string, why: string): FelhomError =>
  new FelhomError('signing_failed', `the signature ${file} cannot be taken: ${why}`, {
    hint: `It must be made over the statement's own file: ssh-keygen -Y sign -f KEY -n ${OPERATION_NAMESPACE} FILE`,
    doubt: 'Nothing was written.',
  })

/** A statement becomes an approval beside it only where somebody says so. */
function findPlace({file, statement, signatures}: ApprovalDocument, {settings, cwd, out}: SavePlace): string {
  if (out !== undefined) return resolve(cwd, out)
  return file !== undefined && signatures.length > 0 ? file : placeOf(settings, statement)
}

async function save(
  document: ApprovalDocument,
  file: string,
  {settings, nowMs, upkeep}: SavePlace,
): Promise<SavedApproval> {
  const facts = await readJudgeFacts(settings, nowMs)
  // By itself first: what can never be taken waits for nobody.
  judgeWorth(document, facts)
  return withSigningLock({...upkeep, settings}, () => {
    const joined = joinDocument(document, file)
    const worth = judgeWorth(joined, facts)
    writeDocument(joined, file)
    const {digest, statement} = joined
    return {...worth, file, digest, nonce: statement.nonce, next: describeNext(statement, file, settings)}
  })
}

/** What no file asks for has a command of its own. */
function describeNext(
  {op, target: {kind, vmid}, params}: Statement,
  file: string,
  {approvals}: SavePlace['settings'],
): string {
  const {snapshot} = params
  const isSnapshot = op === 'snapshot.delete' || op === 'snapshot.rollback'
  const command =
    isSnapshot && typeof snapshot === 'string'
      ? `felhom ${op.replace('.', ' ')} ${kind}/${vmid} ${snapshot}`
      : 'felhom apply'
  return dirname(file) === approvals ? command : `${command} --approval ${file}`
}
