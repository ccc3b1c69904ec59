// For mutation testing alone, which runs one mutant after the other in the same process: the reader of trust files
// remembers keys, and what a mutant made it remember would catch the next one. It forgets when it has seen too many.
import canonicalize from 'canonicalize'
import {decodeTrust} from '../../src/lib/gate/trust-decode.ts'
import {forgeKey} from './forge-keys.ts'
import {wireString} from './wire-string.ts'

const MORE_THAN_REMEMBERED = 1100
const KEYS_OF_A_FILE = 110

interface MutantSwitch {
  activeMutant?: string | undefined
}

const [alice, safe] = [forgeKey('ed25519', 'alice'), forgeKey('ed25519', 'safe')]
const files = Array.from({length: MORE_THAN_REMEMBERED / KEYS_OF_A_FILE}, (_, file) =>
  writeFile(Array.from({length: KEYS_OF_A_FILE}, (_key, key) => writeKey(file * KEYS_OF_A_FILE + key))),
)

/** No key of anybody, but read like one, and quickly: RSA with an odd number for its modulus. */
function writeKey(number: number): string {
  const modulus = Buffer.alloc(385, 1)
  modulus.writeUInt32BE(0x00ff0000)
  modulus.writeUInt32BE(number, 8)
  const parts = ['ssh-rsa', Buffer.from([1, 0, 1]), modulus].map((part) => wireString(part))
  return `ssh-rsa ${Buffer.concat(parts).toString('base64')}`
}

function writeFile(revoked: readonly string[]): Buffer {
  const signers = [
    {principal: 'alice', key: alice.line, role: 'operational'},
    {principal: 'safe', key: safe.line, role: 'recovery'},
  ].map((signer) => ({...signer, not_before: null, not_after: null, require_uv: false, application: null}))
  const expires = '2030-01-01T00:00:00Z'
  const thresholds = {default: 1, recovery: 1}
  return Buffer.from(canonicalize({version: 1, prev: null, expires, thresholds, revoked, signers}) ?? '')
}

before('the keys that another mutant read are forgotten', () => {
  const mutants = (globalThis as {__stryker__?: MutantSwitch}).__stryker__
  const active = mutants?.activeMutant
  if (!mutants || active === undefined) return
  mutants.activeMutant = undefined
  for (const file of files) decodeTrust(file)
  mutants.activeMutant = active
})
