// The trust store that the settings name: found, read with every check, or refused with what to do about it.
import {hashTrust} from '../../gate/trust-document.ts'
import {reviewTrust, type TrustMark, type TrustReview} from '../../gate/trust-load.ts'
import type {TrustRefusal} from '../../gate/trust-problem.ts'
import type {TrustSnapshot} from '../../gate/trust-snapshot.ts'
import {FelhomError, isFelhomError} from '../../model/felhom-error.ts'
import type {Settings} from '../../settings/settings.ts'
import {readNonces} from '../../store/nonces/read-nonces.ts'
import {systemDisk} from '../../store/system-disk.ts'
import {TrustFiles, type TrustVersion} from '../../store/trust-files.ts'

export type TrustSettings = Pick<Settings, 'trust' | 'state'>

export interface TrustStore {
  readonly files: TrustFiles
  readonly genesis: string
  readonly mark: TrustMark
}

/** Throws settings_invalid if none is named. */
export async function openTrustStore({trust: {dir, genesis}, state}: TrustSettings): Promise<TrustStore> {
  if (dir === undefined)
    throw new FelhomError('settings_invalid', 'no trust store is configured', {
      hint: 'Make one with felhom gate trust init, and write the lines that it prints into felhom.yaml.',
      doubt: 'Nothing was changed.',
    })
  if (genesis === undefined)
    throw new FelhomError('settings_invalid', 'trust.genesis is not set: no first version is pinned', {
      hint: 'Write the hash that felhom gate trust init printed into felhom.yaml, as trust: {genesis: …}.',
      doubt: 'Nothing was changed.',
    })
  const {trustMark: version, trustHash: hash} = await readNonces({disk: systemDisk, dir: state})
  return {files: new TrustFiles(dir), genesis, mark: {version, ...(hash !== undefined && {hash})}}
}

/** What the gate itself would say now. */
export const reviewStore = (
  {genesis, mark}: Pick<TrustStore, 'genesis' | 'mark'>,
  versions: readonly TrustVersion[],
  nowMs: number,
): TrustReview => reviewTrust(versions, genesis, nowMs, mark)

/** Throws trust_unsafe; one that has merely expired is returned, because it must be renewed. */
export async function readTrustStore(store: TrustStore, nowMs: number): Promise<TrustSnapshot> {
  const versions = await store.files.read()
  const {trust, refusal} = reviewStore(store, versions, nowMs)
  if (trust) return trust
  throw refusedTrust(refusal, versions)
}

/** Undefined where none is named or it cannot be believed: for those who only tell, and leave it to the gate to refuse. */
export async function findTrust(settings: TrustSettings, nowMs: number): Promise<TrustSnapshot | undefined> {
  try {
    return await readTrustStore(await openTrustStore(settings), nowMs)
  } catch (error) {
    if (isFelhomError(error)) return undefined
    throw error
  }
}

function refusedTrust(refusal: TrustRefusal | undefined, versions: readonly TrustVersion[]): FelhomError {
  const {kind, message} = refusal ?? {kind: 'missing', message: 'there is no trust store'}
  const [first] = versions
  const hint =
    kind === 'genesis' && first
      ? `If ${hashTrust(first.bytes)} is what felhom gate trust init printed, write it as trust.genesis.`
      : 'See every version with: felhom gate trust verify'
  return new FelhomError('trust_unsafe', message, {
    hint,
    doubt: 'Nothing was allowed and nothing was changed.',
  })
}
