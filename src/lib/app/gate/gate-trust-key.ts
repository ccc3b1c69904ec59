// A signer as the command line names one: `alice=keys/alice.pub`, or the file alone, whose comment names the person.
import {existsSync, readFileSync} from 'node:fs'
import {resolve} from 'node:path'
import {ingestKey} from '../../gate/ingest-key.ts'
import type {PublicKeyLine} from '../../gate/key-line.ts'
import {Malformed} from '../../gate/ssh-wire.ts'
import {isPrincipal} from '../../gate/trust-decode.ts'
import type {SignerEntry} from '../../gate/trust-document.ts'
import type {Role} from '../../model/approval.ts'
import {FelhomError} from '../../model/felhom-error.ts'

export interface NamedKey {
  readonly entry: SignerEntry
  /** Absolute. */
  readonly file: string
}

export interface KeyChoice {
  readonly cwd: string
  /** Security keys must be unlocked by PIN or fingerprint for every signature. */
  readonly requireUv: boolean
  /** The window in which the key may sign. */
  readonly notBeforeMs?: number
  readonly notAfterMs?: number
}

const NAMED = /^([^=/]+)=(.+)$/
const UNTOUCHED = 'Nothing was signed and nothing was written.'

/** Throws usage. */
export function readNamedKey(text: string, role: Role, choice: KeyChoice): NamedKey {
  const [, given, path = text] = NAMED.exec(text) ?? []
  const file = resolve(choice.cwd, path)
  const {line, comment, key} = readPublicKey(file)
  const principal = given ?? comment.toLowerCase()
  if (!isPrincipal(principal)) throw noPrincipal(principal, path)
  const {application} = key
  if (application !== undefined && !application.startsWith('ssh:'))
    throw usage(`${file} is enrolled for ${application}`, 'Only security keys of ssh: can sign here.')
  return {
    file,
    entry: {
      principal,
      role,
      keyText: line,
      notBeforeMs: choice.notBeforeMs,
      notAfterMs: choice.notAfterMs,
      requireUv: choice.requireUv && application !== undefined,
      application,
    },
  }
}

export function readPublicKey(file: string): PublicKeyLine {
  try {
    return ingestKey(readFileSync(file, 'utf8'))
  } catch (error) {
    if (error instanceof Malformed) throw notPublic(file, error)
    const {code = String(error)} = error as NodeJS.ErrnoException
    throw usage(`${file} cannot be read (${code})`, 'Name the public key: KEY.pub')
  }
}

function notPublic(file: string, {message}: Malformed): FelhomError {
  const hint = existsSync(`${file}.pub`)
    ? `Name the public key: ${file}.pub`
    : 'Make a key with: ssh-keygen -t ed25519 -C your-name'
  return usage(`${file} cannot be pinned: ${message}`, hint)
}

const noPrincipal = (principal: string, path: string): FelhomError =>
  usage(
    principal === '' ? `the key ${path} has no comment to name its person by` : `'${principal}' names nobody`,
    `Name the person, in lower case: alice=${path}`,
  )

const usage = (message: string, hint: string): FelhomError =>
  new FelhomError('usage', message, {hint, doubt: UNTOUCHED})
