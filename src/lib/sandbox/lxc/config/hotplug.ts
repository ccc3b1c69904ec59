// What happens to changes of a running container: some take effect at once, some wait for the next start, and
// some are refused. Only the options that this update names are looked at.
import {removePendingDelete, stage, unset, type Staged} from '../../guest/pending.ts'
import {die} from '../../pve-error.ts'
import {findVolume} from '../../storage/volumes.ts'
import {collectError, takeOver, type OptionErrors} from './apply-pending.ts'
import {requireDevice} from './devices.ts'
import {hotplugNet} from './hotplug-net.ts'
import {destroyUnused, isMountPoint, newDisk, parseMountPoint, settleMountPoint} from './mount-points.ts'
import {writeStaged} from './staged-config.ts'
import type {Cluster} from '../../cluster.ts'
import type {Guest} from '../../state.ts'

/** Options that concern only Proxmox itself, or that it passes on without fail. */
const ALWAYS_LIVE = new Set([
  'description',
  'onboot',
  'startup',
  'protection',
  'hostname',
  'hookscript',
  'cores',
  'tags',
  'lock',
])
const LIVE_LIMITS = new Set(['cpulimit', 'cpuunits', 'memory', 'swap'])

export function hotplugPending(
  cluster: Cluster,
  guest: Guest,
  staged: Staged,
  selected: ReadonlySet<string>,
): OptionErrors {
  const errors: OptionErrors = {}
  const isSelected = (option: string): boolean => selected.has(option)
  const attempt = (option: string, work: () => void): boolean =>
    collectError(errors, option, `unable to hotplug ${option}: `, work)
  for (const option of Object.keys(staged.pending).filter(isSelected)) {
    if (ALWAYS_LIVE.has(option)) takeOver(staged, option)
  }
  for (const option of Object.keys(staged.pendingDelete).filter(isSelected).sort()) {
    if (!canUnplug(option) || !attempt(option, () => unplug(cluster, guest, staged, option))) continue
    unset(staged.config, option)
    removePendingDelete(staged, option)
  }
  for (const option of Object.keys(staged.pending).filter(isSelected).sort()) {
    if (canPlug(staged, option) && attempt(option, () => plug(cluster, guest, staged, option))) {
      takeOver(staged, option)
    }
  }
  return errors
}

/** Of the networks only the first ten: Proxmox looks for one digit there. */
function canUnplug(option: string): boolean {
  const isLimit = option !== 'memory' && LIVE_LIMITS.has(option)
  return ALWAYS_LIVE.has(option) || isLimit || /^(?:unused\d+|net\d)$/.test(option)
}

function unplug(cluster: Cluster, guest: Guest, staged: Staged, option: string): void {
  if (option.startsWith('unused')) destroyUnused(cluster, guest, staged, option)
}

/** Mount points and devices can be added to a running container, not changed. */
function canPlug(staged: Staged, option: string): boolean {
  if (/^(?:mp|dev)\d+$/.test(option)) return staged.config[option] === undefined
  return LIVE_LIMITS.has(option) || /^net\d+$/.test(option)
}

function plug(cluster: Cluster, guest: Guest, staged: Staged, option: string): void {
  const value = staged.pending[option] ?? ''
  if (option === 'cpuunits') requireCpuWeight(value)
  else if (option.startsWith('net')) {
    hotplugNet({
      cluster,
      guest,
      staged,
      option,
      // What follows must not reach into what was written.
      write: () => {
        writeStaged(guest, stage(staged))
      },
    })
  } else if (option.startsWith('dev')) requireDevice(value)
  else if (isMountPoint(option)) plugMountPoint(cluster, guest, staged, option)
}

/** No value at all stands for the default weight. */
function requireCpuWeight(value: string): void {
  if (value === '') return
  if (Number(value) < 1 || Number(value) > 10_000) die('cpu weight (shares) must be in range [1, 10000]')
}

function plugMountPoint(cluster: Cluster, guest: Guest, staged: Staged, option: string): void {
  const {type, volume} = parseMountPoint(option, staged.pending[option] ?? '')
  if (type === 'volume' && !newDisk(volume) && !findVolume(cluster, volume, guest.node)) {
    die(`volume '${volume}' does not exist`)
  }
  settleMountPoint(cluster, guest, staged, option)
}
