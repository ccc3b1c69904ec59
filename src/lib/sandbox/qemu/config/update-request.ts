// One request to change a machine's config, read and checked as far as that is possible without the config: what
// is set, what is deleted, what is taken back, and whether the caller may.
import {checkDriveAccess, hookscriptProblem, normaliseDrives} from './drive-params.ts'
import {completeNet, isNetName, parseNet} from './net.ts'
import {optionExists} from './option-schema.ts'
import {checkOptionPrivileges} from './option-privileges.ts'
import {ROOT, type Subject} from '../../access/permissions.ts'
import {checkBridgeAccess} from '../../guest/bridge-access.ts'
import {validateSshKeys} from '../../guest/ssh-keys.ts'
import {die, paramError} from '../../pve-error.ts'
import {splitList} from '../../schema/split-list.ts'
import type {Params} from '../../call.ts'
import type {Section} from '../../state.ts'

export interface UpdateRequest {
  node: string
  vmid: number
  settings: Section
  /** Settings that came as JSON null: known by name, without a value. */
  valueless: ReadonlySet<string>
  deletions: string[]
  reversions: ReadonlySet<string>
  force: boolean
  skipLock: boolean
  digest: string | undefined
  backgroundDelaySeconds: number
  /** What was asked, for the task's log. */
  summary: string
}

const MAX_CPU_UNITS = 10_000
const OWN_PARAMS = new Set(['node', 'vmid', 'digest', 'background_delay', 'import-working-storage'])
const CONTROL_PARAMS = new Set(['skiplock', 'delete', 'revert', 'force'])

export function readUpdate(subject: Subject, params: Params): UpdateRequest {
  const given = textParams(params)
  const settings = Object.fromEntries(
    Object.entries(given).filter(([key]) => !OWN_PARAMS.has(key) && !CONTROL_PARAMS.has(key)),
  )
  const skipLock = given['skiplock'] === '1'
  if (skipLock && subject.principal.authid !== ROOT) paramError({skiplock: 'Only root may use this option.'})
  if (settings['sshkeys'] !== undefined) validateSshKeys(unescapeUri(settings['sshkeys']))
  clampCpuUnits(settings)
  if (!given['delete'] && !given['revert'] && Object.keys(settings).length === 0) die('no options specified')
  resolveCdromAlias(settings)
  const reversions = readReversions(given['revert'] ?? '', settings)
  const request: UpdateRequest = {
    node: given['node'] ?? '',
    vmid: Number(given['vmid']),
    settings,
    valueless: new Set(Object.keys(settings).filter((key) => params[key] === null)),
    deletions: readDeletions(given['delete'] ?? '', settings, reversions),
    reversions,
    force: given['force'] === '1',
    skipLock,
    digest: given['digest'],
    backgroundDelaySeconds: Number(given['background_delay'] ?? 0),
    summary: summaryOf(given),
  }
  completeSettings(subject, request)
  checkAccess(subject, request)
  return request
}

/** A list counts as its elements after each other, a JSON null as empty. */
export function textParams(params: Params): Section {
  const texts: Section = {}
  for (const [key, value] of Object.entries(params)) {
    texts[key] = value === null ? '' : Array.isArray(value) ? value.join('\0') : value
  }
  return texts
}

function summaryOf(given: Section): string {
  const shown = Object.keys(given).filter((key) => !OWN_PARAMS.has(key))
  return shown
    .sort()
    .map((key) => `-${key} ${key === 'cipassword' ? '<hidden>' : (given[key] ?? '')}`)
    .join(' ')
}

export function clampCpuUnits(settings: Section): void {
  if (Number(settings['cpuunits'] ?? 0) >= MAX_CPU_UNITS) settings['cpuunits'] = String(MAX_CPU_UNITS)
}

export function resolveCdromAlias(settings: Section): void {
  const {cdrom} = settings
  if (cdrom === undefined || cdrom === '') return
  Reflect.deleteProperty(settings, 'cdrom')
  settings['ide2'] = cdrom.includes('media=') ? cdrom : `${cdrom},media=cdrom`
}

function readReversions(text: string, settings: Section): Set<string> {
  const reversions = new Set<string>()
  for (const option of splitList(text)) {
    if (!optionExists(option)) paramError({revert: `unknown option '${option}'`})
    if (settings[option] !== undefined) {
      paramError({delete: `you can't use '-${option}' and -revert ${option}' at the same time`})
    }
    reversions.add(option)
  }
  return reversions
}

function readDeletions(text: string, settings: Section, reversions: ReadonlySet<string>): string[] {
  return splitList(text).map((given) => {
    const option = given === 'cdrom' ? 'ide2' : given
    if (settings[option] !== undefined) {
      paramError({delete: `you can't use '-${option}' and -delete ${option}' at the same time`})
    }
    if (reversions.has(option)) {
      paramError({revert: `you can't use '-delete ${option}' and -revert ${option}' at the same time`})
    }
    if (!optionExists(option)) paramError({delete: `unknown option '${option}'`})
    return option
  })
}

/** Drives and nets in their stored spelling; a missing address or identity is made up here. */
function completeSettings({cluster}: Subject, request: UpdateRequest): void {
  request.settings = normaliseDrives(cluster, request.settings)
  const {settings} = request
  for (const option of Object.keys(settings).sort()) {
    const value = settings[option] ?? ''
    if (isNetName(option)) {
      settings[option] = completeNet(cluster, value)
    } else if (option === 'vmgenid' && value === '1') {
      settings[option] = cluster.randomUuid()
    } else if (option === 'hookscript') {
      const problem = hookscriptProblem(cluster, request.node, value)
      if (problem !== undefined) paramError({hookscript: problem})
    }
  }
}

function checkAccess(subject: Subject, {vmid, settings, deletions}: UpdateRequest): void {
  checkOptionPrivileges(subject, vmid, deletions)
  checkOptionPrivileges(subject, vmid, Object.keys(settings).sort())
  checkDriveAccess(subject, settings, {vmid})
  for (const option of Object.keys(settings).filter(isNetName).sort()) {
    checkBridgeAccess(subject, parseNet(settings[option] ?? ''))
  }
}

/** Percent sequences become the bytes they stand for, anything else stays. */
export function unescapeUri(text: string): string {
  return text.replace(/(?:%[0-9a-fA-F]{2})+/g, (bytes) =>
    Buffer.from(bytes.replaceAll('%', ''), 'hex').toString('utf8'),
  )
}
