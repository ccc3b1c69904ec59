// A certificate authority of its own for each sandbox, so that clients verify TLS as they would in earnest.
import {X509Certificate, webcrypto} from 'node:crypto'
import {provideReflectMetadata} from './reflect-metadata.ts'

export interface ServerIdentity {
  caPem: string
  certPem: string
  keyPem: string
  /** SHA-256 of the server certificate, AB:CD:…, as Proxmox prints it. */
  fingerprint: string
}

const ALGORITHM = {name: 'ECDSA', namedCurve: 'P-256', hash: 'SHA-256'} as const
const DAY_MS = 24 * 60 * 60 * 1000
const VALID_DAYS = 5 * 365

export async function makeServerIdentity(): Promise<ServerIdentity> {
  provideReflectMetadata()
  const x509 = await import('@peculiar/x509')
  x509.cryptoProvider.set(webcrypto)
  const newKeys = (): Promise<webcrypto.CryptoKeyPair> =>
    webcrypto.subtle.generateKey(ALGORITHM, true, ['sign', 'verify'])
  const [caKeys, keys] = await Promise.all([newKeys(), newKeys()])
  const period = {
    notBefore: new Date(Date.now() - DAY_MS),
    notAfter: new Date(Date.now() + VALID_DAYS * DAY_MS),
  }
  const ca = await x509.X509CertificateGenerator.createSelfSigned({
    name: 'CN=felhom sandbox CA',
    keys: caKeys,
    signingAlgorithm: ALGORITHM,
    ...period,
    extensions: [
      new x509.BasicConstraintsExtension(true, 0, true),
      new x509.KeyUsagesExtension(x509.KeyUsageFlags.keyCertSign | x509.KeyUsageFlags.cRLSign, true),
      await x509.SubjectKeyIdentifierExtension.create(caKeys.publicKey),
    ],
  })
  const certificate = await x509.X509CertificateGenerator.create({
    subject: 'CN=localhost',
    issuer: ca.subject,
    signingKey: caKeys.privateKey,
    publicKey: keys.publicKey,
    signingAlgorithm: ALGORITHM,
    ...period,
    extensions: [
      new x509.BasicConstraintsExtension(false, undefined, true),
      new x509.KeyUsagesExtension(x509.KeyUsageFlags.digitalSignature, true),
      new x509.ExtendedKeyUsageExtension([x509.ExtendedKeyUsage.serverAuth]),
      new x509.SubjectAlternativeNameExtension([
        {type: 'dns', value: 'localhost'},
        {type: 'ip', value: '127.0.0.1'},
        {type: 'ip', value: '::1'},
      ]),
      await x509.AuthorityKeyIdentifierExtension.create(caKeys.publicKey),
    ],
  })
  const certPem = certificate.toString('pem')
  const key = await webcrypto.subtle.exportKey('pkcs8', keys.privateKey)
  return {
    caPem: ca.toString('pem'),
    certPem,
    keyPem: x509.PemConverter.encode(key, 'PRIVATE KEY'),
    fingerprint: fingerprintOf(certPem),
  }
}

export const fingerprintOf = (certPem: string): string => new X509Certificate(certPem).fingerprint256
