// Which request an operation is. It is made from the journaled intent and the secrets that it names, and from
// nothing else, so that the journal tells exactly what was asked of Proxmox.
import {findOption} from '../catalog/option.ts'
import {formatSize} from '../catalog/sizes.ts'
import {GUEST_KINDS, type GuestAddress} from '../model/guest.ts'
import type {Intent, OperationBody} from '../model/operation.ts'
import {isSnapshotName} from '../model/snapshot.ts'
import type {Mutation} from './connection.ts'
import {guestPath, type Params} from './paths.ts'
import {creationRequest} from './write-creation.ts'
import {checkOption, optionParams, refused, secretParams, secretTexts, type Secrets} from './write-params.ts'

type BodyOf<T extends OperationBody['type']> = Extract<OperationBody, {type: T}>

export function makeRequest(intent: Intent, secrets: Secrets): Mutation {
  const {body, target} = intent
  if (!GUEST_KINDS.includes(target.kind)) throw refused('a change of something that is no guest')
  switch (body.type) {
    case 'set-config':
      return configRequest(intent, body, secrets)
    case 'resize':
      return resizeRequest(intent, body)
    case 'create':
      return creationRequest(target, body, secrets)
    case 'destroy':
      return destructionRequest(target)
    case 'snapshot-delete':
      return snapshotRequest('DELETE', target, snapshotPath(body.snapshot))
    case 'snapshot-rollback':
      return snapshotRequest('POST', target, [...snapshotPath(body.snapshot), 'rollback'])
    case 'job':
      throw refused(`${body.job}, which felhom does not send by itself,`)
    case 'start':
      return powerRequest(target, 'start')
    case 'shutdown':
      return powerRequest(target, 'shutdown', shutdownParams(body))
    case 'restart':
      return powerRequest(target, 'reboot')
  }
}

/** Both kinds take a synchronous PUT. */
function configRequest(intent: Intent, body: BodyOf<'set-config'>, secrets: Secrets): Mutation {
  const {target, digest} = intent
  const {kind} = target
  const hidden = secretParams(kind, body.secrets ?? [], secrets)
  const set = {...optionParams(kind, body.set), ...hidden}
  const removed = [...body.delete, ...(body.revert ?? [])]
  const names = [...Object.keys(body.set), ...Object.keys(hidden), ...removed]
  if (names.length === 0) throw refused('an empty config change')
  if (new Set(names).size < names.length) throw refused('a config change that names an option twice')
  for (const name of removed) checkRemoval(intent, name)
  return {
    method: 'PUT',
    path: guestPath(target, 'config'),
    node: target.node,
    params: {
      ...set,
      delete: listed(body.delete),
      revert: listed(body.revert),
      digest: requireDigest(digest),
    },
    synchronous: true,
    secrets: secretTexts(hidden, secrets),
  }
}

/** What is detached is destroyed with its data once it is removed: never without the nonce of a signature. */
function checkRemoval({target: {kind}, key}: Intent, name: string): void {
  checkOption(kind, name, 'remove')
  if (findOption(kind, name)?.isRemovalOnly === true && key === undefined)
    throw refused(`the removal of ${name} without a signature`)
}

const listed = (names: readonly string[] = []): string | undefined =>
  names.length > 0 ? names.join(',') : undefined

/** An absolute size: sent twice by whatever mischance, it would not grow twice. */
function resizeRequest({target, digest}: Intent, {disk, toBytes}: BodyOf<'resize'>): Mutation {
  if (findOption(target.kind, disk)?.isDisk !== true)
    throw refused(`a resize of '${disk}', which is no disk,`)
  if (!Number.isSafeInteger(toBytes) || toBytes <= 0) throw refused('a resize to no size')
  return {
    method: 'PUT',
    path: guestPath(target, 'resize'),
    node: target.node,
    params: {disk, size: formatSize(toBytes), digest: requireDigest(digest)},
    synchronous: false,
  }
}

/** To Proxmox an empty digest means "no check", and so does none. */
function requireDigest(digest: string | undefined): string {
  if (digest === undefined || !/^[0-9a-f]{40}$/.test(digest))
    throw refused('a change of a config without the digest of what it changes')
  return digest
}

/**
 * What refers to the guest goes with it, or a later guest of the same number would inherit its backup jobs. Volumes
 * that its config does not name stay: nobody has looked at them.
 */
function destructionRequest(target: GuestAddress): Mutation {
  return {
    method: 'DELETE',
    path: guestPath(target),
    node: target.node,
    params: {purge: 1, 'destroy-unreferenced-disks': 0},
    synchronous: false,
  }
}

function snapshotPath(name: string): string[] {
  if (!isSnapshotName(name)) throw refused('a change of something that is no snapshot')
  return ['snapshot', name]
}

/** Never with force, which forgets what could not be removed; a guest that was rolled back is not started. */
const snapshotRequest = (method: 'DELETE' | 'POST', target: GuestAddress, tail: string[]): Mutation => ({
  method,
  path: guestPath(target, ...tail),
  node: target.node,
  params: {},
  synchronous: false,
})

function powerRequest(target: GuestAddress, verb: string, params: Params = {}): Mutation {
  return {
    method: 'POST',
    path: guestPath(target, 'status', verb),
    node: target.node,
    params,
    synchronous: false,
  }
}

function shutdownParams({timeoutMs, force}: BodyOf<'shutdown'>): Params {
  if (!Number.isSafeInteger(timeoutMs) || timeoutMs < 0) throw refused('a shutdown without a time-out')
  return {timeout: Math.ceil(timeoutMs / 1000), forceStop: force ? 1 : undefined}
}
