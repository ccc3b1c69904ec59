// The catalog knows every option of a guest: its grammar, what it costs to change it and who may. It touches
// nothing but its generated data. It guarantees that equality of two values is decided here and nowhere else,
// and that an option it does not know is never taken for a harmless one.
import type {GuestKind} from '../model/guest.ts'
import type {GateClass} from '../model/plan.ts'
import data from './data/options.json' with {type: 'json'}
import type {OptionData, OptionTraits} from './option-data.ts'

export interface Option extends OptionTraits {
  readonly kind: GuestKind
  /** `net0` */
  readonly name: string
  /** `net[n]`; the name itself where there is only one. */
  readonly family: string
  readonly index?: number
  readonly isDisk: boolean
  readonly isCreateOnly: boolean
  readonly isReadOnly: boolean
  /** Proxmox alone sets it; removing it is the way to be rid of what it names. */
  readonly isRemovalOnly: boolean
  /** Of a read-only option: why felhom does not write it. */
  readonly readOnlyReason?: string
  /** False: what is read back says nothing about what was written. */
  readonly isComparable: boolean
  readonly rootOnly: boolean | 'some'
  /** What a token needs on the guest; alternatives are joined by `|`. Empty where no token will do. */
  readonly privilege: string
  /** `destructive`: some change of it is; weighChange tells which. */
  readonly gate: GateClass
}

interface Shelf {
  readonly byStem: ReadonlyMap<string, OptionData>
  readonly found: Map<string, Option>
  names?: readonly string[]
}

const shelves: Readonly<Record<GuestKind, Shelf>> = {lxc: fill(data.lxc), qemu: fill(data.qemu)}

function fill(options: readonly OptionData[]): Shelf {
  return {byStem: new Map(options.map((option) => [option.family, option])), found: new Map()}
}

const NUMBERED = /^(.*?)(0|[1-9]\d{0,2})$/

export function findOption(kind: GuestKind, name: string): Option | undefined {
  const {byStem, found} = shelves[kind]
  const known = found.get(name)
  if (known) return known
  const option = lookUp(kind, byStem, name)
  if (option) found.set(name, option)
  return option
}

function lookUp(kind: GuestKind, byStem: Shelf['byStem'], name: string): Option | undefined {
  const plain = byStem.get(name)
  if (plain) return plain.count === undefined ? makeOption(kind, plain, name) : undefined
  const [, stem, digits] = NUMBERED.exec(name) ?? []
  const numbered = stem === undefined ? undefined : byStem.get(`${stem}[n]`)
  const index = Number(digits)
  if (numbered?.count === undefined || index >= numbered.count) return undefined
  return makeOption(kind, numbered, name, index)
}

function makeOption(kind: GuestKind, stored: OptionData, name: string, index?: number): Option {
  const {readOnly, ...rest} = stored
  return {
    isDisk: false,
    isCreateOnly: false,
    isComparable: true,
    rootOnly: false,
    privilege: '',
    gate: 'benign',
    ...rest,
    kind,
    name,
    isReadOnly: readOnly !== undefined,
    isRemovalOnly: stored.family === 'unused[n]',
    ...(readOnly === undefined ? {} : {readOnlyReason: readOnly}),
    ...(index === undefined ? {} : {index}),
  }
}

/** One option per family: of a numbered one the first. */
export function listFamilies(kind: GuestKind): readonly Option[] {
  return data[kind].flatMap(({family}) => findOption(kind, family.replace('[n]', '0')) ?? [])
}

/** Every name there is, `net0` to `net31` included. */
export function optionNames(kind: GuestKind): readonly string[] {
  const shelf = shelves[kind]
  shelf.names ??= data[kind].flatMap(({family, count}) =>
    count === undefined
      ? [family]
      : Array.from({length: count}, (_, index) => family.replace('[n]', String(index))),
  )
  return shelf.names
}
