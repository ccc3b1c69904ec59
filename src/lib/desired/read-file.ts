// One file: its version, its defaults and its guests, or what is wrong with them.
import type {SourcePlace} from '../model/desired.ts'
import type {Diagnostic} from '../model/diagnostic.ts'
import {GUEST_KINDS, type GuestKind} from '../model/guest.ts'
import {readYaml} from '../yaml/read-yaml.ts'
import type {Guess} from '../model/nearest-word.ts'
import type {DesiredText} from './desired-text.ts'
import {FILE_KEYS, GUEST_KEYS, LAYER_KEYS, SETTINGS_KEYS} from './guest-keys.ts'
import {readLayer} from './guest-layer.ts'
import {joinDefaults, showPlace, type PlacedDefaults} from './join-defaults.ts'
import {readGuest, type WrittenGuest} from './read-guest.ts'
import {isMap, Section} from './section.ts'
import type {ValueCache} from './value-cache.ts'

/** What the files before this one have said. */
export interface EarlierFiles {
  readonly guests: ReadonlyMap<number, SourcePlace>
  readonly defaults: ReadonlyMap<GuestKind, PlacedDefaults>
  readonly values: ValueCache
  readonly guess: Guess
  readonly room: Room
}

/** What is left for this file: to parse, to keep and to show, whatever stands in how many files. */
export interface Room {
  readonly marks: number
  readonly guests: number
  readonly diagnostics: number
}

export interface FileReading {
  readonly guests: readonly WrittenGuest[]
  /** Where each entry with a right number stands. */
  readonly places: ReadonlyMap<number, SourcePlace>
  /** With those of earlier files. */
  readonly defaults: ReadonlyMap<GuestKind, PlacedDefaults>
  /** Entries under `guests`, right or wrong. */
  readonly guestCount: number
  readonly marks: number
  readonly diagnostics: readonly Diagnostic[]
}

export const MAX_FILE_BYTES = 16 << 20
/** Several times as many as a cluster can hold. */
export const MAX_GUESTS = 20_000
const LIMITS = {maxBytes: MAX_FILE_BYTES, maxDepth: 16}

export function readFile({file, dir, bytes}: DesiredText, earlier: EarlierFiles): FileReading {
  const yaml = readYaml(file, bytes, {...LIMITS, maxMarks: earlier.room.marks})
  const diagnostics = [...yaml.diagnostics]
  let found: Findings = {guests: [], places: new Map(), defaults: earlier.defaults, guestCount: 0}
  if (diagnostics.length === 0) {
    const {values, guess, room} = earlier
    const context = {file, dir, yaml, diagnostics, isUnshown: room.diagnostics === 0, values, guess}
    if (yaml.value === null || isMap(yaml.value))
      found = readRoot(new Section(context, [], yaml.value ?? {}), earlier)
    else
      diagnostics.push(
        yaml.diagnose([], 'value', {
          code: 'not_a_map',
          message: 'a desired-state file is a map',
          expected: `{${FILE_KEYS.join(', ')}}`,
        }),
      )
  }
  return {...found, marks: yaml.marks, diagnostics: diagnostics.sort(byPlace)}
}

const byPlace = (a: Diagnostic, b: Diagnostic): number =>
  (a.line ?? 0) - (b.line ?? 0) || (a.column ?? 0) - (b.column ?? 0)

type Findings = Omit<FileReading, 'diagnostics' | 'marks'>

function readRoot(root: Section, earlier: EarlierFiles): Findings {
  checkVersion(root)
  for (const key of Object.keys(root.map)) if (!FILE_KEYS.includes(key)) refuseKey(root, key)
  const defaults = readDefaults(root, earlier.defaults)
  const guests = root.section('guests', 'a map of guests by vmid')
  return {
    defaults,
    ...(guests ? readGuests(guests, earlier) : {guests: [], places: new Map(), guestCount: 0}),
  }
}

function checkVersion(root: Section): void {
  const version = root.map['felhom']
  if (version === 1) return
  const complaint = {code: 'version', expected: 'felhom: 1'}
  if (version === undefined)
    root.complain([], 'key', {...complaint, message: "the line 'felhom: 1' is missing"})
  else
    root.complainOfValue('felhom', {...complaint, message: 'this felhom knows version 1 of the format only'})
}

function refuseKey(root: Section, key: string): void {
  if (SETTINGS_KEYS.includes(key))
    root.complainOfKey(key, {
      code: 'settings_in_desired',
      message: `this is a desired-state file, and '${key}' belongs in the settings`,
      expected: `'${key}' in felhom.yaml, and the guests in a file of their own`,
    })
  else if (VMID.test(key))
    root.complainOfKey(key, {
      code: 'misplaced',
      message: 'a guest stands here',
      expected: "guests under 'guests'",
    })
  else root.complainOfUnknown(key, `a desired-state file has no key '${key}'`, FILE_KEYS)
}

function readDefaults(root: Section, earlier: EarlierFiles['defaults']): EarlierFiles['defaults'] {
  const layers = new Map(earlier)
  const defaults = root.section('defaults', '{lxc: {config: …}, qemu: {config: …}}')
  if (!defaults) return layers
  for (const key of Object.keys(defaults.map)) {
    const kind = GUEST_KINDS.find((name) => name === key)
    const section = kind && defaults.section(key, '{config: …, disks: …, run: …, restart: …, stop: …}')
    if (kind === undefined) defaults.complainOfUnknown(key, `there is no kind of guest '${key}'`, GUEST_KINDS)
    else if (section) {
      for (const name of Object.keys(section.map))
        if (!LAYER_KEYS.includes(name)) refuseDefault(section, name)
      const layer = readLayer(section, kind)
      const before = earlier.get(kind)
      layers.set(kind, before ? joinDefaults(section, layer, before) : {layer, place: defaults.place(key)})
    }
  }
  return layers
}

function refuseDefault(section: Section, key: string): void {
  if (!GUEST_KEYS.includes(key)) section.complainOfUnknown(key, `there is no default '${key}'`, LAYER_KEYS)
  else
    section.complainOfKey(key, {
      code: 'misplaced',
      message: `'${key}' is written for each guest; there is no default for it`,
      expected: `one of ${LAYER_KEYS.join(', ')}`,
    })
}

const VMID = /^[1-9]\d{2,8}$/

function readGuests(section: Section, earlier: EarlierFiles): Omit<Findings, 'defaults'> {
  const guests: WrittenGuest[] = []
  const places = new Map<number, SourcePlace>()
  const keys = Object.keys(section.map)
  if (keys.length > earlier.room.guests) {
    refuseMany(section)
    return {guests, places, guestCount: keys.length}
  }
  for (const key of keys) {
    if (!VMID.test(key)) {
      refuseVmid(section, key)
      continue
    }
    const vmid = Number(key)
    const [place, first] = [section.place(key), earlier.guests.get(vmid)]
    if (first) refuseTwice(section, key, first)
    places.set(vmid, place)
    const guest = readEntry(section, key, place)
    if (guest) guests.push(guest)
  }
  return {guests, places, guestCount: keys.length}
}

function readEntry(guests: Section, key: string, place: SourcePlace): WrittenGuest | undefined {
  const section = guests.section(key, '{kind: lxc, config: …}')
  if (section) return readGuest(section, Number(key), place)
  if (guests.map[key] === null)
    guests.complainOfKey(key, {
      code: 'no_value',
      message: 'nothing is written about this guest',
      expected: '{kind: …}',
    })
  return undefined
}

const refuseMany = (guests: Section): void =>
  guests.complain([], 'key', {
    code: 'too_large',
    message: 'with this file there are too many guests',
    expected: `at most ${MAX_GUESTS} in all files together`,
  })

const refuseVmid = (guests: Section, key: string): void =>
  guests.complainOfKey(key, {
    code: 'vmid',
    message: `'${key}' is not the number of a guest`,
    expected: 'a whole number from 100 to 999999999, in decimal digits',
  })

const refuseTwice = (guests: Section, key: string, first: SourcePlace): void =>
  guests.complainOfKey(key, {
    code: 'guest_twice',
    message: `guest ${key} is already defined at ${showPlace(first)}`,
    expected: 'one place for each guest; its number is unique in the cluster, whatever its kind',
  })
