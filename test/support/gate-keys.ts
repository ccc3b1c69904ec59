// Real keys and signatures by ssh-keygen. Each key is made once per test run, in a directory that goes with the process.
import {execFileSync} from 'node:child_process'
import {mkdtempSync, readFileSync, rmSync, writeFileSync} from 'node:fs'
import {tmpdir} from 'node:os'
import {join} from 'node:path'
import {OPERATION_NAMESPACE} from '../../src/lib/gate/namespaces.ts'

export type FileKeyKind = 'ed25519' | 'ecdsa-256' | 'ecdsa-384' | 'ecdsa-521' | 'rsa'
export const FILE_KEY_KINDS: readonly FileKeyKind[] = [
  'ed25519',
  'ecdsa-256',
  'ecdsa-384',
  'ecdsa-521',
  'rsa',
]

export interface GateKey {
  readonly kind: FileKeyKind
  /** The private key, for `ssh-keygen -Y sign -f`; the public one lies beside it with `.pub`. */
  readonly file: string
  /** The public line as ssh-keygen wrote it, comment and end of line included. */
  readonly line: string
}

const keys = new Map<string, GateKey>()
let directory: string | undefined

/** A directory of this process for keys and what is signed. */
export function keyDirectory(): string {
  if (directory !== undefined) return directory
  const made = mkdtempSync(join(tmpdir(), 'felhom-gate-keys-'))
  process.on('exit', () => {
    rmSync(made, {recursive: true, force: true})
  })
  return (directory = made)
}

/** The same kind and name give the same key; no passphrase. */
export function realKey(kind: FileKeyKind = 'ed25519', name = 'operator'): GateKey {
  const known = keys.get(`${name} ${kind}`)
  if (known) return known
  const file = join(keyDirectory(), `${name}-${kind}`)
  const [type = kind, bits = kind === 'rsa' ? '3072' : undefined] = kind.split('-')
  const size = bits === undefined ? [] : ['-b', bits]
  runSshKeygen(['-q', '-t', type, ...size, '-N', '', '-C', `${name}@felhom.test`, '-f', file])
  const key = {kind, file, line: readFileSync(`${file}.pub`, 'utf8')}
  keys.set(`${name} ${kind}`, key)
  return key
}

/** `ssh-keygen -Y sign` over a fresh file, armoured. */
export function signWithSshKeygen(
  {file}: Pick<GateKey, 'file'>,
  message: Uint8Array | string,
  namespace: string = OPERATION_NAMESPACE,
  hash: 'sha256' | 'sha512' = 'sha512',
): string {
  const scratch = mkdtempSync(join(keyDirectory(), 'sign-'))
  const statement = join(scratch, 'statement')
  writeFileSync(statement, message)
  runSshKeygen(['-q', '-Y', 'sign', '-f', file, '-n', namespace, '-O', `hashalg=${hash}`, statement])
  const signature = readFileSync(`${statement}.sig`, 'utf8')
  rmSync(scratch, {recursive: true})
  return signature
}

export function runSshKeygen(args: readonly string[], input?: Uint8Array): string {
  return execFileSync('ssh-keygen', args, {
    encoding: 'utf8',
    stdio: [input ? 'pipe' : 'ignore', 'pipe', 'pipe'],
    ...(input ? {input} : {}),
  })
}
