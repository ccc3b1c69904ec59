// The trust store as stock OpenSSH reads one, for checks that need no felhom: `ssh-keygen -Y verify -f FILE`. It knows
// no roles, thresholds or PINs; what it calls good, the gate may still refuse.
import {OPERATION_NAMESPACE, TRUST_NAMESPACE} from './namespaces.ts'
import type {PinnedSigner, TrustDocument} from './trust-document.ts'
import {writeTimestamp} from './timestamp.ts'

export function writeAllowedSigners({version, signers}: TrustDocument): string {
  const lines = signers.flatMap((signer) => [`# ${signer.role}, ${signer.fingerprint}`, writeSigner(signer)])
  return [`# felhom, version ${version} of the trust store`, ...lines, ''].join('\n')
}

function writeSigner({principal, role, keyText, notBeforeMs, notAfterMs}: PinnedSigner): string {
  // A recovery key that signs an operation must not look good anywhere.
  const namespaces = role === 'recovery' ? [TRUST_NAMESPACE] : [OPERATION_NAMESPACE, TRUST_NAMESPACE]
  const options = [
    `namespaces="${namespaces.join(',')}"`,
    ...(notBeforeMs === undefined ? [] : [`valid-after="${writeCompact(notBeforeMs)}"`]),
    ...(notAfterMs === undefined ? [] : [`valid-before="${writeCompact(notAfterMs)}"`]),
  ]
  return `${principal} ${options.join(',')} ${keyText}`
}

const writeCompact = (atMs: number): string => writeTimestamp(atMs).replaceAll(/[-:T]/g, '')

/** For `ssh-keygen -Y verify -r FILE`. */
export const writeRevokedKeys = ({revoked}: TrustDocument): string =>
  revoked.map(({keyText}) => `${keyText}\n`).join('')
