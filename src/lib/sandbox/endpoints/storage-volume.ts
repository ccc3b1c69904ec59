// One volume of a storage: what it is, its notes and protection, its removal and its copy.
import {nodeOf, optionalText, text, type Call, type Route} from '../call.ts'
import {die, paramError} from '../pve-error.ts'
import {requirePrivs} from '../access/permissions.ts'
import {checkVolumeAccess} from '../guest/volume-access.ts'
import {
  findVolume,
  freeVolume,
  parseVolid,
  parseVolname,
  requireStorage,
  tryParseVolid,
  volumePath,
} from '../storage/volumes.ts'

const path = '/nodes/{node}/storage/{storage}/content/{volume}'

export const routes: Route[] = [
  {method: 'GET', path, handler: readVolume},
  {method: 'PUT', path, handler: updateVolume},
  {method: 'DELETE', path, handler: deleteVolume},
  {method: 'POST', path, handler: copyToVolume},
]

/** The volid that a volume's name means, with or without its storage. */
function volidOf(call: Call, parameter: 'volume' | 'target' = 'volume'): string {
  const storage = text(call, 'storage')
  const volume = text(call, parameter)
  if (!volume.includes(':')) return `${storage}:${volume}`
  const id = tryParseVolid(volume) ?? paramError({volume: `unable to parse volume ID '${volume}'\n`})
  if (id.storage !== storage) paramError({volume: `storage ID mismatch (${id.storage} != ${storage})\n`})
  return volume
}

function contentOf(call: Call, volid: string): string {
  const {storage, volname} = parseVolid(volid)
  return parseVolname(requireStorage(call.cluster, storage), volname).content
}

/** Only backups have notes and protection, and every backup has both, be they empty. */
function readVolume(call: Call): unknown {
  const volid = volidOf(call)
  checkVolumeAccess(call, undefined, volid)
  const volume = findVolume(call.cluster, volid, nodeOf(call))
  if (!volume) die(`volume_size_info on '${volid}' failed - no format`)
  const isImage = volume.content === 'images' || volume.content === 'rootdir'
  return {
    path: volumePath(call.cluster, volid),
    size: volume.size,
    used: volume.used ?? volume.size,
    format: isImage ? volume.format : 'raw',
    ...(volume.content === 'backup' && {notes: volume.notes ?? '', protected: volume.protected ? 1 : 0}),
  }
}

/** Both are files beside the archive, so that they can be written where there is no archive. */
function updateVolume(call: Call): null {
  const volid = volidOf(call)
  checkVolumeAccess(call, undefined, volid)
  const isBackup = contentOf(call, volid) === 'backup'
  const volume = findVolume(call.cluster, volid, nodeOf(call))
  const notes = optionalText(call, 'notes')
  if (notes !== undefined) {
    if (!isBackup) die('only backups can have notes')
    if (volume && notes === '') delete volume.notes
    else if (volume) volume.notes = notes
  }
  const protection = optionalText(call, 'protected')
  if (protection !== undefined) {
    if (!isBackup) die("only backups support attribute 'protected'")
    if (volume) volume.protected = protection === '1'
  }
  return null
}

/** With `delay` the answer waits for the task: null when it is done by then, its error when it failed. */
async function deleteVolume(call: Call): Promise<string | null> {
  const {cluster} = call
  const volid = volidOf(call)
  const {storage: id, volname} = parseVolid(volid)
  const owner = requireDelete(call, id, volname)
  const taskId = owner === undefined ? id : `${String(owner)}@${id}`
  const upid = cluster.tasks.start(nodeOf(call), 'imgdel', taskId, call.principal.authid, (task) => {
    if (findVolume(cluster, volid, nodeOf(call))?.protected) {
      die(`cannot remove protected volume '${volname}' on '${id}'`)
    }
    freeVolume(cluster, volid, nodeOf(call))
    task.log(`Removed volume '${volid}'`)
  })
  const delay = optionalText(call, 'delay')
  return delay === undefined ? upid : awaitRemoval(call, upid, Number(delay))
}

/** Returns the guest that the volume belongs to. */
function requireDelete(call: Call, storage: string, volname: string): number | undefined {
  const {content, vmid} = parseVolname(requireStorage(call.cluster, storage), volname)
  if (content === 'backup' && vmid !== undefined) {
    requirePrivs(call, `/storage/${storage}`, ['Datastore.AllocateSpace'])
    requirePrivs(call, `/vms/${String(vmid)}`, ['VM.Backup'])
  } else {
    requirePrivs(call, `/storage/${storage}`, ['Datastore.Allocate'])
  }
  return vmid
}

const POLL_MS = 1000

async function awaitRemoval(call: Call, upid: string, delaySeconds: number): Promise<string | null> {
  const {clock, tasks} = call.cluster
  const deadline = clock.now() + delaySeconds * 1000
  const verdict = (): string | undefined => tasks.find(upid)?.exitstatus
  while (verdict() === undefined && clock.now() < deadline) await clock.sleep(POLL_MS)
  const status = verdict()
  if (status === undefined) return upid
  return status === 'OK' ? null : die(status)
}

/** Nobody but root@pam gets here; Proxmox itself says that it does not work: it would reach its own node by SSH. */
function copyToVolume(call: Call): string {
  const source = volidOf(call)
  const target = volidOf(call, 'target')
  const node = optionalText(call, 'target_node') ?? nodeOf(call)
  return call.cluster.tasks.start(nodeOf(call), 'imgcopy', '', call.principal.authid, (task) => {
    task.log(`copy ${source} to ${target}`)
    die(`command '/usr/bin/ssh -o 'HostKeyAlias=${node}' root@${node}' failed: exit code 255`)
  })
}
