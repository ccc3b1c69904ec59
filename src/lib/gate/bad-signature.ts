// Why a signature is not taken, for whoever made it: of a security key it may be good and yet not what is demanded.
import type {PinnedSigner} from './trust-document.ts'

/** One sentence. */
export function describeBadSignature({principal, key, requireUv}: PinnedSigner): string {
  const bad = `the signature of ${principal} does not hold`
  if (key.application === undefined) return bad
  return `${bad}, or was made without ${requireUv ? 'a touch and a PIN' : 'a touch'}`
}
