// What happens to waiting changes of a stopped container: after an update, and when it starts.
import {cleanupPending, removePendingDelete, unset, type Staged} from '../../guest/pending.ts'
import {PveError} from '../../pve-error.ts'
import {addUnused, destroyUnused, isMountPoint, parseMountPoint, settleMountPoint} from './mount-points.ts'
import {parseNet, printNet} from './network.ts'
import {loadStaged, writeStaged} from './staged-config.ts'
import type {Cluster} from '../../cluster.ts'
import type {Guest} from '../../state.ts'

/** One text per option that could not be changed. */
export type OptionErrors = Record<string, string>

/** Applies everything that waits and writes it; for a start. What fails keeps waiting, as on Proxmox. */
export function applyPendingAtStart(cluster: Cluster, guest: Guest): void {
  if (Object.keys(guest.pending).length + Object.keys(guest.pendingDelete).length === 0) return
  const staged = loadStaged(guest)
  applyPending(cluster, guest, staged)
  writeStaged(guest, staged)
}

/** Moves waiting changes into the current section, all or only those `selected`. */
export function applyPending(
  cluster: Cluster,
  guest: Guest,
  staged: Staged,
  selected?: ReadonlySet<string>,
): OptionErrors {
  const errors: OptionErrors = {}
  const attempt = (option: string, work: () => void): boolean =>
    collectError(errors, option, `unable to apply pending change ${option} : `, work)
  for (const option of Object.keys(staged.pendingDelete).sort()) {
    if (selected?.has(option) === false) continue
    if (!attempt(option, () => detach(cluster, guest, staged, option))) continue
    unset(staged.config, option)
    removePendingDelete(staged, option)
  }
  cleanupPending(staged)
  for (const option of Object.keys(staged.pending).sort()) {
    if (selected?.has(option) === false) continue
    if (attempt(option, () => settle(cluster, guest, staged, option))) takeOver(staged, option)
  }
  return errors
}

/** Makes a waiting value the current one. */
export function takeOver(staged: Staged, option: string): void {
  const value = staged.pending[option]
  if (value === undefined) return
  staged.config[option] = value
  unset(staged.pending, option)
}

/** Runs one option's change; what it dies of becomes that option's error. */
export function collectError(
  errors: OptionErrors,
  option: string,
  prefix: string,
  work: () => void,
): boolean {
  try {
    work()
    return true
  } catch (error) {
    if (!(error instanceof PveError)) throw error
    errors[option] = `${prefix}${error.asText()}`
    return false
  }
}

function detach(cluster: Cluster, guest: Guest, staged: Staged, option: string): void {
  if (option.startsWith('unused')) destroyUnused(cluster, guest, staged, option)
  if (!isMountPoint(option)) return
  const {type, volume} = parseMountPoint(option, staged.config[option] ?? '')
  if (type === 'volume') addUnused(staged.config, volume)
}

function settle(cluster: Cluster, guest: Guest, staged: Staged, option: string): void {
  if (isMountPoint(option)) settleMountPoint(cluster, guest, staged, option)
  else if (/^net\d+$/.test(option)) {
    staged.pending[option] = printNet(parseNet(cluster, staged.pending[option] ?? ''))
  }
}
