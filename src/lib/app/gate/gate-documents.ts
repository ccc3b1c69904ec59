// Approvals and statements as files, for those who look at them, add a signature to them or take them back. What is
// read here is believed by nobody: only the gate decides what it is worth.
import {existsSync, mkdirSync, readdirSync} from 'node:fs'
import {dirname, join, resolve} from 'node:path'
import {statementDigest} from '../../gate/digests.ts'
import {decodeEnvelope, encodeEnvelope} from '../../gate/envelope.ts'
import {judgeSignature} from '../../gate/judge-signature.ts'
import {OPERATION_NAMESPACE} from '../../gate/namespaces.ts'
import {Malformed} from '../../gate/ssh-wire.ts'
import {decodeStatement} from '../../gate/statement.ts'
import type {Envelope, Statement} from '../../model/approval.ts'
import {FelhomError, isFelhomError} from '../../model/felhom-error.ts'
import type {Settings} from '../../settings/settings.ts'
import {readRegular} from './approval-files.ts'
import {shortId} from './gate-check.ts'
import {writeOutput} from '../write-output.ts'

export interface ApprovalDocument extends Envelope {
  /** Absolute; undefined: it is in no file yet. */
  readonly file: string | undefined
  readonly statement: Statement
  /** `sha256:` of the exact bytes that are signed. */
  readonly digest: string
}

/** An ID is the beginning of an action's digest; anything else is a file. */
export const isId = (text: string): boolean => /^[0-9a-f]{4,64}$/.test(text) && !existsSync(text)

/** An envelope, or a bare statement that nobody has signed yet. */
export function readDocument(cwd: string, name: string): ApprovalDocument {
  const file = resolve(cwd, name)
  const bytes = readRegular(file)
  if (typeof bytes === 'string') throw refused(`${file} cannot be read: ${bytes}`)
  try {
    const {payload, signatures} = looksLikeEnvelope(bytes)
      ? decodeEnvelope(bytes)
      : {payload: bytes, signatures: []}
    return toDocument(payload, signatures, file)
  } catch (error) {
    if (error instanceof Malformed) throw refused(`${file} is no approval: ${error.message}`)
    throw error
  }
}

/** Throws Malformed. */
export const toDocument = (
  payload: Uint8Array,
  signatures: readonly string[],
  file?: string,
): ApprovalDocument => ({
  file,
  payload,
  signatures,
  statement: decodeStatement(payload),
  digest: statementDigest(payload),
})

const looksLikeEnvelope = (bytes: Uint8Array): boolean =>
  Buffer.from(bytes).subarray(0, 4096).includes('"payload"')

/** Those of the approvals directory that are for this action by their names; what is none is told and left out. */
export function findDocuments(
  {approvals}: Pick<Settings, 'approvals'>,
  id: string,
  warn: (text: string) => void,
): ApprovalDocument[] {
  if (approvals === undefined || !existsSync(approvals)) return []
  return readdirSync(approvals)
    .filter((name) => name.endsWith('.json') && name.startsWith(id))
    .sort()
    .flatMap((name) => {
      try {
        return [readDocument(approvals, name)]
      } catch (error) {
        if (!isFelhomError(error, 'usage')) throw error
        warn(`Left out: ${error.message}.`)
        return []
      }
    })
}

/** The one that is meant; throws usage. */
export function findDocument(
  cwd: string,
  settings: Pick<Settings, 'approvals'>,
  name: string,
  warn: (text: string) => void,
): ApprovalDocument {
  if (!isId(name)) return readDocument(cwd, name)
  const [found, ...others] = findDocuments(settings, name, warn)
  if (!found)
    throw refused(`there is no approval ${name} in ${settings.approvals ?? 'any approvals directory'}`)
  if (others.length === 0) return found
  const files = [found, ...others].map(({file}) => `  ${file ?? ''}`).join('\n')
  throw new FelhomError('usage', `${name} is the name of ${others.length + 1} approvals`, {
    hint: `Name the file:\n${files}`,
    doubt: 'Nothing was changed.',
  })
}

/** Where an approval belongs that nobody names a file for. */
export function placeOf({approvals}: Pick<Settings, 'approvals'>, {action, nonce}: Statement): string {
  if (approvals !== undefined) return join(approvals, `${shortId(action)}-${nonce}.json`)
  throw new FelhomError('settings_invalid', 'no approvals directory is configured', {
    hint: 'Write approvals: approvals into felhom.yaml, or name a file with --out and hand it over with felhom apply --approval FILE.',
    doubt: 'Nothing was signed and nothing was written.',
  })
}

/** With the signatures that lie there for the same bytes, so that nobody's is lost; of each key the first. */
export function joinDocument(document: ApprovalDocument, file: string): ApprovalDocument {
  const earlier = existsSync(file) ? readDocument('', file) : undefined
  if (earlier && earlier.digest !== document.digest)
    throw refused(`${file} holds another approval`, 'Name another file with --out.')
  const signatures = new Map<string, string>()
  for (const armoured of [...(earlier?.signatures ?? []), ...document.signatures]) {
    const key = keyOf(armoured, document.payload)
    if (!signatures.has(key)) signatures.set(key, armoured)
  }
  return {...document, signatures: [...signatures.values()]}
}

/** What no key has made stays by itself: it is for the gate to refuse. */
function keyOf(armoured: string, payload: Uint8Array): string {
  const judged = judgeSignature(armoured, OPERATION_NAMESPACE, payload)
  return 'problem' in judged ? armoured : judged.fingerprint
}

export function writeDocument({payload, signatures}: ApprovalDocument, file: string): void {
  mkdirSync(dirname(file), {recursive: true, mode: 0o700})
  writeOutput('', file, encodeEnvelope({payload, signatures}))
}

const refused = (message: string, hint?: string): FelhomError =>
  new FelhomError('usage', message, {doubt: 'Nothing was changed.', ...(hint !== undefined && {hint})})
