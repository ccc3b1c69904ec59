// What one pass leaves to the next, kept in the state directory: cron starts a process for each, and whoever restarts
// the daemon has not mended what fails. It is a better guess and nothing more: what cannot be read is begun anew, and
// then what fails is tried at once, and what was refused is asked and audited once more.
import {readFileSync, statSync} from 'node:fs'
import {join} from 'node:path'
import {GUEST_KINDS, type GuestId} from '../../model/guest.ts'
import {replaceFile} from '../../store/replace-file.ts'
import type {Failing} from './back-offs.ts'

export interface KeptMemory {
  readonly backOffs: readonly Failing[]
  /** Digests of what was asked and what the gate has said. */
  readonly refusals: readonly string[]
  /** The same of signed jobs, by nonce. */
  readonly jobRefusals: readonly (readonly [string, string])[]
}

/** Where it is kept; neither of them throws. */
export interface MemoryKeeper {
  load(): KeptMemory | undefined
  /** The caller holds the lock of the state directory. */
  save(kept: KeptMemory): void
}

const VERSION = 1
const MOST_BYTES = 16 * 1024 * 1024

export const memoryFile = (state: string): string => join(state, 'pass-memory.json')

export function keepMemory(path: string, warn: (text: string) => void): MemoryKeeper {
  let last: string | undefined
  return {
    load: () => {
      const found = loadMemory(path, warn)
      last = found && encode(found)
      return found
    },
    save: (kept) => {
      const text = encode(kept)
      // Nothing new in it: a pass that finds nothing to do writes nothing.
      if (text === last) return
      try {
        replaceFile(path, text)
        last = text
      } catch (error) {
        warn(`${path} cannot be written: ${(error as Error).message}`)
      }
    },
  }
}

const encode = (kept: KeptMemory): string => `${JSON.stringify({version: VERSION, ...kept})}\n`

function loadMemory(path: string, warn: (text: string) => void): KeptMemory | undefined {
  try {
    if (statSync(path).size > MOST_BYTES) throw new Error('it is too long')
    return decode(JSON.parse(readFileSync(path, 'utf8')))
  } catch (error) {
    const {code, message} = error as NodeJS.ErrnoException
    if (code !== 'ENOENT')
      warn(`${path} cannot be used (${code ?? message}): what has failed is tried at once`)
    return undefined
  }
}

function decode(value: unknown): KeptMemory {
  const {version, backOffs, refusals, jobRefusals} = object(value)
  if (version !== VERSION) throw new Error('it is of another version')
  return {
    backOffs: list(backOffs).map(decodeFailing),
    refusals: list(refusals).map(text),
    jobRefusals: list(jobRefusals).map(pair),
  }
}

function decodeFailing(value: unknown): Failing {
  const {guest, failures, untilMs, pauseMs, work} = object(value)
  return {
    guest: decodeGuest(guest),
    failures: count(failures),
    untilMs: count(untilMs),
    pauseMs: count(pauseMs),
    work: text(work),
  }
}

function decodeGuest(value: unknown): GuestId {
  const {kind, vmid} = object(value)
  const known = GUEST_KINDS.find((each) => each === kind)
  if (known === undefined) throw strange()
  return {kind: known, vmid: count(vmid)}
}

const strange = (): Error => new Error('its shape is not ours')

function object(value: unknown): Record<string, unknown> {
  if (typeof value === 'object' && value !== null && !Array.isArray(value))
    return value as Record<string, unknown>
  throw strange()
}

function list(value: unknown): unknown[] {
  if (Array.isArray(value)) return value
  throw strange()
}

function text(value: unknown): string {
  if (typeof value === 'string') return value
  throw strange()
}

function pair(value: unknown): readonly [string, string] {
  const [a, b] = list(value)
  return [text(a), text(b)]
}

function count(value: unknown): number {
  if (typeof value === 'number' && value >= 0) return value
  throw strange()
}
