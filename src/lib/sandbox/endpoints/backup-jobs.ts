// Scheduled backups: their list, their making and changing, and which guests they cover.
import {optionalText, text, type Call, type Route} from '../call.ts'
import {hasPrivs, requirePrivs, ROOT} from '../access/permissions.ts'
import {die, paramError} from '../pve-error.ts'
import {underFileLock} from '../shared-file.ts'
import {
  checkBackupOptions,
  requireOptionPrivileges,
  selectionOf,
  storageOption,
} from '../backup/backup-options.ts'
import {nextEvent} from '../backup/calendar-event.ts'
import {includedGuests} from '../backup/included-guests.ts'
import {volumeRows} from '../backup/included-volumes.ts'
import {jobRow} from '../backup/job-row.ts'
import {requirePool} from '../guest/registry.ts'
import {methodSchema} from '../schema/api-schema.ts'
import {splitList} from '../schema/split-list.ts'
import type {Guest, ScheduledBackup} from '../state.ts'

type Row = Record<string, unknown>
type Options = ScheduledBackup['options']

export const routes: Route[] = [
  {method: 'GET', path: '/cluster/backup', handler: listJobs},
  {method: 'POST', path: '/cluster/backup', handler: createJob},
  {method: 'GET', path: '/cluster/backup/{id}', handler: (call) => jobRow(requireJob(call))},
  {method: 'PUT', path: '/cluster/backup/{id}', handler: updateJob},
  {method: 'DELETE', path: '/cluster/backup/{id}', handler: deleteJob},
  {method: 'GET', path: '/cluster/backup/{id}/included_volumes', handler: listIncluded},
  {method: 'GET', path: '/cluster/backup-info', handler: () => [{subdir: 'not-backed-up'}]},
  {method: 'GET', path: '/cluster/backup-info/not-backed-up', handler: listNotBackedUp},
]

function findJob(call: Call): ScheduledBackup | undefined {
  return call.cluster.state.backupJobs.find((job) => job.id === text(call, 'id'))
}

function requireJob(call: Call): ScheduledBackup {
  return findJob(call) ?? paramError({id: `No such job '${text(call, 'id')}'`})
}

function listJobs(call: Call): Row[] {
  const now = call.cluster.nowSeconds()
  return call.cluster.state.backupJobs.map((job) => {
    const next = nextEvent(String(job.options['schedule'] ?? ''), now)
    return {...jobRow(job), ...(next !== undefined && {'next-run': next})}
  })
}

/** Everything but what says which job, and the schedule in its one form. */
function optionsOf(call: Call): Options {
  const {starttime, dow, ...rest} = call.params
  if (typeof rest['schedule'] === 'string' && typeof starttime === 'string') {
    paramError({starttime: "'starttime' and 'schedule' cannot both be set"})
  }
  const options: Options = {}
  for (const [name, value] of Object.entries(rest)) {
    if (name !== 'id' && name !== 'delete') options[name] = value ?? ''
  }
  if (typeof starttime === 'string') options['schedule'] = scheduleOf(starttime, dow)
  return options
}

const ALL_DAYS = 'mon,tue,wed,thu,fri,sat,sun'

function scheduleOf(starttime: string, dow: unknown): string {
  const days = typeof dow === 'string' ? splitList(dow).join(',') : ALL_DAYS
  return days === ALL_DAYS || days === '' ? starttime : `${days} ${starttime}`
}

function checkPool(call: Call): void {
  const pool = optionalText(call, 'pool')
  if (!pool) return
  requirePool(call.cluster, pool)
  requirePrivs(call, `/pool/${pool}`, ['VM.Backup'])
}

function createJob(call: Call): null {
  const {cluster} = call
  requireOptionPrivileges(call, call.params)
  requireStorageAccess(call, storageOption(call.params))
  checkPool(call)
  const options = optionsOf(call)
  if (options['schedule'] === undefined) {
    paramError({schedule: "neither 'starttime' nor 'schedule' were set"})
  }
  options['enabled'] ??= '1'
  const id = optionalText(call, 'id') ?? cluster.randomUuid()
  return underFileLock('', () => {
    if (cluster.state.backupJobs.some((job) => job.id === id)) die(`Job '${id}' already exists`)
    checkBackupOptions(options, true)
    if (selectionOf(options).isAll) options['all'] = '1'
    cluster.state.backupJobs.push({id, options})
    return null
  })
}

function requireStorageAccess(call: Call, storage: string | undefined): void {
  if (storage === undefined || call.principal.authid === ROOT) return
  requirePrivs(call, `/storage/${storage}`, ['Datastore.Allocate'])
}

function updateJob(call: Call): null {
  const deleted = splitList(optionalText(call, 'delete') ?? '')
  const isDeleted = Object.fromEntries(deleted.map((name) => [name, '1']))
  const given = Object.fromEntries(Object.entries(call.params).filter(([name]) => name !== 'delete'))
  requireOptionPrivileges(call, given)
  requireOptionPrivileges(call, {...isDeleted, fleecing: undefined})
  const storage = optionalText(call, 'storage') ?? (isDeleted['storage'] && 'local')
  requireStorageAccess(call, storage)
  checkPool(call)
  const options = optionsOf(call)
  return underFileLock('', () => {
    if (Object.keys(options).length === 0 && deleted.length === 0) die('no options specified')
    checkBackupOptions(options, false)
    const job = findJob(call) ?? die('no such vzdump job')
    requireStorageAccess(call, storageOption(job.options))
    job.options = changedOptions(job.options, options, deleted)
    return null
  })
}

const DELETABLE = new Set(['comment', 'repeat-missed'])
const NOT_OF_VZDUMP = new Set(['id', 'schedule', 'starttime', 'dow', 'enabled'])

function isKnown(option: string): boolean {
  if (DELETABLE.has(option)) return true
  const known = methodSchema('/cluster/backup', 'POST')?.parameters.properties ?? {}
  return Object.hasOwn(known, option) && !NOT_OF_VZDUMP.has(option)
}

/** A new selection takes the place of the old one. */
function changedOptions(before: Options, given: Options, deleted: readonly string[]): Options {
  const unknown = deleted.find((name) => !isKnown(name))
  if (unknown !== undefined) paramError({delete: `unknown option '${unknown}'`})
  const kept = Object.entries(before).filter(([name]) => !deleted.includes(name))
  const options: Options = {...Object.fromEntries(kept), ...given}
  if (options['exclude'] !== undefined && options['pool'] === undefined) options['all'] = '1'
  for (const name of replacedSelection(options, given)) Reflect.deleteProperty(options, name)
  checkBackupOptions(options, true)
  return options
}

function replacedSelection(options: Options, given: Options): string[] {
  if (given['vmid'] !== undefined) return ['all', 'exclude', 'pool']
  if (selectionOf(given).isAll) return ['vmid', 'pool']
  return options['pool'] ? ['vmid', 'all', 'exclude'] : []
}

function deleteJob(call: Call): null {
  const {state} = call.cluster
  const job = underFileLock('', () => requireJob(call))
  state.backupJobs = state.backupJobs.filter((other) => other !== job)
  return null
}

const nameOf = ({config}: Guest): string | undefined => config['hostname'] ?? config['name']

function listIncluded(call: Call): Row {
  const {cluster} = call
  const node = requireJob(call).options['node']
  const children = includedGuests(cluster, selectionOf(requireJob(call).options))
    .filter((vmid) => node === undefined || (cluster.guest(vmid)?.node ?? node) === node)
    .filter((vmid) => hasPrivs(call, `/vms/${String(vmid)}`, ['VM.Audit']))
    .map((vmid): Row => {
      const guest = cluster.guest(vmid)
      if (!guest) return {id: vmid, type: 'unknown', leaf: 1}
      const volumes = volumeRows(guest)
      const name = nameOf(guest) ?? null
      return {id: vmid, type: guest.kind, name, children: volumes, leaf: volumes.length > 0 ? 0 : 1}
    })
  return {children}
}

function listNotBackedUp(call: Call): Row[] {
  const {cluster} = call
  const covered = new Set(
    cluster.state.backupJobs.flatMap(({options}) => includedGuests(cluster, selectionOf(options))),
  )
  return [...cluster.state.guests.values()]
    .filter(({vmid}) => !covered.has(vmid) && hasPrivs(call, `/vms/${String(vmid)}`, ['VM.Audit']))
    .map((guest) => {
      const name = nameOf(guest)
      return {vmid: guest.vmid, type: guest.kind, ...(name !== undefined && {name})}
    })
}
