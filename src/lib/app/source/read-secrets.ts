// Reads the secrets of a new guest from where the files say they are kept, at the moment the request is made. The
// values go to the request and nowhere else; an error names the place, never what stands there.
import {readFileSync} from 'node:fs'
import type {DesiredGuest, SecretSource} from '../../model/desired.ts'
import {FelhomError} from '../../model/felhom-error.ts'
import {formatGuestId} from '../../model/guest.ts'
import {readPrivateFile} from '../../store/private-file.ts'

const MAX_BYTES = 64 * 1024
/** Public keys are often kept in a file, and everybody may read it. */
const PUBLIC_OPTIONS: ReadonlySet<string> = new Set(['ssh-public-keys', 'sshkeys'])

/** The values of these options of that guest, by option. */
export function readSecrets(
  desired: DesiredGuest,
  options: readonly string[],
  env: NodeJS.ProcessEnv,
): Record<string, string> {
  const values: Record<string, string> = Object.create(null) as Record<string, string>
  for (const option of options) {
    const source = secretSource(desired, option)
    if (!source) throw homeless(desired, option)
    const value = 'file' in source ? fromFile(source.file, option) : fromVariable(source.env, env)
    if ('problem' in value) throw unreadable(desired, option, value)
    values[option] = value.text
  }
  return values
}

/** Where the files say that this option's value is kept; undefined: it is no secret there. */
export function secretSource({create, options}: DesiredGuest, option: string): SecretSource | undefined {
  if (option === 'password') return create?.password
  if (option === 'ssh-public-keys') return typeof create?.sshKeys === 'object' ? create.sshKeys : undefined
  const value = options.get(option)?.value
  return value?.is === 'secret' ? value.from : undefined
}

type Found = {text: string} | {problem: string; mend: string}

function fromFile(path: string, option: string): Found {
  const bytes = PUBLIC_OPTIONS.has(option) ? readPublicFile(path) : readPrivate(path)
  if ('problem' in bytes) return bytes
  // Editors end a file with a line break, which is no part of the secret.
  const text = Buffer.from(bytes.bytes)
    .toString('utf8')
    .replace(/\r?\n$/, '')
  return text === '' ? {problem: `${path} is empty`, mend: 'write the secret into it'} : {text}
}

const readPrivate = (path: string): ReturnType<typeof readPrivateFile> =>
  readPrivateFile(path, {maxBytes: MAX_BYTES, mayGroupRead: true})

function readPublicFile(path: string): ReturnType<typeof readPrivateFile> {
  try {
    return {bytes: readFileSync(path)}
  } catch (error) {
    const code = (error as NodeJS.ErrnoException).code ?? 'unknown'
    return {problem: `${path} cannot be read (${code})`, mend: 'check the path and who may read it'}
  }
}

function fromVariable(name: string, env: NodeJS.ProcessEnv): Found {
  const text = env[name]
  return text
    ? {text}
    : {problem: `the variable ${name} is not set`, mend: 'set it in the environment of felhom'}
}

const unreadable = (
  desired: DesiredGuest,
  option: string,
  {problem, mend}: {problem: string; mend: string},
): FelhomError =>
  new FelhomError(
    'secret_missing',
    `${option} of ${formatGuestId(desired)} is a secret that cannot be read: ${problem}`,
    {hint: `To mend it: ${mend}.`, doubt: 'Nothing was sent for this guest.'},
  )

const homeless = (desired: DesiredGuest, option: string): FelhomError =>
  new FelhomError(
    'secret_missing',
    `${option} of ${formatGuestId(desired)} is a secret, and the desired state does not say where it is kept`,
    {hint: 'Write {fromFile: PATH} or {fromEnv: NAME}.', doubt: 'Nothing was sent for this guest.'},
  )
