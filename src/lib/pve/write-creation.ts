// How a guest is asked for that does not exist yet: made from a template or from nothing with all of its options,
// or copied, in which case the copy is planned again once it is there and only what the copying call takes is
// sent. Never with start, ha-managed or force: each would nest a further action in the task.
import {isVmid, type GuestAddress, type GuestKind} from '../model/guest.ts'
import type {OperationBody} from '../model/operation.ts'
import type {Mutation} from './connection.ts'
import {guestPath, nodePath, type Params} from './paths.ts'
import {optionParams, refused, secretParams, secretTexts, type Secrets, type Texts} from './write-params.ts'

type Creation = Extract<OperationBody, {type: 'create'}>

/** What only creation takes. */
const CREATION_ONLY: Readonly<Record<GuestKind, readonly string[]>> = {
  lxc: ['pool', 'password', 'ssh-public-keys', 'unprivileged'],
  qemu: ['pool'],
}
const NAME: Readonly<Record<GuestKind, string>> = {lxc: 'hostname', qemu: 'name'}

export function creationRequest(target: GuestAddress, body: Creation, secrets: Secrets): Mutation {
  // A new guest's own path is not used; it is checked all the same.
  guestPath(target)
  const {from} = body
  if ('clone' in from) return cloneRequest(target, body, from)
  if ('restore' in from) return restoreRequest(target, body, from)
  if ('template' in from !== (target.kind === 'lxc')) {
    throw refused(`a creation of ${target.kind} from what only the other kind is made from`)
  }
  const more = CREATION_ONLY[target.kind]
  const hidden = secretParams(target.kind, body.secrets, secrets, more)
  const origin = 'template' in from ? {ostemplate: from.template} : {}
  const params = {
    vmid: target.vmid,
    ...origin,
    storage: from.storage,
    ...optionParams(target.kind, body.options, more),
    ...hidden,
  }
  return {...newGuest(target, params), secrets: secretTexts(hidden, secrets)}
}

const newGuest = ({node, kind}: GuestAddress, params: Params): Mutation => ({
  method: 'POST',
  path: nodePath(node, kind),
  node,
  params,
  synchronous: false,
})

/** Proxmox asks the source's node, which may hand the copy to another. */
function cloneRequest(
  {kind, vmid, node}: GuestAddress,
  {options, sourceNode}: Creation,
  {clone, full, storage}: Extract<Creation['from'], {clone: number}>,
): Mutation {
  if (sourceNode === undefined) throw refused('a clone of a guest that nobody knows the place of')
  if (!isVmid(clone) || clone === vmid) throw refused('a clone of no other guest')
  return {
    method: 'POST',
    path: guestPath({kind, vmid: clone, node: sourceNode}, 'clone'),
    node: sourceNode,
    params: {
      newid: vmid,
      full: full === undefined ? undefined : Number(full),
      storage,
      target: node === sourceNode ? undefined : node,
      ...taken(kind, options, [NAME[kind], 'description', 'pool']),
    },
    synchronous: false,
  }
}

function restoreRequest(
  target: GuestAddress,
  {options}: Creation,
  {restore, storage}: Extract<Creation['from'], {restore: string}>,
): Mutation {
  const {kind, vmid} = target
  const origin = kind === 'lxc' ? {ostemplate: restore, restore: 1} : {archive: restore}
  const names = [NAME[kind], 'description', 'pool', ...(kind === 'lxc' ? ['unprivileged'] : [])]
  const unique = isCopyOfAnother(restore, vmid) ? 1 : undefined
  return newGuest(target, {vmid, ...origin, unique, storage, ...taken(kind, options, names)})
}

const ARCHIVED_GUEST = /(?:\bvzdump-(?:lxc|qemu|openvz)-|\bbackup\/(?:ct|vm)\/)(\d+)[-/]/

/** Beside its original it needs network addresses of its own; brought back in its place it keeps them. */
function isCopyOfAnother(archive: string, vmid: number): boolean {
  const archived = ARCHIVED_GUEST.exec(archive)?.[1]
  return archived !== undefined && Number(archived) !== vmid
}

function taken(kind: GuestKind, options: Texts, names: readonly string[]): Texts {
  const some = names.flatMap((name) => {
    const text = options[name]
    return text === undefined ? [] : [[name, text] as const]
  })
  return optionParams(kind, Object.fromEntries(some), CREATION_ONLY[kind])
}
