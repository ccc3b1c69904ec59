// The shapes of the files in test/fixtures/gate; their README says what each field means.
import type {BoundAction, CanonicalValue} from '../../../src/lib/model/approval.ts'

export interface KeyVector {
  readonly title: string
  readonly line: string
  readonly expect: 'good' | 'malformed' | 'weak_key'
  readonly fingerprint?: string
}

export interface SshsigVector {
  readonly title: string
  /** The line of the one key that is pinned. */
  readonly pinned: string
  readonly require_uv?: boolean
  readonly application?: string
  readonly message: string
  readonly signature: string
  readonly expect: string
}

export interface StatementVector {
  readonly title: string
  readonly payload: string
  readonly expect: 'good' | 'malformed'
}

export interface DigestVectors {
  readonly actions: readonly {readonly action: BoundAction; readonly digest: string}[]
  readonly identities: readonly {readonly identity: IdentityVector; readonly digest: string}[]
  readonly observed: readonly {readonly guest: CanonicalValue; readonly digest: string}[]
}

export interface IdentityVector {
  readonly kind: 'lxc' | 'qemu'
  readonly vmid: number
  readonly ids: readonly string[]
}

export interface TrustVector {
  readonly title: string
  readonly now: string
  readonly genesis: string
  /** The highest version that was believed here before. */
  readonly mark: number
  readonly files: readonly {
    readonly version: number
    readonly document: string
    readonly signatures: string
  }[]
  readonly expect: 'believed' | 'trust_error'
  /** Which rule it breaks. */
  readonly why?: string
}

export interface DecisionFacts {
  readonly host: string
  readonly now: string
  readonly action: BoundAction
  readonly observed: string
  /** The title of a trust store in trust.json. */
  readonly trust: string
  readonly burned: readonly string[]
  readonly rejected: readonly string[]
}

export interface DecisionVector extends Partial<DecisionFacts> {
  readonly title: string
  readonly envelope: string
  readonly expect: string
}

export interface DecisionVectors {
  readonly facts: DecisionFacts
  readonly cases: readonly DecisionVector[]
}
