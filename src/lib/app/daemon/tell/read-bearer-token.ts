// The bearer token that others must show to the daemon, or that it shows to them, from a file that nobody else reads.
import {FelhomError} from '../../../model/felhom-error.ts'
import {readPrivateFile} from '../../../store/private-file.ts'

const SHORTEST = 16

export function readBearerToken(key: string, path: string | undefined): string | undefined {
  if (path === undefined) return undefined
  const read = readPrivateFile(path, {maxBytes: 4096, mayGroupRead: true})
  if ('problem' in read) throw invalid(`${key}: ${read.problem}`, read.mend)
  const token = Buffer.from(read.bytes).toString('utf8').trim()
  // It goes into a header; and what can be guessed keeps nobody out.
  if (/^[\x21-\x7e]+$/.test(token) && token.length >= SHORTEST) return token
  throw invalid(
    `${key}: ${path} holds no token of ${SHORTEST} or more printable characters without spaces`,
    `make one: openssl rand -hex 32 > ${path}`,
  )
}

const invalid = (message: string, hint: string): FelhomError =>
  new FelhomError('settings_invalid', message, {hint, doubt: 'Nothing was sent, and nothing listens there.'})
