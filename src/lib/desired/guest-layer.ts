// What may be written both for a guest and as a default for all of its kind, and how the one goes over the
// other: what a guest says itself wins, and null takes a default away.
import type {DesiredGuest, DesiredOption} from '../model/desired.ts'
import type {GuestKind} from '../model/guest.ts'
import {readDuration} from './read-duration.ts'
import {readOptions} from './read-options.ts'
import type {Section} from './section.ts'

/** undefined: not written. null: written as null. */
export interface GuestLayer {
  readonly options: ReadonlyMap<string, DesiredOption>
  readonly run: DesiredGuest['run'] | null | undefined
  readonly restart: DesiredGuest['restart'] | null | undefined
  readonly timeoutMs: number | null | undefined
  readonly force: boolean | null | undefined
}

const DEFAULT_STOP_MS = 60_000

export function readLayer(guest: Section, kind: GuestKind): GuestLayer {
  return {
    options: readOptions(guest, kind),
    run: readUnlessNull(guest, 'run', () => guest.choice('run', ['running', 'stopped'])),
    restart: readUnlessNull(guest, 'restart', () => guest.choice('restart', ['never', 'allowed'])),
    ...readStop(guest),
  }
}

/** An empty line says nothing; only a written null takes a default away. */
function readUnlessNull<T>(section: Section, key: string, read: () => T | undefined): T | null | undefined {
  if (section.map[key] !== null) return read()
  if (!section.isEmpty(key)) return null
  complainOfNothing(section, key)
  return undefined
}

export function complainOfNothing(section: Section, key: string): void {
  section.complainOfKey(key, {
    code: 'no_value',
    message: `nothing is written behind '${key}'`,
    expected: 'a value',
  })
}

const STOP_KEYS = ['timeout', 'force']

function readStop(guest: Section): Pick<GuestLayer, 'timeoutMs' | 'force'> {
  if (guest.map['stop'] === null && !guest.isEmpty('stop')) return {timeoutMs: null, force: null}
  const stop = guest.section('stop', '{timeout: 60s, force: false}')
  if (!stop) return {timeoutMs: undefined, force: undefined}
  for (const key of Object.keys(stop.map))
    if (!STOP_KEYS.includes(key)) stop.complainOfUnknown(key, `'stop' has no key '${key}'`, STOP_KEYS)
  return {
    timeoutMs: readUnlessNull(stop, 'timeout', () => readDuration(stop, 'timeout')),
    force: readUnlessNull(stop, 'force', () => stop.flag('force')),
  }
}

/** A guest's own layer over the defaults of its kind, complete. */
export function mergeLayers(
  own: GuestLayer,
  defaults: GuestLayer | undefined,
): Pick<DesiredGuest, 'options' | 'run' | 'restart' | 'stop'> {
  const run = pick(own.run, defaults?.run)
  return {
    options: !defaults?.options.size ? own.options : new Map([...defaults.options, ...own.options]),
    ...(run !== undefined && {run}),
    restart: pick(own.restart, defaults?.restart) ?? 'never',
    stop: {
      timeoutMs: pick(own.timeoutMs, defaults?.timeoutMs) ?? DEFAULT_STOP_MS,
      force: pick(own.force, defaults?.force) ?? false,
    },
  }
}

const pick = <T>(own: T | null | undefined, fallback: T | null | undefined): T | undefined =>
  (own === undefined ? fallback : own) ?? undefined
