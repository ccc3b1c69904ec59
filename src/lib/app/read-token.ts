// Finds the API token: a file first, then a systemd credential, then the environment; never a flag. The
// secret goes to the connection and nowhere else.
import {join} from 'node:path'
import {FelhomError, isFelhomError} from '../model/felhom-error.ts'
import {ApiToken} from '../pve/api-token.ts'
import type {TokenSource} from '../settings/settings.ts'
import {readPrivateFile} from '../store/private-file.ts'

/** Looked up when the settings name no source. */
export const DEFAULT_CREDENTIAL = 'felhom-token'
export const DEFAULT_VARIABLE = 'FELHOM_TOKEN'

export const readToken = (source: TokenSource | undefined, env: NodeJS.ProcessEnv): ApiToken =>
  findToken(source, env).token

/** The token, and where it was found, in words. */
export function findToken(
  source: TokenSource | undefined,
  env: NodeJS.ProcessEnv,
): {token: ApiToken; place: string} {
  const {text, place} = source ? fromSource(source, env) : fromDefaults(env)
  try {
    return {token: ApiToken.parse(text), place}
  } catch (error) {
    if (!isFelhomError(error, 'token_invalid')) throw error
    throw new FelhomError('token_invalid', `${place} holds no API token of the form user@realm!name=secret`, {
      ...(error.hint !== undefined && {hint: error.hint}),
      doubt: 'No request was sent.',
    })
  }
}

interface Found {
  text: string
  /** In words, for messages: the text itself is never repeated. */
  place: string
}

function fromSource(source: TokenSource, env: NodeJS.ProcessEnv): Found {
  if ('file' in source) return fromFile(source.file, true)
  if ('credential' in source) {
    const dir = env['CREDENTIALS_DIRECTORY']
    if (!dir) {
      throw new FelhomError('token_missing', `there is no systemd credential '${source.credential}'`, {
        hint: 'CREDENTIALS_DIRECTORY is not set: run felhom from a unit with LoadCredential=, or use token: {file: …}.',
      })
    }
    return fromFile(join(dir, source.credential), true)
  }
  const text = env[source.env]
  if (text) return {text, place: `the variable ${source.env}`}
  throw new FelhomError('token_missing', `the variable ${source.env} is not set`, {
    hint: `Set it to user@realm!id=secret, or use token: {file: …} in felhom.yaml.`,
  })
}

function fromDefaults(env: NodeJS.ProcessEnv): Found {
  const dir = env['CREDENTIALS_DIRECTORY']
  if (dir) {
    const read = readPrivateFile(join(dir, DEFAULT_CREDENTIAL), {maxBytes: 4096, mayGroupRead: true})
    if ('bytes' in read)
      return {text: Buffer.from(read.bytes).toString('utf8'), place: `the credential ${DEFAULT_CREDENTIAL}`}
  }
  const text = env[DEFAULT_VARIABLE]
  if (text) return {text, place: `the variable ${DEFAULT_VARIABLE}`}
  throw new FelhomError('token_missing', 'no API token is configured', {
    hint: `Put user@realm!id=secret into a file of mode 0600 and name it in felhom.yaml as token: {file: …}, or set ${DEFAULT_VARIABLE}.`,
  })
}

function fromFile(path: string, mayGroupRead: boolean): Found {
  const read = readPrivateFile(path, {maxBytes: 4096, mayGroupRead})
  if ('problem' in read) throw new FelhomError('token_missing', read.problem, {hint: read.mend})
  return {text: Buffer.from(read.bytes).toString('utf8'), place: path}
}
