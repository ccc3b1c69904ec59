// The options of a backup, be it started at once or scheduled: who may set which, and which go together.
import {requirePrivs, ROOT, type Subject} from '../access/permissions.ts'
import {paramError} from '../pve-error.ts'
import {parsePropertyString} from '../schema/property-string.ts'
import {notesTemplateProblem} from './notes-template.ts'
import type {Selection} from './included-guests.ts'

/** Option → text; lists only of `exclude-path`. */
export type BackupOptions = Readonly<Record<string, string | string[] | null | undefined>>

const ROOT_ONLY = ['tmpdir', 'dumpdir', 'script', 'job-id']
const TUNING = ['bwlimit', 'ionice', 'performance']
const DEFAULT_STORAGE = 'local'

export function textOption(options: BackupOptions, name: string): string | undefined {
  const value = options[name]
  return typeof value === 'string' ? value : undefined
}

/** Where the backups go; undefined where a folder is named instead. */
export function storageOption(options: BackupOptions): string | undefined {
  return textOption(options, 'dumpdir') ? undefined : textOption(options, 'storage') || DEFAULT_STORAGE
}

/** `exclude` alone means all others. */
export function selectionOf(options: BackupOptions): Selection {
  const [pool, vmid, exclude] = ['pool', 'vmid', 'exclude'].map((name) => textOption(options, name))
  const isAll = textOption(options, 'all') === '1' || (exclude !== undefined && !pool)
  return {pool, vmid, exclude, isAll}
}

export function requireOptionPrivileges(subject: Subject, options: BackupOptions): void {
  if (subject.principal.authid === ROOT) return
  for (const name of ROOT_ONLY) if (name in options) paramError({[name]: 'Only root may set this option.'})
  if (TUNING.some((name) => name in options)) requirePrivs(subject, '/', ['Sys.Modify'])
  const fleecing = textOption(options, 'fleecing')
  const storage = fleecing ? parsePropertyString('backup-fleecing', fleecing)['storage'] : undefined
  if (storage) requirePrivs(subject, `/storage/${storage}`, ['Datastore.AllocateSpace'])
}

/** With `isComplete` something must be selected, too. */
export function checkBackupOptions(options: BackupOptions, isComplete: boolean): void {
  const {vmid, pool, isAll} = selectionOf(options)
  for (const name of ['all', 'exclude', 'pool']) {
    const value = textOption(options, name)
    if (vmid && value && value !== '0') paramError({[name]: "option conflicts with option 'vmid'"})
  }
  const template = textOption(options, 'notes-template')
  const problem = template ? notesTemplateProblem(template) : undefined
  if (problem !== undefined) paramError({'notes-template': problem})
  const selectsSome = isAll || textOption(options, 'stop') === '1' || pool || vmid
  if (isComplete && !selectsSome) paramError({vmid: 'property is missing'})
}
