// Makes the connector that opens every socket to Proxmox. A socket leaves it only after the server has proved
// who it is, by the cluster's CA or by a pinned fingerprint; until then not a byte of a request is written.
import {X509Certificate} from 'node:crypto'
import {createSecureContext, TLSSocket} from 'node:tls'
import {buildConnector} from 'undici'
import {FelhomError} from '../model/felhom-error.ts'
import {connectFailure} from './transport-errors.ts'

export type TlsTrust =
  /** PEM text of the CA that signed the node certificates: /etc/pve/pve-root-ca.pem. */
  | {readonly ca: string}
  /** SHA-256 fingerprints of node certificates, in hex, with or without colons. */
  | {readonly fingerprints: readonly string[]}

export type Connector = buildConnector.connector

export function createConnector(trust: TlsTrust, timeoutMs: number): Connector {
  return 'ca' in trust
    ? createCaConnector(trust.ca, timeoutMs)
    : createPinnedConnector(trust.fingerprints, timeoutMs)
}

function createCaConnector(ca: string, timeoutMs: number): Connector {
  // Stated, because NODE_TLS_REJECT_UNAUTHORIZED=0 in the environment would otherwise switch it off.
  const secure = {rejectUnauthorized: true, secureContext: createSecureContext({ca: readCertificates(ca)})}
  const connect = buildConnector({...secure, timeout: timeoutMs})
  return (options, callback) => {
    connect(options, (error, socket) => {
      if (error) callback(connectFailure(error, options.host ?? options.hostname), null)
      else callback(null, socket)
    })
  }
}

function createPinnedConnector(fingerprints: readonly string[], timeoutMs: number): Connector {
  const pins = new Set(fingerprints.map(normalizeFingerprint))
  if (pins.size === 0) throw invalidTrust('the list of pinned fingerprints is empty')
  // Node would judge by a CA that does not exist here; the judgement follows below, on the bare certificate.
  // A resumed session shows no certificate to judge, so each connection makes a full handshake.
  // The empty list of authorities spares reading Node's own, which takes longer than the handshake.
  const secure = {
    rejectUnauthorized: false,
    secureContext: createSecureContext({ca: []}),
    maxCachedSessions: 0,
  }
  const connect = buildConnector({...secure, timeout: timeoutMs})
  return (options, callback) => {
    connect(options, (error, socket) => {
      const host = options.host ?? options.hostname
      if (error) {
        callback(connectFailure(error, host), null)
        return
      }
      const presented = presentedFingerprint(socket)
      if (presented !== undefined && pins.has(presented)) {
        callback(null, socket)
        return
      }
      socket.destroy()
      callback(pinMismatch(host, presented), null)
    })
  }
}

function presentedFingerprint(socket: unknown): string | undefined {
  return socket instanceof TLSSocket ? socket.getPeerX509Certificate()?.fingerprint256 : undefined
}

function pinMismatch(host: string, presented: string | undefined): FelhomError {
  const shown =
    presented === undefined ? 'presented no certificate' : `presented the certificate ${presented}`
  return new FelhomError('tls_pin_mismatch', `${host} ${shown}, which is not pinned`, {
    hint:
      'Compare it with the fingerprint that the node itself shows (pvenode cert info); if the certificate ' +
      'was renewed, pin the new fingerprint. If not, somebody else is answering.',
    doubt: 'No request and no token was sent.',
  })
}

/** `AB:CD:…` in upper case, as Node and Proxmox write it. */
export function normalizeFingerprint(text: string): string {
  const hex = text.trim().replaceAll(':', '').toUpperCase()
  if (!/^[0-9A-F]{64}$/.test(hex)) throw invalidTrust(`not a SHA-256 fingerprint: ${JSON.stringify(text)}`)
  return hex.match(/../g)?.join(':') ?? ''
}

function readCertificates(pem: string): string[] {
  const blocks = pem.match(/-----BEGIN CERTIFICATE-----[\s\S]+?-----END CERTIFICATE-----/g) ?? []
  if (blocks.length === 0) throw invalidTrust('the CA file holds no PEM certificate')
  for (const block of blocks) assertCertificate(block)
  return blocks
}

function assertCertificate(pem: string): void {
  try {
    new X509Certificate(pem)
  } catch (cause) {
    throw invalidTrust('the CA file holds a certificate that cannot be read', cause)
  }
}

function invalidTrust(message: string, cause?: unknown): FelhomError {
  return new FelhomError('settings_invalid', message, {
    cause,
    hint: 'tls.ca takes the PEM file /etc/pve/pve-root-ca.pem of the cluster; tls.fingerprints takes SHA-256 fingerprints.',
    doubt: 'No request was sent.',
  })
}
