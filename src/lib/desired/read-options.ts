// `config` and `disks` of a guest, each option by the catalog's word for it.
import {isIndispensable} from '../catalog/indispensable.ts'
import {findOption, optionNames, type Option} from '../catalog/option.ts'
import type {ValueProblem} from '../catalog/read-value.ts'
import type {DesiredOption, DesiredValue} from '../model/desired.ts'
import type {GuestKind} from '../model/guest.ts'
import {explainMisplaced} from './misplaced-option.ts'
import {readSecret} from './read-secret.ts'
import {isMap, type Section, type WrittenMap} from './section.ts'

type Place = 'config' | 'disks'

export function readOptions(guest: Section, kind: GuestKind): ReadonlyMap<string, DesiredOption> {
  const options = new Map<string, DesiredOption>()
  const config = guest.section('config', 'a map of options, such as {cores: 2, memory: 2GiB}')
  if (config) readInto(options, config, kind, 'config')
  const disks = guest.section('disks', 'a map of volumes, such as {rootfs: {size: 16GiB}}')
  if (disks) readInto(options, disks, kind, 'disks')
  return options
}

function readInto(
  options: Map<string, DesiredOption>,
  section: Section,
  kind: GuestKind,
  where: Place,
): void {
  for (const key of Object.keys(section.map)) {
    const written = findOption(kind, key)
    const isHere = written?.isDisk === (where === 'disks')
    if (!written || !isHere || !isWritable(written, section.map[key])) {
      refuseOption(section, kind, where, key, written)
      continue
    }
    const option = written.aliasOf === undefined ? written : (findOption(kind, written.aliasOf) ?? written)
    const value = readOption(section, key, option)
    if (options.has(option.name)) refuseAlias(section, key, option.name)
    else if (value) options.set(option.name, {name: option.name, value, place: section.place(key)})
  }
}

const isWritable = ({isReadOnly, isCreateOnly, isRemovalOnly}: Option, value: unknown): boolean =>
  (!isReadOnly || (isRemovalOnly && value === null)) && !isCreateOnly

function readOption(section: Section, key: string, option: Option): DesiredValue | undefined {
  const written = section.map[key]
  if (written === null) return readRemoval(section, key, option)
  if (!option.isComparable) {
    const from = readSecret(section, key)
    return from && {is: 'secret', from}
  }
  const reading = section.context.values.read(option, written)
  const unfinished = isMap(written) && complainOfUnfinished(section, key, written)
  if ('value' in reading) return unfinished ? undefined : reading.value
  for (const problem of reading.problems) complainOfProblem(section, key, problem)
  return undefined
}

function complainOfProblem(section: Section, key: string, problem: ValueProblem): void {
  const {path, at = 'value', message, expected, suggestion} = problem
  section.complain([key, ...path], at, {
    code: at === 'key' ? 'unknown_key' : 'wrong_value',
    message: message.startsWith(key) ? message : `${key}: ${message}`,
    ...(expected !== undefined && {expected}),
    ...(suggestion !== undefined && {suggestion}),
  })
}

function complainOfUnfinished(section: Section, key: string, parts: WrittenMap): boolean {
  const empty = Object.keys(parts).filter(
    (part) => parts[part] === null && section.context.yaml.isEmpty([...section.path, key, part]),
  )
  for (const part of empty)
    section.complain([key, part], 'key', {
      code: 'no_value',
      message: `nothing is written behind '${part}'`,
      expected: 'a value, or null to remove the part',
    })
  return empty.length > 0
}

/** Whoever has not finished a line shall not lose an option by it. */
function readRemoval(section: Section, key: string, option: Option): DesiredValue | undefined {
  if (section.isEmpty(key)) {
    section.complainOfKey(key, {
      code: 'no_value',
      message: `nothing is written behind '${key}'`,
      expected: 'a value, or null to remove the option',
    })
    return undefined
  }
  if (!isIndispensable(option)) return {is: 'removed'}
  section.complainOfValue(key, {
    code: 'wrong_value',
    message: `a container cannot be without its ${option.name}`,
  })
  return undefined
}

function refuseOption(
  section: Section,
  kind: GuestKind,
  where: Place,
  key: string,
  option: Option | undefined,
): void {
  const misplaced = explainMisplaced(kind, where, key, option)
  if (misplaced) section.complainOfKey(key, misplaced)
  else
    section.complainOfUnknown(
      key,
      `${kind} has no ${where === 'disks' ? 'disk' : 'option'} '${key}'`,
      namesFor(kind, where),
    )
}

const names = new Map<string, readonly string[]>()

function namesFor(kind: GuestKind, where: Place): readonly string[] {
  const known = names.get(`${kind} ${where}`)
  if (known) return known
  const found = optionNames(kind).filter((name) => findOption(kind, name)?.isDisk === (where === 'disks'))
  names.set(`${kind} ${where}`, found)
  return found
}

function refuseAlias(section: Section, key: string, name: string): void {
  section.complainOfKey(key, {
    code: 'same_option',
    message: `'${key}' is another name for '${name}', and both are written`,
    expected: 'one of them',
  })
}
