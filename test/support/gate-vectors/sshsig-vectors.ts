// Signatures over one message, each with what the gate makes of it when one key is pinned.
import {wireString} from '../wire-string.ts'
import {forgeKey, KEY_KINDS, wireNumber, type ForgedKey} from '../forge-keys.ts'
import {ecdsaCurves, ED25519_ORDER, toBytes, toNumber} from '../seeded-numbers.ts'
import {
  armour,
  forgeSshsig,
  packSshsig,
  signFields,
  type SigningChoice,
  type SshsigFields,
} from '../sshsig-forge.ts'
import type {SshsigVector} from './vector-types.ts'

const MESSAGE = 'what was signed'
const ed25519 = forgeKey('ed25519', 'vector')
const rsa = forgeKey('rsa', 'vector')
const ecdsa = forgeKey('ecdsa-256', 'vector')

type Made = Omit<SshsigVector, 'title' | 'message'>

const by = (
  key: ForgedKey,
  expect: string,
  choice: SigningChoice = {},
  altered: Partial<SshsigFields> = {},
  demands: Pick<SshsigVector, 'require_uv' | 'application'> = {},
): Made => ({pinned: key.line, ...demands, signature: forgeSshsig(key, MESSAGE, choice, altered), expect})

const frame = (altered: Partial<SshsigFields>, expect = 'malformed'): Made => by(ed25519, expect, {}, altered)
const good = forgeSshsig(ed25519, MESSAGE)
const armoured = (signature: string, expect = 'malformed'): Made => ({
  pinned: ed25519.line,
  signature,
  expect,
})

/** With the inner bytes of the signature changed. */
function inner(key: ForgedKey, expect: string, change: (bytes: Buffer) => Buffer): Made {
  const {signature} = signFields(key, MESSAGE)
  const start = 4 + signature.readUInt32BE(0)
  const end = start + 4 + signature.readUInt32BE(start)
  const bytes = wireString(change(signature.subarray(start + 4, end)))
  return by(
    key,
    expect,
    {},
    {signature: Buffer.concat([signature.subarray(0, start), bytes, signature.subarray(end)])},
  )
}

const changePair =
  (change: (r: bigint, s: bigint) => Buffer[]) =>
  (bytes: Buffer): Buffer => {
    const length = bytes.readUInt32BE(0)
    return Buffer.concat(
      change(toNumber(bytes.subarray(4, 4 + length)), toNumber(bytes.subarray(8 + length))),
    )
  }

const addOrder = (bytes: Buffer): Buffer => {
  const s = toNumber(Buffer.from(bytes.subarray(32)).reverse()) + ED25519_ORDER
  return Buffer.concat([bytes.subarray(0, 32), toBytes(s, 32).reverse()])
}

const ORDER = ecdsaCurves['nistp256']?.order ?? 0n

const plain: Readonly<Record<string, Made>> = {
  'ed25519 with sha256': by(ed25519, 'good', {hash: 'sha256'}),
  'rsa-sha2-256': by(rsa, 'good', {algorithm: 'rsa-sha2-256'}),
  'without the last end of line': armoured(good.slice(0, -1), 'good'),
  'by a key that is not pinned': {...by(ed25519, 'unknown_signer'), pinned: ecdsa.line},
  'for git': by(ed25519, 'wrong_namespace', {namespace: 'git'}),
  'for files': by(ed25519, 'wrong_namespace', {namespace: 'file'}),
  'for trust files': by(ed25519, 'wrong_namespace', {namespace: 'felhom-trust-v1@felhom'}),
  'for git, rewritten': by(ed25519, 'bad_signature', {namespace: 'git'}, {namespace: 'felhom-op-v1@felhom'}),
  'version 0': frame({version: 0}),
  'version 2': frame({version: 2}),
  'another magic': frame({magic: 'SSHSIX'}),
  'a reserved field that is not empty': frame({reserved: 'x'}),
  'a NUL in the namespace': frame({namespace: 'felhom-op-v1@felhom\0'}),
  'an empty namespace': frame({namespace: ''}),
  'a byte after its end': frame({trailing: Buffer.alloc(1)}),
  'the hash sha384': by(ed25519, 'malformed', {hash: 'sha384'}),
  'the hash sha1': by(ed25519, 'malformed', {hash: 'sha1'}),
  'the other hash than was signed': frame({hash: 'sha256'}, 'bad_signature'),
  'a key with a string too many': frame({key: Buffer.concat([ed25519.blob, wireString('')])}),
  CRLF: armoured(good.replaceAll('\n', '\r\n')),
  'text after its end': armoured(`${good}text\n`),
  'an empty line after its end': armoured(`${good}\n`),
  'text before it': armoured(`text\n${good}`),
  'lines of 76 columns': armoured(armour(packSshsig(signFields(ed25519, MESSAGE)), 76)),
  'no padding': armoured(
    armour(packSshsig(signFields(ed25519, MESSAGE, {namespace: 'git'}))).replace(/=+\n-/, '\n-'),
  ),
  'junk in its base64': armoured(good.replace('U1NIU0lH', 'U1NI!U0lH')),
  'S + L': inner(ed25519, 'bad_signature', addOrder),
  'ed25519 of 63 bytes': inner(ed25519, 'malformed', (bytes) => bytes.subarray(1)),
  'rsa with SHA-1': by(rsa, 'malformed', {algorithm: 'ssh-rsa'}),
  'rsa a byte too short': inner(rsa, 'malformed', (bytes) => bytes.subarray(1)),
  'rsa a byte too long': inner(rsa, 'malformed', (bytes) => Buffer.concat([Buffer.alloc(1), bytes])),
  'ecdsa with n − s': inner(
    ecdsa,
    'good',
    changePair((r, s) => [wireNumber(r), wireNumber(ORDER - s)]),
  ),
  'ecdsa with s = n': inner(
    ecdsa,
    'bad_signature',
    changePair((r) => [wireNumber(r), wireNumber(ORDER)]),
  ),
  'ecdsa with s = 0': inner(
    ecdsa,
    'malformed',
    changePair((r) => [wireNumber(r), wireString('')]),
  ),
  'ecdsa with a padded r': inner(
    ecdsa,
    'malformed',
    changePair((r, s) => [wireString(toBytes(r, 36)), wireNumber(s)]),
  ),
  'ecdsa with a third number': inner(
    ecdsa,
    'malformed',
    changePair((r, s) => [r, s, s].map((n) => wireNumber(n))),
  ),
  'ecdsa without its algorithm': by(
    ecdsa,
    'malformed',
    {},
    {signature: signFields(ecdsa, MESSAGE).signature.subarray(23)},
  ),
}

function ofSecurityKey(kind: 'sk-ed25519' | 'sk-ecdsa'): Record<string, Made> {
  const key = forgeKey(kind, 'vector')
  const own = forgeKey(kind, 'vector', {application: 'ssh:felhom'})
  const web = forgeKey(kind, 'vector', {application: 'https://example.com'})
  return {
    [`${kind} with touch and PIN, PIN demanded`]: by(key, 'good', {flags: 5}, {}, {require_uv: true}),
    [`${kind} without touch`]: by(key, 'bad_signature', {flags: 0}),
    [`${kind} with PIN but without touch`]: by(key, 'bad_signature', {flags: 4}, {}, {require_uv: true}),
    [`${kind} without PIN, PIN demanded`]: by(key, 'bad_signature', {flags: 1}, {}, {require_uv: true}),
    [`${kind} of the pinned application`]: by(own, 'good', {}, {}, {application: 'ssh:felhom'}),
    [`${kind} of another application than the pinned`]: by(
      own,
      'bad_signature',
      {},
      {},
      {application: 'ssh:'},
    ),
    [`${kind} enrolled for a web origin`]: by(web, 'bad_signature'),
    [`${kind} that signed for another application`]: by(key, 'bad_signature', {application: 'ssh:other'}),
  }
}

export function makeSshsigVectors(): SshsigVector[] {
  const kinds = KEY_KINDS.map((kind): [string, Made] => [kind, by(forgeKey(kind, 'vector'), 'good')])
  const all = [
    ...kinds,
    ...Object.entries(plain),
    ...Object.entries(ofSecurityKey('sk-ed25519')),
    ...Object.entries(ofSecurityKey('sk-ecdsa')),
  ]
  return all.map(([title, made]) => ({title, ...made, message: MESSAGE}))
}
