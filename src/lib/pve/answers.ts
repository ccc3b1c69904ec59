// The one place where answers of Proxmox become felhom's nouns. Each function takes what stood under `data`;
// beyond this file nobody looks into an answer.
import type {HaMembership, KnownConfig, PendingChange, RunState} from '../model/actual.ts'
import type {Snapshot} from '../model/snapshot.ts'
import {taskVerdict, type TaskEntry, type TaskLog, type TaskStatus} from '../model/task.ts'
import type {Upid} from '../model/upid.ts'
import {
  malformed,
  optionalInteger,
  optionalText,
  readDigest,
  readFields,
  readFlag,
  readInteger,
  readNodeName,
  readOneOf,
  readRows,
  readTaskId,
  readText,
  readVmid,
  type Fields,
} from './answer-values.ts'
import type {Envelope} from './connection.ts'

export interface VersionAnswer {
  readonly version: string
  readonly release: string
}

export function readVersion(data: unknown): VersionAnswer {
  const fields = readFields(data, 'version')
  return {
    version: readText(fields['version'], 'version.version'),
    release: readText(fields['release'], 'version.release'),
  }
}

export interface ClusterStatusAnswer {
  /** Absent on a standalone node. */
  readonly cluster: {readonly name: string; readonly quorate: boolean} | undefined
  readonly nodes: readonly {readonly name: string; readonly online: boolean}[]
}

export function readClusterStatus(data: unknown): ClusterStatusAnswer {
  let cluster: ClusterStatusAnswer['cluster']
  const nodes: {name: string; online: boolean}[] = []
  readRows(data, 'cluster status', (row, at) => {
    if (readOneOf(row['type'], ['cluster', 'node'], `${at}.type`) === 'cluster') {
      cluster = {
        name: readText(row['name'], `${at}.name`),
        quorate: readFlag(row['quorate'], `${at}.quorate`),
      }
    } else {
      nodes.push({
        name: readNodeName(row['name'], `${at}.name`),
        online: readFlag(row['online'], `${at}.online`),
      })
    }
  })
  return {cluster, nodes}
}

export interface NodeRow {
  readonly name: string
  readonly status: 'online' | 'offline' | 'unknown'
}

export function readNodeRows(data: unknown): NodeRow[] {
  return readRows(data, 'nodes', (row, at) => ({
    name: readNodeName(row['node'], `${at}.node`),
    status: readOneOf(row['status'], ['online', 'offline', 'unknown'], `${at}.status`),
  }))
}

/** What a node's list, or `status/current`, tells of one guest. */
export interface GuestRow {
  readonly vmid: number
  readonly name: string | undefined
  readonly run: RunState
  readonly template: boolean
  readonly lock: string | undefined
  readonly tags: readonly string[]
}

export function readGuestRows(data: unknown): GuestRow[] {
  return readRows(data, 'guests', readGuestRow)
}

export interface GuestStatus extends GuestRow {
  readonly ha: HaMembership
}

export function readGuestStatus(data: unknown): GuestStatus {
  const at = 'guest status'
  const fields = readFields(data, at)
  const ha = fields['ha'] === undefined ? undefined : readFields(fields['ha'], `${at}.ha`)
  return {...readGuestRow(fields, at), ha: ha === undefined ? {managed: 'unknown'} : readHa(ha, `${at}.ha`)}
}

function readHa(ha: Fields, at: string): HaMembership {
  if (!readFlag(ha['managed'], `${at}.managed`)) return {managed: false}
  return {managed: true, state: optionalText(ha['state'], `${at}.state`) ?? 'unknown'}
}

function readGuestRow(row: Fields, at: string): GuestRow {
  return {
    vmid: readVmid(row['vmid'], `${at}.vmid`),
    name: optionalText(row['name'], `${at}.name`),
    run: readRunState(row, at),
    template: readFlag(row['template'], `${at}.template`),
    lock: optionalText(row['lock'], `${at}.lock`) || undefined,
    tags: (optionalText(row['tags'], `${at}.tags`) ?? '').split(/[;, ]+/).filter((tag) => tag !== ''),
  }
}

const STANDING_STILL = new Set(['paused', 'prelaunch', 'suspended'])

/** `status` knows only two words; of a virtual machine `qmpstatus`, where asked for, says more. */
function readRunState(row: Fields, at: string): RunState {
  const status = readOneOf(row['status'], ['running', 'stopped', 'unknown'], `${at}.status`)
  const machine = optionalText(row['qmpstatus'], `${at}.qmpstatus`)
  if (status !== 'running' || machine === undefined || machine === 'running') return status
  return STANDING_STILL.has(machine) ? 'paused' : 'unknown'
}

/** `/pending` tells everything of a config in one call: current values, waiting ones, and the digest. */
export function readPendingConfig(data: unknown): KnownConfig {
  const current: Record<string, string> = Object.create(null) as Record<string, string>
  const pending: PendingChange[] = []
  let digest: string | undefined
  readRows(data, 'config', (row, at) => {
    const option = readText(row['key'], `${at}.key`)
    if (option === 'digest') {
      digest = readDigest(row['value'], `${at}.value`)
      return
    }
    const value = optionalText(row['value'], `${at}.value`)
    if (value !== undefined) current[option] = value
    const change = readPendingChange(row, option, at)
    if (change) pending.push(change)
  })
  if (digest === undefined) throw malformed('config', 'a digest among the options')
  return {known: true, current, pending: pending.sort(byOption), digest}
}

function readPendingChange(row: Fields, option: string, at: string): PendingChange | undefined {
  const remove = optionalInteger(row['delete'], `${at}.delete`) ?? 0
  if (remove > 0) return {option, kind: 'delete', force: remove === 2}
  const value = optionalText(row['pending'], `${at}.pending`)
  return value === undefined ? undefined : {option, kind: 'set', value}
}

const byOption = (a: PendingChange, b: PendingChange): number =>
  a.option < b.option ? -1 : a.option > b.option ? 1 : 0

/** The entry `current` stands for the guest as it is, and is no snapshot. */
export function readSnapshotRows(data: unknown): Snapshot[] {
  return readRows(data, 'snapshots', (row, at): Snapshot => {
    const parent = optionalText(row['parent'], `${at}.parent`)
    const snaptime = optionalInteger(row['snaptime'], `${at}.snaptime`)
    const description = optionalText(row['description'], `${at}.description`)
    return {
      name: readText(row['name'], `${at}.name`),
      ...(parent !== undefined && parent !== '' && {parent}),
      ...(snaptime !== undefined && {snaptime}),
      ...(description !== undefined && description !== '' && {description}),
      vmstate: row['vmstate'] !== undefined && readFlag(row['vmstate'], `${at}.vmstate`),
    }
  }).filter(({name}) => name !== 'current')
}

/** Guests under the HA manager by vmid, which is unique over both kinds. */
export function readHaResources(data: unknown): Map<number, HaMembership> {
  const managed = new Map<number, HaMembership>()
  readRows(data, 'ha resources', (row, at) => {
    const sid = /^(?:ct|vm):(\d{1,9})$/.exec(readText(row['sid'], `${at}.sid`))
    if (!sid) return
    const state = optionalText(row['state'], `${at}.state`) ?? 'started'
    managed.set(readVmid(sid[1], `${at}.sid`), {managed: true, state})
  })
  return managed
}

/** Path → privilege → whether it holds below that path too. */
export type Permissions = ReadonlyMap<string, ReadonlyMap<string, boolean>>

export function readPermissions(data: unknown): Permissions {
  const paths = new Map<string, ReadonlyMap<string, boolean>>()
  for (const [path, privileges] of Object.entries(readFields(data, 'permissions'))) {
    const at = `permissions[${path}]`
    const held = Object.entries(readFields(privileges, at)).map(
      ([name, propagates]) => [name, readFlag(propagates, `${at}.${name}`)] as const,
    )
    paths.set(path, new Map(held))
  }
  return paths
}

/** `time` is UTC, in seconds. */
export function readNodeTimeMs(data: unknown): number {
  return readInteger(readFields(data, 'data')['time'], 'data.time') * 1000
}

export function readNextId(data: unknown): number {
  return readVmid(data, 'next id')
}

export function readTaskStatus(data: unknown): TaskStatus {
  const fields = readFields(data, 'task')
  if (readOneOf(fields['status'], ['running', 'stopped'], 'task.status') === 'running') {
    return {state: 'running'}
  }
  return stopped(readText(fields['exitstatus'], 'task.exitstatus'))
}

const stopped = (exit: string): TaskStatus => ({state: 'stopped', exit, verdict: taskVerdict(exit)})

/** In lists a running task has no end; its `status`, if any, is the word RUNNING. */
export function readTaskEntries(data: unknown): TaskEntry[] {
  return readRows(data, 'tasks', (row, at) => {
    const endtime = optionalInteger(row['endtime'], `${at}.endtime`)
    const exit = optionalText(row['status'], `${at}.status`)
    const running = endtime === undefined && (exit === undefined || exit === 'RUNNING')
    return {
      upid: readTaskId(row['upid'], `${at}.upid`),
      status: running ? {state: 'running'} : stopped(exit ?? 'unexpected status'),
      endtime,
    }
  })
}

export function readTaskLog(envelope: Envelope): TaskLog {
  const lines = readRows(envelope.data, 'log', (row, at) => ({
    n: readInteger(row['n'], `${at}.n`),
    text: optionalText(row['t'], `${at}.t`) ?? '',
  }))
  return {lines, total: optionalInteger(envelope.total, 'log.total') ?? lines.length}
}

/** What a call that may start a task returned: its id, or nothing for work that is already done. */
export function readDispatched(data: unknown): Upid | undefined {
  return data === null || data === undefined ? undefined : readTaskId(data, 'answer')
}
