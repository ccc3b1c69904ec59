// The retention of a storage's backups: what it would remove, and its removal.
import {nodeOf, optionalText, text, type Call, type Route} from '../call.ts'
import {requirePrivs} from '../access/permissions.ts'
import {prune, previewPrune, type PruneEntry, type PruneRequest} from '../backup/prune.ts'
import {parseRetention} from '../backup/retention.ts'

const path = '/nodes/{node}/storage/{storage}/prunebackups'

export const routes: Route[] = [
  {method: 'GET', path, handler: preview},
  {method: 'DELETE', path, handler: remove},
]

function requestOf(call: Call): PruneRequest {
  const keep = optionalText(call, 'prune-backups')
  const vmid = optionalText(call, 'vmid')
  const type = optionalText(call, 'type')
  return {
    storage: text(call, 'storage'),
    node: nodeOf(call),
    ...(keep !== undefined && {keep: parseRetention(keep)}),
    ...(vmid !== undefined && {vmid: Number(vmid)}),
    ...(type !== undefined && {type}),
  }
}

function preview(call: Call): PruneEntry[] {
  return previewPrune(call.cluster, requestOf(call))
}

function remove(call: Call): string {
  const {cluster, principal} = call
  const request = requestOf(call)
  const {storage, vmid, node} = request
  if (vmid === undefined) {
    requirePrivs(call, `/storage/${storage}`, ['Datastore.Allocate'])
  } else {
    requirePrivs(call, `/storage/${storage}`, ['Datastore.AllocateSpace'])
    requirePrivs(call, `/vms/${String(vmid)}`, ['VM.Backup'])
  }
  const id = vmid === undefined ? storage : `${String(vmid)}@${storage}`
  return cluster.tasks.start(node, 'prunebackups', id, principal.authid, (task) => {
    prune(cluster, request, (line) => {
      task.log(line)
    })
  })
}
