// Certificates for loopback servers of tests: good ones, expired ones, ones for another host.
import {webcrypto, X509Certificate} from 'node:crypto'
import {provideReflectMetadata} from '../../src/lib/sandbox/server/reflect-metadata.ts'

export interface Authority {
  readonly pem: string
  issue(options?: IssueOptions): Promise<Identity>
}

export interface IssueOptions {
  /** Default: localhost and 127.0.0.1. */
  readonly hosts?: readonly string[]
  readonly expired?: boolean
}

export interface Identity {
  readonly cert: string
  readonly key: string
  /** SHA-256, AB:CD:… */
  readonly fingerprint: string
}

const ALGORITHM = {name: 'ECDSA', namedCurve: 'P-256', hash: 'SHA-256'} as const
const DAY_MS = 86_400_000

export async function createAuthority(name = 'felhom test CA'): Promise<Authority> {
  provideReflectMetadata()
  const x509 = await import('@peculiar/x509')
  x509.cryptoProvider.set(webcrypto)
  const caKeys = await newKeys()
  const ca = await x509.X509CertificateGenerator.createSelfSigned({
    name: `CN=${name}`,
    keys: caKeys,
    signingAlgorithm: ALGORITHM,
    notBefore: new Date(Date.now() - 10 * DAY_MS),
    notAfter: new Date(Date.now() + DAY_MS),
    extensions: [new x509.BasicConstraintsExtension(true, 0, true)],
  })
  const issue = async ({hosts = ['localhost', '127.0.0.1'], expired = false}: IssueOptions = {}) => {
    const keys = await newKeys()
    const certificate = await x509.X509CertificateGenerator.create({
      subject: 'CN=node',
      issuer: ca.subject,
      signingKey: caKeys.privateKey,
      publicKey: keys.publicKey,
      signingAlgorithm: ALGORITHM,
      notBefore: new Date(Date.now() - 5 * DAY_MS),
      notAfter: new Date(Date.now() + (expired ? -DAY_MS : DAY_MS)),
      extensions: [
        new x509.SubjectAlternativeNameExtension(
          hosts.map((value) => ({type: /^[\d.]+$/.test(value) ? 'ip' : 'dns', value}) as const),
        ),
      ],
    })
    const cert = certificate.toString('pem')
    const pkcs8 = await webcrypto.subtle.exportKey('pkcs8', keys.privateKey)
    const key = x509.PemConverter.encode(pkcs8, 'PRIVATE KEY')
    return {cert, key, fingerprint: new X509Certificate(cert).fingerprint256}
  }
  return {pem: ca.toString('pem'), issue}
}

const newKeys = (): Promise<webcrypto.CryptoKeyPair> =>
  webcrypto.subtle.generateKey(ALGORITHM, true, ['sign', 'verify'])
