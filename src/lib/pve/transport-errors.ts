// What goes wrong below HTTP, in felhom's words: no connection, no trust, a broken or silent one. Which of
// the two sides of the handshake an error falls on decides whether a request can have left at all.
import {FelhomError} from '../model/felhom-error.ts'
import type {ErrorCode} from '../model/error-codes.ts'

const CERTIFICATE_ERROR =
  /^(?:CERT_|UNABLE_TO_|SELF_SIGNED_|DEPTH_ZERO_|INVALID_CA$|INVALID_PURPOSE$|PATH_LENGTH_|HOSTNAME_MISMATCH$|ERR_TLS_CERT_|CRL_)/
const HANDSHAKE_ERROR = /^(?:ERR_SSL_|ERR_TLS_|EPROTO$)/

const NOTHING_SENT = 'No request and no token was sent.'

/** An error before the socket was handed over: nothing was written. */
export function connectFailure(error: Error, host: string): FelhomError {
  const code = errorCode(error)
  if (CERTIFICATE_ERROR.test(code)) {
    return new FelhomError('tls_untrusted', `the certificate of ${host} is not trusted: ${describe(error)}`, {
      cause: error,
      hint:
        'Point tls.ca at the /etc/pve/pve-root-ca.pem of this cluster and use a host name that the ' +
        'certificate carries, or pin the certificate with tls.fingerprints.',
      doubt: NOTHING_SENT,
    })
  }
  if (HANDSHAKE_ERROR.test(code)) {
    return new FelhomError('tls_failed', `no TLS connection to ${host}: ${describe(error)}`, {
      cause: error,
      hint: 'Check that the endpoint is the HTTPS port of Proxmox, 8006 unless changed.',
      doubt: NOTHING_SENT,
    })
  }
  return new FelhomError('unreachable', `no connection to ${host}: ${describe(error)}`, {
    cause: error,
    hint: 'Check the endpoint in the settings, the network, and that pveproxy is running there.',
    doubt: NOTHING_SENT,
  })
}

/** An error on an open connection: the request may have left, its answer did not arrive whole. */
export function exchangeFailure(error: Error, what: string): FelhomError {
  if (error instanceof FelhomError) return error
  const code = exchangeCode(errorCode(error))
  // The parser's error carries the bytes it met, and those may be anything: they are not handed on.
  const cause = 'data' in error ? {} : {cause: error}
  return new FelhomError(code, `${what}: ${describe(error)}`, cause)
}

function exchangeCode(code: string): ErrorCode {
  if (code === 'UND_ERR_DESTROYED' || code === 'UND_ERR_CLOSED') return 'interrupted'
  if (code === 'UND_ERR_HEADERS_TIMEOUT' || code === 'UND_ERR_BODY_TIMEOUT') return 'timeout'
  if (code === 'UND_ERR_INVALID_ARG') return 'unexpected'
  // The parser's name for "the connection ended inside a message".
  if (code === 'HPE_INVALID_EOF_STATE') return 'connection_lost'
  if (code.startsWith('HPE_') || code === 'UND_ERR_HEADERS_OVERFLOW') return 'bad_answer'
  return 'connection_lost'
}

function errorCode(error: Error): string {
  return 'code' in error && typeof error.code === 'string' ? error.code : ''
}

/** A joint error over several addresses has a code and no message of its own. */
function describe(error: Error): string {
  const inner: unknown = error instanceof AggregateError ? error.errors[0] : undefined
  const text = error.message || (inner instanceof Error ? inner.message : '') || errorCode(error)
  return text === '' ? 'unknown error' : text
}
