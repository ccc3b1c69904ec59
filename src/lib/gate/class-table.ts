// What needs a signature, as one table for people: every operation, and every option of the catalog. The rows of the
// options are computed from the very rules that the gate weighs with.
import {CONDITIONS} from '../catalog/change-conditions.ts'
import {CHANGE_RULES, type ChangeRule} from '../catalog/change-rules.ts'
import {findOption, listFamilies, type Option} from '../catalog/option.ts'
import {operationOfChange} from '../catalog/operation-of-change.ts'
import type {SignedOperation} from '../model/approval.ts'
import type {GuestKind} from '../model/guest.ts'
import type {ActionBody, GateClass} from '../model/plan.ts'

export interface ClassRow {
  /** An action, or a family of options: `net[n]`. */
  readonly subject: string
  /** Which of its forms; empty: all. */
  readonly when: string
  readonly class: GateClass
  /** What a signature must be for; absent where none is needed, and where none can allow it. */
  readonly operation?: SignedOperation
  readonly why: string
}

const PROVED = 'the own journal proves that it was created in the same run, or as scratch'
const LATER = 'classified and gated; no plan asks for it'

const benign = (subject: string, when: string, why: string): ClassRow => ({
  subject,
  when,
  class: 'benign',
  why,
})
const destructive = (subject: string, when: string, why: string, operation?: SignedOperation): ClassRow => ({
  subject,
  when,
  class: 'destructive',
  ...(operation && {operation}),
  why,
})

const ACTIONS: Readonly<Record<ActionBody['type'], readonly ClassRow[]>> = {
  start: [benign('start', '', 'nothing is lost')],
  shutdown: [benign('shutdown', '', 'nothing that is stored is lost')],
  restart: [benign('restart', '', 'nothing that is stored is lost')],
  resize: [benign('resize', '', 'disks only grow: it cannot be undone, and loses nothing')],
  migrate: [benign('migrate', '', 'the guest keeps its volumes')],
  create: [
    benign('create', 'new, cloned or restored under a free number', 'there is nothing to lose'),
    destructive('create', 'with a volume that is there already', 'the volume may be another’s'),
    destructive('create', 'over a guest that exists', 'its volumes are overwritten', 'guest.restore_over'),
  ],
  destroy: [
    destructive('destroy', '', 'the guest, its volumes and snapshots are lost', 'guest.destroy'),
    benign('destroy', PROVED, 'nothing but our own work is lost'),
  ],
  'snapshot-delete': [destructive('snapshot-delete', '', 'a way back is lost', 'snapshot.delete')],
  'snapshot-rollback': [
    destructive('snapshot-rollback', '', 'what was written since is lost', 'snapshot.rollback'),
  ],
  'set-config': [benign('set-config', 'see the options below', 'as strict as the strictest of its changes')],
}

/** What no plan asks for is gated all the same, for those who bring their own executor. */
const OTHERS: readonly ClassRow[] = [
  destructive(
    'what loses nothing',
    'a rule of a plugin wants a signature',
    'the rule says so',
    'guest.change',
  ),
  destructive('move a disk', 'and delete its source', LATER, 'volume.move_delete'),
  destructive('wipe a storage', '', LATER, 'storage.wipe'),
  destructive('decommission a host', '', LATER, 'host.decommission'),
  destructive('rotate operational keys', '', 'it changes who may sign', 'trust.rotate_operational'),
  destructive('rotate recovery keys', '', 'it changes who may change that', 'trust.rotate_recovery'),
  destructive('anything else', '', 'what is not known is destructive'),
]

export const listOperationClasses = (): readonly ClassRow[] => [...Object.values(ACTIONS).flat(), ...OTHERS]

/** Where the rule itself says no more than that it is so. */
const REASONS: Readonly<Record<string, string>> = {
  lock: 'it guards work that is under way',
  protection: 'it guards the guest and its disks against removal',
  template: 'a template does not become a guest again',
  unprivileged: 'it changes whose files they are',
  'unused[n]': 'Proxmox keeps a detached volume there',
}

/** One row for each rule that makes a change of the option destructive, or one that says that none does. */
export function listOptionClasses(kind: GuestKind): readonly ClassRow[] {
  return listFamilies(kind)
    .flatMap((option) => rowsOf(option))
    .sort((a, b) => (a.subject < b.subject ? -1 : a.subject > b.subject ? 1 : 0))
}

function rowsOf(option: Option): readonly ClassRow[] {
  const {kind, family, aliasOf} = option
  const families = [family, ...(aliasOf === undefined ? [] : [findOption(kind, aliasOf)?.family ?? aliasOf])]
  const rules = CHANGE_RULES.filter(
    (rule) =>
      rule.class === 'destructive' &&
      (rule.kind ?? kind) === kind &&
      families.some((name) => rule.families.includes(name)),
  )
  if (rules.length === 0) return [benign(option.family, '', 'it carries no data')]
  return rules.map((rule) => {
    const verb = rule.verbs?.join() === 'removed' ? 'removed' : 'written'
    const why = rule.note ?? REASONS[option.family] ?? 'what it names may be another’s'
    return destructive(option.family, describeForm(rule), why, operationOfChange(option, verb))
  })
}

function describeForm({verbs, parts, where}: ChangeRule): string {
  return [
    ...(verbs ? [verbs.join(' or ')] : []),
    ...(parts ? [`another ${parts.join(' or ')}`] : []),
    ...(where ? [`if ${CONDITIONS[where].words}`] : []),
  ].join(', ')
}
