// The gate of an installation: who may sign from the settings, what was used from the state directory, and what is
// laid ready from the approvals. Without pinned signers it still stands, and lets pass only what loses nothing.
import type {ClassRule} from '../../gate/classify.ts'
import {createGate, type FullGate, type Signing, type Withhold} from '../../gate/gate.ts'
import type {ApprovalFile, AuditSink, NonceStore, SnapshotReader} from '../../gate/ports.ts'
import {FelhomError} from '../../model/felhom-error.ts'
import type {Settings} from '../../settings/settings.ts'
import {TrustFiles} from '../../store/trust-files.ts'
import {ApprovalFiles} from './approval-files.ts'
import {describeUse, provenanceOf, type JournalEvidence} from './gate-evidence.ts'
import {systemClock} from '../system-clock.ts'

export interface GatePlaces {
  readonly settings: Settings
  readonly stores: {readonly nonces: NonceStore; readonly audit: AuditSink; readonly host: string}
  readonly snapshots: SnapshotReader
  /** Approvals named on the command line, absolute. */
  readonly approvalFiles: readonly string[]
  readonly warn: (text: string) => void
  /** Tasks of our token that the journal does not know. */
  readonly disarmed: () => readonly string[]
  /** Open for writing: what it proves counts, and what became of an approval is told. */
  readonly journal?: JournalEvidence
  readonly clock?: {now(): number}
  /** Approvals that came with the desired state. */
  readonly carried?: readonly ApprovalFile[]
  readonly withhold?: Withhold
  /** Of plugins. */
  readonly rules?: readonly ClassRule[]
}

export function openGate(places: GatePlaces): FullGate {
  const {settings, stores, disarmed, journal, withhold, rules} = places
  const signing = findSigning(places)
  return createGate({
    audit: stores.audit,
    disarmed,
    maxDestroy: settings.gate.maxDestroy,
    ...(journal && {provenance: provenanceOf(journal)}),
    ...(signing && {signing}),
    ...(withhold && {withhold}),
    ...(rules && {rules}),
  })
}

/** Undefined: no signer is pinned. */
function findSigning(places: GatePlaces): Signing | undefined {
  const {settings, stores, snapshots, approvalFiles, carried, warn, journal, clock = systemClock} = places
  const {dir, genesis} = settings.trust
  if (dir === undefined && genesis === undefined) return undefined
  if (dir === undefined || genesis === undefined) throw halfConfigured(dir === undefined ? 'dir' : 'genesis')
  return {
    host: stores.host,
    clock,
    trust: new TrustFiles(dir),
    genesis,
    nonces: stores.nonces,
    approvals: new ApprovalFiles({
      files: approvalFiles,
      dir: settings.approvals,
      warn,
      ...(carried && {carried}),
    }),
    snapshots,
    ...(journal && {outcomeOf: (nonce: string) => describeUse(journal, nonce)}),
  }
}

const halfConfigured = (missing: string): FelhomError =>
  new FelhomError(
    'settings_invalid',
    `the settings name one half of the trust store; trust.${missing} is missing`,
    {
      hint: 'trust.dir is where it lies, trust.genesis what felhom gate trust init printed.',
      doubt: 'Nothing was sent.',
    },
  )
