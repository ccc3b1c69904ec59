// Looks at the trust store without changing it: what is in force, whether its history holds, and the same for OpenSSH.
import {writeAllowedSigners, writeRevokedKeys} from '../../gate/trust-allowed-signers.ts'
import {judgeProposal} from '../../gate/trust-proposal.ts'
import type {TrustSnapshot} from '../../gate/trust-snapshot.ts'
import {isFelhomError} from '../../model/felhom-error.ts'
import type {TrustHistoryView} from '../../report/trust-text.ts'
import {
  openTrustStore,
  readTrustStore,
  reviewStore,
  type TrustSettings,
  type TrustStore,
} from './gate-trust-store.ts'
import {
  describeSigned,
  describeTrust,
  nameSigner,
  type ProposalView,
  type TrustView,
} from './gate-trust-view.ts'

export type {TrustHistoryView}

export interface TrustLook {
  readonly trust: TrustView
  readonly proposal: ProposalView | {readonly version: number; readonly problem: string} | null
}

export async function showTrust(settings: TrustSettings, nowMs: number): Promise<TrustLook> {
  const store = await openTrustStore(settings)
  const trust = await readTrustStore(store, nowMs)
  return {trust: describeTrust(trust, nowMs), proposal: findProposal(store, trust, nowMs)}
}

function findProposal({files}: TrustStore, head: TrustSnapshot, nowMs: number): TrustLook['proposal'] {
  const version = head.version + 1
  const open = files.readProposal(version)
  if (!open) return null
  const state = judgeProposal(head, open.bytes, open.signatures, nowMs)
  if ('refusal' in state) return {version, problem: state.refusal.message}
  return {...describeSigned(state), inForce: false, file: open.file}
}

/** Every version from the pinned first one on; unsafe files are a verdict too. */
export async function verifyTrust(settings: TrustSettings, nowMs: number): Promise<TrustHistoryView> {
  const store = await openTrustStore(settings)
  try {
    const {links, refusal} = reviewStore(store, await store.files.read(), nowMs)
    const versions = links.map(({document: {version}, hash, by, signed}) => ({
      version,
      hash,
      by,
      signed: signed.map(nameSigner),
    }))
    return {versions, problem: refusal ? {kind: refusal.kind, message: refusal.message} : null}
  } catch (error) {
    if (!isFelhomError(error, 'trust_unsafe')) throw error
    return {versions: [], problem: {kind: 'unsafe', message: error.message}}
  }
}

export interface ExportedTrust {
  readonly version: number
  readonly allowedSigners: string
  readonly revokedKeys: string
}

export async function exportTrust(settings: TrustSettings, nowMs: number): Promise<ExportedTrust> {
  const {document} = await readTrustStore(await openTrustStore(settings), nowMs)
  return {
    version: document.version,
    allowedSigners: writeAllowedSigners(document),
    revokedKeys: writeRevokedKeys(document),
  }
}
