// The first half of an update: every value is checked and put among the waiting changes.
import {
  addPendingDelete,
  cleanupPending,
  revertPending,
  setPending,
  type Staged,
} from '../../guest/pending.ts'
import {uniqueTags} from '../../guest/tags.ts'
import {die} from '../../pve-error.ts'
import {splitList} from '../../schema/split-list.ts'
import {findVolume, hasContent, parseVolid, parseVolname, requireStorage} from '../../storage/volumes.ts'
import {requireDevice} from './devices.ts'
import {isMountPoint, parseMountPoint} from './mount-points.ts'
import {checkNet} from './network.ts'
import type {Cluster} from '../../cluster.ts'
import type {Guest} from '../../state.ts'

export interface Changes {
  set: Record<string, string>
  delete: string[]
  revert: string[]
}

const REQUIRED = new Set(['memory', 'rootfs', 'ostype'])

/** Returns the options that this update touches. */
export function stageChanges(cluster: Cluster, guest: Guest, staged: Staged, changes: Changes): Set<string> {
  const touched = new Set<string>()
  for (const option of changes.revert) revertPending(staged, option)
  for (const option of changes.delete) {
    if (staged.config[option] === undefined && staged.pending[option] === undefined) continue
    touched.add(option)
    checkDelete(guest, staged, option)
    addPendingDelete(staged, option)
  }
  for (const option of Object.keys(changes.set).sort()) {
    touched.add(option)
    setPending(staged, option, checkedValue(cluster, guest, staged, option, changes.set[option] ?? ''))
  }
  cleanupPending(staged)
  return touched
}

function checkDelete(guest: Guest, staged: Staged, option: string): void {
  if (REQUIRED.has(option)) die(`unable to delete required option '${option}'`)
  if (option === 'unprivileged') die(`unable to delete read-only option: '${option}'`)
  if (isMountPoint(option) || option.startsWith('unused')) checkProtection(guest, staged, option, 'remove')
}

function checkProtection(guest: Guest, staged: Staged, option: string, verb: 'remove' | 'update'): void {
  if (staged.config['protection'] === '1') {
    die(`can't ${verb} CT ${String(guest.vmid)} drive '${option}' - protection mode enabled`)
  }
}

/** The value as it is stored, or the error that refuses it. */
function checkedValue(cluster: Cluster, guest: Guest, staged: Staged, option: string, value: string): string {
  if (option === 'rootfs' || isMountPoint(option)) {
    checkProtection(guest, staged, option, 'update')
    checkStorage(cluster, option, value)
  } else if (option === 'unprivileged') die(`unable to modify read-only option: '${option}'`)
  else if (option === 'tags') return uniqueTags(cluster, value)
  else if (option === 'nameserver' || option === 'searchdomain') return splitList(value).join(' ')
  else if (option === 'hookscript') checkHookscript(cluster, guest, value)
  else if (/^net\d+$/.test(option)) checkNet(cluster, guest.node, option, value)
  else if (/^dev\d+$/.test(option)) requireDevice(value)
  return value
}

function checkStorage(cluster: Cluster, option: string, value: string): void {
  const {type, volume} = parseMountPoint(option, value)
  if (type !== 'volume') return
  const {storage} = parseVolid(volume)
  if (!hasContent(requireStorage(cluster, storage), 'rootdir')) {
    die(`storage '${storage}' does not allow content type 'rootdir' (Container)`)
  }
}

function checkHookscript(cluster: Cluster, guest: Guest, volid: string): void {
  const {storage, volname} = parseVolid(volid)
  const {content} = parseVolname(requireStorage(cluster, storage), volname)
  if (content !== 'snippets') die(`'${volid}' is not in the snippets directory`)
  if (!findVolume(cluster, volid, guest.node)) die(`script '${volid}' does not exist`)
}
