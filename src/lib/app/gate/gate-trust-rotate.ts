// The next version of the trust store: proposed, signed by those whom the one in force demands, then in force.
import {encodeTrustSignatures} from '../../gate/trust-signatures.ts'
import type {TrustSnapshot} from '../../gate/trust-snapshot.ts'
import {FelhomError} from '../../model/felhom-error.ts'
import type {TrustVersion} from '../../store/trust-files.ts'
import {chooseKeys} from './gate-trust-at-hand.ts'
import {draftNextVersion, type TrustChanges} from './gate-trust-changes.ts'
import {collectSignatures, type Collecting} from './gate-trust-collect.ts'
import {readNamedKey, type KeyChoice, type NamedKey} from './gate-trust-key.ts'
import {openTrustStore, readTrustStore, type TrustSettings, type TrustStore} from './gate-trust-store.ts'
import type {ProposalView} from './gate-trust-view.ts'

export interface TrustRotation extends Collecting, KeyChoice {
  readonly addOperational: readonly string[]
  readonly addRecovery: readonly string[]
  readonly changes: Omit<TrustChanges, 'add'>
  /** A new version with nothing changed in it: it ends every approval that was signed before. */
  readonly renew: boolean
  /** Sign with the new keys whose private halves are here. */
  readonly signAtHand: boolean
  /** Drop what was proposed before. */
  readonly discard: boolean
  readonly env: NodeJS.ProcessEnv
}

/** Undefined: the proposal was dropped, and nothing else was asked. */
export async function rotateTrust(
  settings: TrustSettings,
  rotation: TrustRotation,
): Promise<ProposalView | undefined> {
  const store = await openTrustStore(settings)
  const head = await readTrustStore(store, rotation.nowMs)
  const next = head.version + 1
  if (rotation.discard) store.files.dropProposal(next)
  const added = readAdded(rotation)
  const isChange = rotation.renew || added.length > 0 || Object.keys(rotation.changes).length > 0
  if (rotation.discard && !isChange) return undefined
  const version = isChange
    ? propose(store, head, rotation, added)
    : requireOpen(store.files.readProposal(next), next)
  const keys = await chooseKeys(added, rotation)
  return collectSignatures({files: store.files, head, version}, {...rotation, keys})
}

function readAdded(rotation: TrustRotation): NamedKey[] {
  return [
    ...rotation.addOperational.map((text) => readNamedKey(text, 'operational', rotation)),
    ...rotation.addRecovery.map((text) => readNamedKey(text, 'recovery', rotation)),
  ]
}

function propose(
  {files}: TrustStore,
  head: TrustSnapshot,
  {changes}: TrustRotation,
  added: readonly NamedKey[],
): TrustVersion {
  const version = head.version + 1
  const open = files.readProposal(version)
  if (open)
    throw usage(
      `version ${version} is proposed already, in ${open.file}`,
      'Go on with --key or --signature alone, or begin anew with --discard.',
    )
  const add = added.map(({entry}) => entry)
  const bytes = draftNextVersion(head.document, head.hash, {...changes, add})
  return {version, bytes, signatures: encodeTrustSignatures([])}
}

function requireOpen(open: TrustVersion | undefined, next: number): TrustVersion {
  if (open) return open
  throw usage(
    `version ${next} is not proposed, and nothing to change is named`,
    'Name what shall change: --add-operational, --add-recovery, --remove, --revoke, --threshold, --expires or --renew.',
  )
}

const usage = (message: string, hint: string): FelhomError =>
  new FelhomError('usage', message, {hint, doubt: 'The trust store is as it was.'})
