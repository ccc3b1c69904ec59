// vzdump: starts backup jobs and reads the config inside an archive.
import {flag, nodeOf, optionalText, text, type Call, type Route} from '../call.ts'
import {requirePrivs, ROOT} from '../access/permissions.ts'
import {archivedConfig} from '../backup/archive.ts'
import {notesTemplateProblem} from '../backup/notes-template.ts'
import {runBackup, type BackupJob} from '../backup/run-backup.ts'
import {die, paramError} from '../pve-error.ts'
import {checkVolumeAccess} from '../guest/volume-access.ts'
import {
  findStorage,
  findVolume,
  parseVolid,
  parseVolname,
  requireStorage,
  volumePath,
} from '../storage/volumes.ts'

export const routes: Route[] = [
  {method: 'POST', path: '/nodes/{node}/vzdump', handler: startBackup},
  {
    method: 'GET',
    path: '/nodes/{node}/vzdump/extractconfig',
    handler: extractConfig,
    check: () => undefined,
  },
]

function startBackup(call: Call): string {
  const {cluster, principal} = call
  const node = nodeOf(call)
  checkPrivileges(call)
  checkParameters(call)
  const {vmids, elsewhere} = chooseGuests(call)
  if (flag(call, 'stop')) {
    requirePrivs(call, `/nodes/${node}`, ['Sys.Modify'])
    for (const task of cluster.tasks.running(node)) if (task.type === 'vzdump') cluster.tasks.kill(task.upid)
    if (vmids.length === 0) return 'OK'
  }
  if (vmids.length === 0 && !isAll(call)) return 'OK'
  const storage = storageOf(call)
  requirePrivs(call, `/storage/${storage}`, ['Datastore.AllocateSpace'])
  const job = describeJob(call, storage, vmids)
  const id = vmids.length === 1 ? String(vmids[0]) : ''
  return cluster.tasks.start(node, 'vzdump', id, principal.authid, async (task) => {
    if (elsewhere.length > 0) task.log(`INFO: skip external VMs: ${elsewhere.join(', ')}`)
    await runBackup(job, task)
  })
}

const storageOf = (call: Call): string => optionalText(call, 'storage') ?? 'local'
const isAll = (call: Call): boolean =>
  flag(call, 'all') || (optionalText(call, 'exclude') !== undefined && !optionalText(call, 'pool'))

function describeJob(call: Call, storage: string, vmids: number[]): BackupJob {
  const compress = optionalText(call, 'compress')
  const notesTemplate = optionalText(call, 'notes-template')
  const keepLast = keepLastOf(call, storage)
  return {
    cluster: call.cluster,
    node: nodeOf(call),
    vmids,
    storage,
    mode: optionalText(call, 'mode') ?? 'snapshot',
    ...(compress !== undefined && {compress}),
    ...(notesTemplate !== undefined && {notesTemplate}),
    protect: flag(call, 'protected'),
    ...(keepLast !== undefined && {keepLast}),
    commandLine: commandLine(call, vmids),
    requireBackup: (vmid) => {
      if (!isAll(call)) requirePrivs(call, `/vms/${String(vmid)}`, ['VM.Backup'])
    },
  }
}

/** Of all retention rules only the plain number is modelled. */
function keepLastOf(call: Call, storage: string): number | undefined {
  if (optionalText(call, 'remove') === '0') return undefined
  const config = findStorage(call.cluster, storage)?.config['prune-backups']
  const rule = optionalText(call, 'prune-backups') ?? config ?? ''
  const last = /(?:^|,)keep-last=(\d+)/.exec(rule)?.[1]
  return last === undefined || /(?:^|,)keep-all=1/.test(rule) ? undefined : Number(last)
}

function commandLine(call: Call, vmids: number[]): string {
  const options = Object.entries(call.params).filter(
    ([name, value]) => name !== 'vmid' && typeof value === 'string',
  )
  const shown = options.map(([name, value]) => `--${name} ${String(value)}`)
  return ['vzdump', ...vmids.map(String), ...shown].join(' ')
}

const rootOnly = ['tmpdir', 'dumpdir', 'script', 'job-id']
const tuning = ['bwlimit', 'ionice', 'performance']

function checkPrivileges(call: Call): void {
  if (flag(call, 'stdout')) paramError({stdout: 'option is only allowed on the command line interface.'})
  if (call.principal.authid === ROOT) return
  for (const name of rootOnly) if (name in call.params) paramError({[name]: 'Only root may set this option.'})
  if (tuning.some((name) => name in call.params)) requirePrivs(call, '/', ['Sys.Modify'])
  if (optionalText(call, 'prune-backups') !== undefined) {
    requirePrivs(call, `/storage/${storageOf(call)}`, ['Datastore.Allocate'])
  }
}

function checkParameters(call: Call): void {
  const vmid = optionalText(call, 'vmid')
  for (const name of ['all', 'exclude', 'pool']) {
    const value = optionalText(call, name)
    if (vmid && value && value !== '0') paramError({[name]: "option conflicts with option 'vmid'"})
  }
  const template = optionalText(call, 'notes-template')
  const problem = template ? notesTemplateProblem(template) : undefined
  if (problem !== undefined) paramError({'notes-template': problem})
  if (!(isAll(call) || flag(call, 'stop') || optionalText(call, 'pool')) && !vmid) {
    paramError({vmid: 'property is missing'})
  }
}

/** The guests here, and those that the caller named, but nobody has; guests of other nodes are left out. */
function chooseGuests(call: Call): {vmids: number[]; elsewhere: number[]} {
  const {state} = call.cluster
  const candidates = candidateVmids(call)
  const nodeOfGuest = (vmid: number): string | undefined => state.guests.get(vmid)?.node
  const vmids = candidates.filter((vmid) => (nodeOfGuest(vmid) ?? nodeOf(call)) === nodeOf(call))
  return {vmids, elsewhere: candidates.filter((vmid) => !vmids.includes(vmid))}
}

const splitVmids = (list: string): number[] =>
  list
    .split(/[,;\0\s]+/)
    .filter((item) => item !== '')
    .map(Number)

function candidateVmids(call: Call): number[] {
  const {state} = call.cluster
  const pool = optionalText(call, 'pool')
  if (pool) {
    const found = state.pools.find((p) => p.poolid === pool) ?? die(`pool '${pool}' does not exist`)
    return found.vmids.filter((vmid) => state.guests.has(vmid))
  }
  const vmids = optionalText(call, 'vmid')
  if (vmids) return [...new Set(splitVmids(vmids))]
  if (!isAll(call)) return []
  const excluded = new Set(splitVmids(optionalText(call, 'exclude') ?? ''))
  return [...state.guests.keys()].filter((vmid) => !excluded.has(vmid))
}

function extractConfig(call: Call): string {
  const volid = text(call, 'volume')
  checkVolumeAccess(call, undefined, volid, 'backup')
  const {storage, volname} = parseVolid(volid)
  const owner = parseVolname(requireStorage(call.cluster, storage), volname).vmid
  requirePrivs(call, `/vms/${String(owner)}`, ['VM.Backup'])
  const backup = findVolume(call.cluster, volid, nodeOf(call))?.backup
  if (!backup) die(`ERROR: file '${volumePath(call.cluster, volid)}' does not exist`)
  return archivedConfig(backup)
}
