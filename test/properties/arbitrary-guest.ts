// Random guests, as they are and as they are desired, over every option of both kinds: the values are those that the
// real Proxmox has accepted, whole or as a map of some of their parts, and "shall not be set".
import fc from 'fast-check'
import {isIndispensable} from '../../src/lib/catalog/indispensable.ts'
import {findOption, type Option} from '../../src/lib/catalog/option.ts'
import {parseProperties} from '../../src/lib/catalog/property-string.ts'
import {readValue} from '../../src/lib/catalog/read-value.ts'
import type {DesiredCreate, DesiredGuest, DesiredOption} from '../../src/lib/model/desired.ts'
import type {GuestAddress, GuestKind} from '../../src/lib/model/guest.ts'
import {desiredGuest} from '../support/desired-guest.ts'
import {readOptionFacts} from '../support/recorded-option-facts.ts'

/** Option → the values that Proxmox took, whatever state the guest was in. */
export type ValuePool = ReadonlyMap<string, readonly string[]>

export const valuePools: Readonly<Record<GuestKind, ValuePool>> = {lxc: collect('lxc'), qemu: collect('qemu')}

function collect(kind: GuestKind): ValuePool {
  const pool = new Map<string, Set<string>>()
  for (const fact of readOptionFacts().facts) {
    if (fact.kind !== kind || fact.status !== 200 || !isManaged(findOption(kind, fact.option))) continue
    const values = pool.get(fact.option) ?? new Set()
    pool.set(fact.option, values.add(String(fact.value)))
  }
  return new Map([...pool].map(([option, values]) => [option, [...values]]))
}

function isManaged(option: Option | undefined): boolean {
  return option !== undefined && !option.isReadOnly && option.isComparable && option.aliasOf === undefined
}

/** What somebody sets before felhom comes: option → value, in the order in which it is set. */
export type History = readonly (readonly [option: string, value: string])[]

export interface Case {
  readonly guest: GuestAddress
  readonly history: History
  readonly desired: DesiredGuest
}

/** The guests of the recorded seed: a running and a stopped one of each kind. */
const GUESTS: readonly GuestAddress[] = [
  {kind: 'lxc', node: 'pve', vmid: 101},
  {kind: 'lxc', node: 'pve', vmid: 102},
  {kind: 'qemu', node: 'pve', vmid: 200},
  {kind: 'qemu', node: 'pve', vmid: 201},
]

const arbitraryHistory = (kind: GuestKind): fc.Arbitrary<History> =>
  fc.uniqueArray(arbitraryText(kind), {maxLength: 6, selector: ([option]) => option})

const arbitraryText = (kind: GuestKind): fc.Arbitrary<readonly [string, string]> =>
  fc
    .constantFrom(...valuePools[kind])
    .chain(([option, values]) => fc.constantFrom(...values).map((value) => [option, value] as const))

const place = {file: 'guests.yaml', line: 1, column: 1}

const arbitraryOptions = (kind: GuestKind): fc.Arbitrary<ReadonlyMap<string, DesiredOption>> =>
  fc
    .uniqueArray(
      arbitraryText(kind).chain(([name, text]) => arbitraryWritten(kind, name, text)),
      {minLength: 1, maxLength: 8, selector: ([name]) => name},
    )
    .map((written) => new Map(written.flatMap(([name, value]) => readOption(kind, name, value))))

/** The text, `null`, or a map of some of its parts. */
function arbitraryWritten(
  kind: GuestKind,
  name: string,
  text: string,
): fc.Arbitrary<readonly [string, unknown]> {
  const format = findOption(kind, name)?.format
  const reading = format && parseProperties(format, text)
  const parts = reading && 'parts' in reading ? [...reading.parts] : []
  const whole = {weight: 6, arbitrary: fc.constant<unknown>(text)}
  const removed = {weight: 1, arbitrary: fc.constant<unknown>(null)}
  const written =
    parts.length === 0
      ? fc.oneof(whole, removed)
      : fc.oneof(whole, removed, {weight: 3, arbitrary: arbitraryMap(parts)})
  return written.map((value) => [name, value] as const)
}

const arbitraryMap = (parts: [string, string][]): fc.Arbitrary<unknown> =>
  fc.subarray(parts, {minLength: 1}).map((some) => Object.fromEntries(some))

/** None for what felhom does not let be written, and for what a container cannot be without. */
function readOption(kind: GuestKind, name: string, written: unknown): [string, DesiredOption][] {
  const option = findOption(kind, name)
  const reading = option && readValue(option, written)
  if (!option || !reading || !('value' in reading)) return []
  if (written === null && isIndispensable(option)) return []
  return [[name, {name, value: reading.value, place}]]
}

export const arbitraryCase: fc.Arbitrary<Case> = fc.constantFrom(...GUESTS).chain((guest) =>
  fc
    .record({
      history: arbitraryHistory(guest.kind),
      options: arbitraryOptions(guest.kind),
      run: fc.constantFrom('running' as const, 'stopped' as const, undefined),
      restart: fc.constantFrom('never' as const, 'allowed' as const),
    })
    .map(({history, options, run, restart}) => ({
      guest,
      history,
      desired: desiredGuest(guest.vmid, {}, {kind: guest.kind, options, restart, ...(run && {run})}),
    })),
)

const TEMPLATE = 'local:vztmpl/debian-12-tiny_12.7-1_amd64.tar.gz'
const NEW_VMID = 300

/** What a guest can be made from in the recorded seed, by kind. */
const ORIGINS: readonly (readonly [GuestKind, DesiredCreate['from']])[] = [
  ['lxc', {template: TEMPLATE}],
  ['lxc', {clone: 102, full: true}],
  ['qemu', {empty: true}],
  ['qemu', {clone: 201, full: true}],
]

/** A guest that does not exist yet. */
export const arbitraryNewGuest: fc.Arbitrary<DesiredGuest> = fc
  .constantFrom(...ORIGINS)
  .chain(([kind, from]) =>
    fc
      .record({options: arbitraryOptions(kind), run: fc.constantFrom('running' as const, 'stopped' as const)})
      .map(({options, run}) =>
        desiredGuest(
          NEW_VMID,
          {},
          {
            ...{kind, options, run, restart: 'allowed'},
            create: {from, ...(!('clone' in from) && {storage: 'local'}), place},
          },
        ),
      ),
  )
