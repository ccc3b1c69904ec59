// The values that a new guest is made with. Every option that was written is sent, also one that equals the
// default; what only creation takes (pool, password, keys) stands among them.
import {classAtCreation} from '../catalog/class-at-creation.ts'
import {compareOption} from '../catalog/compare-option.ts'
import {findOption, type Option} from '../catalog/option.ts'
import {weighChange} from '../catalog/weigh-change.ts'
import type {DesiredCreate, DesiredGuest, DesiredOption} from '../model/desired.ts'
import type {Need, OptionChange, PlanProblem} from '../model/plan.ts'
import {describeMissingParts} from './describe-missing-parts.ts'
import {describeNewDisk} from './describe-new-disk.ts'

export interface Creation {
  readonly changes: readonly OptionChange[]
  readonly needs: readonly Need[]
  readonly problems: readonly PlanProblem[]
}

const NEW = {before: undefined, impact: 'none', reversible: true, class: 'benign'} as const

export function describeCreation(desired: DesiredGuest, create: DesiredCreate): Creation {
  const changes: OptionChange[] = [...creationOnly(create)]
  const needs: Need[] = []
  const problems: PlanProblem[] = []
  for (const wanted of withRootfs(desired, create)) {
    const option = findOption(desired.kind, wanted.name)
    const described = describeOption(option, wanted, create)
    if ('problem' in described) {
      problems.push({
        code: described.code,
        severity: 'error',
        place: wanted.place,
        message: `${desired.kind}/${desired.vmid}: ${described.problem}`,
      })
    } else if (described.secret === true || described.after !== undefined) {
      changes.push({...described, class: classAtCreation(desired, create.from, wanted.name, described.after)})
      if (option) needs.push(...needsAtCreation(option, described, desired.vmid, create))
    }
  }
  return {changes: changes.sort((a, b) => (a.option < b.option ? -1 : 1)), needs, problems}
}

/** Proxmox makes a root disk of 4 GiB when nothing is said about it: better seen in the plan than found later. */
function withRootfs(desired: DesiredGuest, create: DesiredCreate): DesiredOption[] {
  const options = [...desired.options.values()]
  if (desired.kind === 'qemu' || !('template' in create.from) || desired.options.has('rootfs')) return options
  const value = {is: 'parts', parts: new Map([['size', '4G']])} as const
  return [...options, {name: 'rootfs', value, place: create.place}]
}

function creationOnly({pool, password, sshKeys, unprivileged}: DesiredCreate): OptionChange[] {
  const changes: OptionChange[] = []
  if (pool !== undefined) changes.push({...NEW, option: 'pool', after: pool})
  if (password) changes.push({...NEW, option: 'password', after: undefined, secret: true})
  if (typeof sshKeys === 'string') changes.push({...NEW, option: 'ssh-public-keys', after: sshKeys})
  else if (sshKeys) changes.push({...NEW, option: 'ssh-public-keys', after: undefined, secret: true})
  if (unprivileged !== undefined)
    changes.push({...NEW, option: 'unprivileged', after: unprivileged ? '1' : '0'})
  return changes
}

function describeOption(
  option: Option | undefined,
  wanted: DesiredOption,
  create: DesiredCreate,
): OptionChange | Unfinished {
  const {name, value} = wanted
  if (value.is === 'secret') return {...NEW, option: name, after: undefined, secret: true}
  const comparison = option ? compareOption(option, undefined, value) : undefined
  const text = comparison?.equal === false ? comparison.after : value.is === 'text' ? value.text : undefined
  // What is copied has its disks already: they are not made, they grow.
  if ('clone' in create.from || 'restore' in create.from) {
    return {...NEW, option: name, after: text, ...(option?.isDisk && {note: 'set once it is copied'})}
  }
  if (text === undefined || !option) return {...NEW, option: name, after: text}
  const missing = describeMissingParts(option, text)
  if (missing !== undefined) return {code: 'part_missing', problem: missing}
  if (!option.isDisk) return {...NEW, option: name, after: text}
  const disk = describeNewDisk(option, text, create.storage)
  return 'problem' in disk ? {code: 'no_volume', ...disk} : {...NEW, option: name, after: disk.text}
}

interface Unfinished {
  readonly code: string
  readonly problem: string
}

function needsAtCreation(
  option: Option,
  {after}: OptionChange,
  vmid: number,
  {unprivileged}: DesiredCreate,
): Need[] {
  const config: Record<string, string> =
    unprivileged === undefined ? {} : {unprivileged: unprivileged ? '1' : '0'}
  return weighChange(option, undefined, after, 'stopped', {vmid, config}).needs(vmid)
}
