// Why felhom may refuse a signature that ssh-keygen takes: the known kinds, found by a lax reader of its own.
import type {ForgedKey} from './forge-keys.ts'
import {ED25519_ORDER, toNumber} from './seeded-numbers.ts'
import {armour} from './sshsig-forge.ts'

export const KNOWN_KINDS = [
  'its armour is not as ssh-keygen writes it',
  'its version is not 1',
  'its reserved field is not empty',
  'a name or its namespace ends in a NUL',
  'its S is not less than L',
  'its key was not touched',
  'its key was enrolled for a web origin',
  'a number is not in its shortest form',
  'its RSA signature is shorter than the key',
] as const
export type KnownKind = (typeof KNOWN_KINDS)[number]

export function explainStrictness(armoured: string, key: ForgedKey): KnownKind[] {
  const body = /-----BEGIN SSH SIGNATURE-----([^-]*)-----END/.exec(armoured)?.[1] ?? ''
  const blob = Buffer.from(body, 'base64')
  const found: Record<KnownKind, boolean> = {
    'its armour is not as ssh-keygen writes it': ![armoured, `${armoured}\n`].includes(armour(blob)),
    ...explainBlob(blob, key),
  }
  return KNOWN_KINDS.filter((kind) => found[kind])
}

function explainBlob(
  blob: Buffer,
  key: ForgedKey,
): Omit<Record<KnownKind, boolean>, 'its armour is not as ssh-keygen writes it'> {
  const version = blob.length >= 10 ? blob.readUInt32BE(6) : 1
  const [claimed = NONE, namespace = NONE, reserved = NONE, hash = NONE, signature = NONE] = strings(
    blob.subarray(10),
  )
  const [algorithm = NONE, bytes = NONE] = strings(signature)
  const names = [namespace, hash, algorithm, ...strings(claimed).slice(0, 2), ...strings(claimed).slice(-1)]
  const isEd25519 = key.kind.endsWith('ed25519')
  const {application} = key
  return {
    'its version is not 1': version !== 1,
    'its reserved field is not empty': reserved.length > 0,
    'a name or its namespace ends in a NUL': names.some((name) => name.at(-1) === 0),
    'its S is not less than L':
      isEd25519 &&
      bytes.length === 64 &&
      toNumber(Buffer.from(bytes.subarray(32)).reverse()) >= ED25519_ORDER,
    'its key was not touched': application !== undefined && ((signature.at(-5) ?? 0) & 1) === 0,
    'its key was enrolled for a web origin': application !== undefined && !application.startsWith('ssh:'),
    'a number is not in its shortest form':
      key.kind.includes('ecdsa') && strings(bytes).some((n) => isPadded(n)),
    'its RSA signature is shorter than the key': key.kind === 'rsa' && bytes.length < 384,
  }
}

const NONE = Buffer.alloc(0)

/** As many as there are. */
function strings(bytes: Buffer): Buffer[] {
  const found: Buffer[] = []
  let rest = bytes
  while (rest.length >= 4 && rest.readUInt32BE(0) <= rest.length - 4) {
    const length = rest.readUInt32BE(0)
    found.push(rest.subarray(4, 4 + length))
    rest = rest.subarray(4 + length)
  }
  return found
}

const isPadded = (number: Buffer): boolean => number[0] === 0 && ((number[1] ?? 0) & 0x80) === 0
