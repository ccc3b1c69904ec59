// What an operator signs, and its one text: canonical JSON with every field known and typed. It is read only after
// the signatures over its bytes were found good.
import {
  SIGNED_OPERATIONS,
  type CanonicalValue,
  type ClaimedTarget,
  type SignedOperation,
  type Statement,
} from '../model/approval.ts'
import {readCanonical, writeCanonical} from './canonical-json.ts'
import {readFields, readInteger, readObject, readText} from './closed-object.ts'
import {Malformed} from './ssh-wire.ts'
import {readTimestamp, writeTimestamp} from './timestamp.ts'

export const STATEMENT_TYPE = 'felhom.op.v1'
export const MAX_PAYLOAD_BYTES = 16 * 1024

const FIELDS = [
  'type',
  'host',
  'op',
  'target',
  'params',
  'action',
  'observed',
  'nonce',
  'iat',
  'exp',
  'trust',
  'reason',
] as const
const DIGEST = /^sha256:[0-9a-f]{64}$/
const HOST = /^[A-Za-z0-9._-]{1,64}$/
const KIND = /^[a-z][a-z_-]{0,31}$/
const NODE = /^[A-Za-z0-9](?:[A-Za-z0-9-]{0,61}[A-Za-z0-9])?$/
const NONCE = /^[A-Za-z0-9_-]{21}[AQgw]$/
const VMID_TEXT = /^\d{1,16}$/
const REASON = /^.{0,2000}$/su
const MAX_VMID = 999_999_999

/** Reads the signed bytes; throws Malformed. */
export function decodeStatement(bytes: Uint8Array): Statement {
  if (bytes.length > MAX_PAYLOAD_BYTES) throw new Malformed('the statement is too long')
  const fields = readFields(readCanonical(bytes), FIELDS, ['nbf'])
  if (fields.type !== STATEMENT_TYPE) throw new Malformed(`it is not of the type ${STATEMENT_TYPE}`)
  return {
    host: readText(fields.host, HOST, 'host'),
    op: readOperation(fields.op),
    target: readTarget(fields.target),
    params: readObject(fields.params),
    action: readText(fields.action, DIGEST, 'action'),
    observed: readText(fields.observed, DIGEST, 'observed'),
    nonce: readNonce(fields.nonce),
    iatMs: readTimestamp(fields.iat),
    expMs: readTimestamp(fields.exp),
    ...(fields.nbf === undefined ? {} : {nbfMs: readTimestamp(fields.nbf)}),
    trust: readInteger(fields.trust, 1, Number.MAX_SAFE_INTEGER, 'trust'),
    reason: readText(fields.reason, REASON, 'reason'),
  }
}

/** The bytes to sign; throws Malformed if they could not be read again. */
export function encodeStatement(statement: Statement): Buffer {
  const {host, op, target, params, action, observed, nonce, trust, reason, iatMs, expMs, nbfMs} = statement
  const {kind, node, vmid, identity} = target
  const text = writeCanonical({
    type: STATEMENT_TYPE,
    ...{host, op, target: {kind, node, vmid, identity}, params, action, observed, nonce, trust, reason},
    iat: writeTimestamp(iatMs),
    exp: writeTimestamp(expMs),
    ...(nbfMs === undefined ? {} : {nbf: writeTimestamp(nbfMs)}),
  })
  const bytes = Buffer.from(text, 'utf8')
  decodeStatement(bytes)
  return bytes
}

/** 128 bits in base64url: of the last character only two bits are in use. */
export const readNonce = (value: CanonicalValue): string => readText(value, NONCE, 'nonce')

function readOperation(value: CanonicalValue): SignedOperation {
  const op = SIGNED_OPERATIONS.find((known) => known === value)
  if (op === undefined) throw new Malformed('"op" is no operation that can be signed for')
  return op
}

function readTarget(value: CanonicalValue): ClaimedTarget {
  const {kind, node, vmid, identity} = readFields(value, ['kind', 'node', 'vmid', 'identity'])
  return {
    kind: readText(kind, KIND, 'kind'),
    node: readText(node, NODE, 'node'),
    vmid:
      typeof vmid === 'string' ? readText(vmid, VMID_TEXT, 'vmid') : readInteger(vmid, 0, MAX_VMID, 'vmid'),
    identity: readText(identity, DIGEST, 'identity'),
  }
}
