// May this caller use that volume? Administrators of its storage may, its owner, and whoever may work with the guest
// that owns it.
import {hasPrivs, requirePrivs, ROOT, type Subject} from '../access/permissions.ts'
import {die} from '../pve-error.ts'
import {parseVolname, requireStorage, tryParseVolid} from '../storage/volumes.ts'

/**
 * `vmid` is the guest on whose behalf, whose own volumes need no further right; `content` what the volume must
 * hold.
 */
export function checkVolumeAccess(
  subject: Subject,
  vmid: number | undefined,
  volid: string,
  content?: string,
): void {
  const id = tryParseVolid(volid)
  if (!id) {
    if (subject.principal.authid === ROOT) return
    die('Only root can pass arbitrary filesystem paths. at /usr/share/perl5/PVE/Storage.pm line 651.')
  }
  const volume = parseVolname(requireStorage(subject.cluster, id.storage), id.volname)
  const held = volume.content === 'images' && content === 'rootdir' ? 'rootdir' : volume.content
  if (content !== undefined && held !== content) {
    die(`unable to use volume ${volid} - content type needs to be '${content}'`)
  }
  const path = `/storage/${id.storage}`
  if (hasPrivs(subject, path, ['Datastore.Allocate'])) return
  if (volume.content === 'iso' || volume.content === 'vztmpl' || volume.content === 'import') {
    requirePrivs(subject, path, ['Datastore.AllocateSpace', 'Datastore.Audit'], true)
  } else if (volume.vmid === undefined || volume.vmid !== vmid) {
    checkForeignVolume(subject, path, volid, volume)
  }
}

function checkForeignVolume(
  subject: Subject,
  path: string,
  volid: string,
  volume: {content: string; vmid?: number},
): void {
  const owner = `/vms/${String(volume.vmid)}`
  if (volume.content === 'backup' && volume.vmid !== undefined) {
    requirePrivs(subject, path, ['Datastore.AllocateSpace'])
    requirePrivs(subject, owner, ['VM.Backup'])
  } else if (volume.content === 'images' && volume.vmid !== undefined) {
    requirePrivs(subject, path, ['Datastore.Audit'])
    requirePrivs(subject, owner, ['VM.Config.Disk'])
  } else {
    die(`missing privileges to access ${volid}`)
  }
}
