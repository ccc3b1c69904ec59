// Who may look at a volume: administrators of its storage, its owner, or whoever may work with the guest that owns it.
import {die} from '../pve-error.ts'
import {hasPrivs, requirePrivs, type Subject} from '../access/permissions.ts'
import {parseVolname, requireStorage, tryParseVolid} from './volumes.ts'

/**
 * Dies unless the caller may use the volume; `vmid` is the guest on whose behalf, `content` what the volume must be.
 * A container's volumes count as images, too.
 */
export function requireVolumeAccess(
  subject: Subject,
  vmid: number | undefined,
  volid: string,
  content?: string,
): void {
  const id = tryParseVolid(volid)
  if (!id) {
    if (subject.principal.authid !== 'root@pam') die('Only root can pass arbitrary filesystem paths.')
    return
  }
  const parsed = parseVolname(requireStorage(subject.cluster, id.storage), id.volname)
  const isWanted =
    content === undefined ||
    parsed.content === content ||
    (content === 'rootdir' && parsed.content === 'images')
  if (!isWanted) die(`unable to use volume ${volid} - content type needs to be '${content}'`)
  const path = `/storage/${id.storage}`
  if (hasPrivs(subject, path, ['Datastore.Allocate'])) return
  if (parsed.content === 'iso' || parsed.content === 'vztmpl' || parsed.content === 'import') {
    requirePrivs(subject, path, ['Datastore.AllocateSpace', 'Datastore.Audit'], true)
  } else if (parsed.vmid !== undefined && parsed.vmid === vmid) {
    return
  } else if (parsed.content === 'backup' && parsed.vmid !== undefined) {
    requirePrivs(subject, path, ['Datastore.AllocateSpace'])
    requirePrivs(subject, `/vms/${String(parsed.vmid)}`, ['VM.Backup'])
  } else if (parsed.content === 'images' && parsed.vmid !== undefined) {
    requirePrivs(subject, path, ['Datastore.Audit'])
    requirePrivs(subject, `/vms/${String(parsed.vmid)}`, ['VM.Config.Disk'])
  } else {
    die(`missing privileges to access ${volid}`)
  }
}
