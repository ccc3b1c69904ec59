// PUT resize: checked at once, and once more by the task under the config lock.
import {nodeOf, optionalText, text, vmidOf, type Call} from '../../call.ts'
import {die} from '../../pve-error.ts'
import {requirePrivs} from '../../access/permissions.ts'
import {configDigest} from '../../guest/config-file.ts'
import {checkLock} from '../../guest/snapshots.ts'
import {parseSize} from '../../schema/sizes.ts'
import {parseVolid, parseVolname, requireStorage, requireVolume, resizeVolume} from '../../storage/volumes.ts'
import {exchangeVolume, requireMountPoint} from './container-volumes.ts'
import {forkTask, withGuest} from './power.ts'
import type {Guest} from '../../state.ts'

const GROW_FILESYSTEM_MS = 500

export function resize(call: Call): string {
  const guest = call.cluster.requireGuest('lxc', nodeOf(call), vmidOf(call))
  checkResize(call, guest)
  return forkTask(call, 'resize', (task) =>
    withGuest(call, async (live) => {
      const {option, volid, newBytes} = checkResize(call, live)
      resizeVolume(call.cluster, volid, live.node, newBytes)
      live.config[option] = exchangeVolume(live.config, option, volid, newBytes)
      task.log('Image resized.')
      await task.sleep(GROW_FILESYSTEM_MS)
    }),
  )
}

interface Resize {
  option: string
  volid: string
  newBytes: number
}

function checkResize(call: Call, guest: Guest): Resize {
  const {cluster} = call
  checkLock(guest)
  requirePrivs(call, `/vms/${String(guest.vmid)}`, ['VM.Config.Options'])
  checkDigest(guest, optionalText(call, 'digest'))
  const option = text(call, 'disk')
  const {volume: volid} = requireMountPoint(guest.config, option)
  const {storage, volname} = parseVolid(volid)
  const owner = parseVolname(requireStorage(cluster, storage), volname).vmid
  if (owner !== guest.vmid) {
    const what = `can't resize mount point owned by another container (${String(owner)})`
    die(`${what} at /usr/share/perl5/PVE/API2/LXC.pm line 2386.`)
  }
  requirePrivs(call, `/storage/${storage}`, ['Datastore.AllocateSpace'])
  const {size} = requireVolume(cluster, volid, guest.node)
  const newBytes = targetBytes(text(call, 'size'), size)
  if (newBytes < size) die('unable to shrink disk size')
  if (newBytes === size) die('disk is already at specified size')
  return {option, volid, newBytes}
}

/** `+1G` grows by, `1G` grows to. */
function targetBytes(wanted: string, currentBytes: number): number {
  const isRelative = wanted.startsWith('+')
  const bytes = parseSize(isRelative ? wanted.slice(1) : wanted) ?? die('invalid size string')
  return Math.trunc(isRelative ? currentBytes + bytes : bytes)
}

/** An empty digest is no check. */
export function checkDigest(guest: Guest, digest: string | undefined): void {
  if (!digest || digest === configDigest(guest)) return
  die('detected modified configuration - file changed by other user? Try again.')
}
