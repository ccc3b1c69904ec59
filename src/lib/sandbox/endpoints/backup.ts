// vzdump: starts backup jobs and reads the config inside an archive.
import {flag, nodeOf, optionalText, text, type Call, type Route} from '../call.ts'
import {hasPrivs, requirePrivs} from '../access/permissions.ts'
import {archivedConfig} from '../backup/archive.ts'
import {includedGuests} from '../backup/included-guests.ts'
import {
  checkBackupOptions,
  requireOptionPrivileges,
  selectionOf,
  storageOption,
} from '../backup/backup-options.ts'
import {parseRetention, type Retention} from '../backup/retention.ts'
import {runBackup, type BackupJob} from '../backup/run-backup.ts'
import {routes as defaultRoutes} from './backup-defaults.ts'
import {die, paramError} from '../pve-error.ts'
import {checkVolumeAccess} from '../guest/volume-access.ts'
import {findStorage, findVolume, parseVolid, parseVolname, requireStorage} from '../storage/volumes.ts'

export const routes: Route[] = [
  {method: 'POST', path: '/nodes/{node}/vzdump', handler: startBackup},
  {
    method: 'GET',
    path: '/nodes/{node}/vzdump/extractconfig',
    handler: extractConfig,
    check: () => undefined,
  },
  ...defaultRoutes,
]

async function startBackup(call: Call): Promise<string> {
  const {cluster, principal} = call
  const node = nodeOf(call)
  checkPrivileges(call)
  checkBackupOptions(call.params, true)
  const {vmids, elsewhere} = chooseGuests(call)
  if (flag(call, 'stop')) {
    const running = [...cluster.tasks.running(node)].find((task) => task.type === 'vzdump')
    if (running) await cluster.tasks.stop(running.upid)
    if (vmids.length === 0) return 'OK'
  }
  if (vmids.length === 0 && !selectionOf(call.params).isAll) return 'OK'
  const storage = storageOption(call.params) ?? die('folders outside of storages are not modelled')
  requirePrivs(call, `/storage/${storage}`, ['Datastore.AllocateSpace'])
  const job = describeJob(call, storage, vmids)
  const id = vmids.length === 1 ? String(vmids[0]) : ''
  return cluster.tasks.start(node, 'vzdump', id, principal.authid, async (task) => {
    if (elsewhere.length > 0) task.log(`INFO: skip external VMs: ${elsewhere.join(', ')}`)
    await runBackup(job, task)
  })
}

function describeJob(call: Call, storage: string, vmids: number[]): BackupJob {
  const compress = optionalText(call, 'compress')
  const notesTemplate = optionalText(call, 'notes-template')
  return {
    cluster: call.cluster,
    node: nodeOf(call),
    vmids,
    storage,
    mode: optionalText(call, 'mode') ?? 'snapshot',
    ...(compress !== undefined && {compress}),
    ...(notesTemplate !== undefined && {notesTemplate}),
    protect: flag(call, 'protected'),
    keep: retentionOf(call, storage),
    remove: optionalText(call, 'remove') !== '0',
    commandLine: commandLine(call, vmids),
    mayBackUp: (vmid) => {
      const path = `/vms/${String(vmid)}`
      if (!selectionOf(call.params).isAll) requirePrivs(call, path, ['VM.Backup'])
      return hasPrivs(call, path, ['VM.Backup'])
    },
  }
}

/** The caller's, else the storage's; by default everything stays. */
function retentionOf(call: Call, storage: string): Retention {
  const configured = findStorage(call.cluster, storage)?.config['prune-backups']
  return parseRetention(optionalText(call, 'prune-backups') ?? configured ?? 'keep-all=1')
}

function commandLine(call: Call, vmids: number[]): string {
  const options = Object.entries(call.params).filter(
    ([name, value]) => name !== 'vmid' && typeof value === 'string',
  )
  const shown = options.map(([name, value]) => `--${name} ${String(value)}`)
  return ['vzdump', ...vmids.map(String), ...shown].join(' ')
}

function checkPrivileges(call: Call): void {
  if (flag(call, 'stdout')) paramError({stdout: 'option is only allowed on the command line interface.'})
  requireOptionPrivileges(call, call.params)
  const storage = storageOption(call.params)
  if (optionalText(call, 'prune-backups') === undefined || storage === undefined) return
  requirePrivs(call, `/storage/${storage}`, ['Datastore.Allocate'])
}

/** The guests here, and those that the caller named, but nobody has; guests of other nodes are left out. */
function chooseGuests(call: Call): {vmids: number[]; elsewhere: number[]} {
  const {cluster} = call
  const all = includedGuests(cluster, selectionOf(call.params))
  const isHere = (id: number): boolean => (cluster.guest(id)?.node ?? nodeOf(call)) === nodeOf(call)
  return {vmids: all.filter(isHere), elsewhere: all.filter((id) => !isHere(id))}
}

function extractConfig(call: Call): string {
  const volid = text(call, 'volume')
  checkVolumeAccess(call, undefined, volid, 'backup')
  const {storage, volname} = parseVolid(volid)
  const owner = parseVolname(requireStorage(call.cluster, storage), volname).vmid
  requirePrivs(call, `/vms/${String(owner)}`, ['VM.Backup'])
  const backup = findVolume(call.cluster, volid, nodeOf(call))?.backup
  if (!backup) die(`volume '${volid}' does not exist`)
  return archivedConfig(backup)
}
