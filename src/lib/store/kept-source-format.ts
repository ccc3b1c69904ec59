// How the kept state of a source is written: versioned JSON, bytes in base64, sealed with a digest, since what was
// changed by a failing disk could still be JSON.
import {createHash} from 'node:crypto'
import type {SourceKind, SourceStanding} from '../model/daemon.ts'

/** All that a source said. */
export interface KeptSource {
  readonly kind: SourceKind
  readonly place: string
  /** Of what the place does not show; absent too where an earlier felhom has written it. */
  readonly mark?: string | undefined
  readonly revision: string
  readonly serial?: number
  readonly keptAtMs: number
  readonly texts: readonly {readonly file: string; readonly dir: string; readonly bytes: Uint8Array}[]
  readonly approvals: readonly KeptEnvelope[]
  readonly jobs: readonly KeptEnvelope[]
}

export interface KeptEnvelope {
  readonly name: string
  readonly bytes: Uint8Array
}

export interface SourceNote {
  readonly standing: SourceStanding
  /** Of the source that stands so, as in what was kept. */
  readonly mark?: string | undefined
  /** What was good last. It is here too, so that damage to the one file does not lose sight of what was there. */
  readonly good?: GoodNote
  readonly memory?: KeptMemory
}

/** Of the source itself, for its next process; the source checks it. */
export interface KeptMemory {
  readonly savedAtMs: number
  readonly value: unknown
}

export interface GoodNote {
  readonly kind: SourceKind
  readonly place: string
  readonly mark?: string | undefined
  readonly revision: string
  readonly serial?: number
  /** When the source last vouched for it, by the clock of that time. */
  readonly goodAtMs: number
  /** What counts in its place while the clock is before it. */
  readonly setBackToMs?: number | undefined
  /** Of the guests that shall be there, ascending. */
  readonly vmids: readonly number[]
}

/** The compiler sees to it that none is forgotten. */
const KINDS: Readonly<Record<Exclude<SourceKind, 'none'>, true>> = {
  files: true,
  git: true,
  https: true,
  plugin: true,
}

export function encodeKept({texts, approvals, jobs, ...rest}: KeptSource): string {
  const kept = {
    ...rest,
    texts: texts.map(({bytes, ...text}) => ({...text, base64: toBase64(bytes)})),
    approvals: approvals.map(encodeEnvelope),
    jobs: jobs.map(encodeEnvelope),
  }
  return `${JSON.stringify({felhom_source: 1, sha256: digest(JSON.stringify(kept)), kept})}\n`
}

const encodeEnvelope = ({name, bytes}: KeptEnvelope): unknown => ({name, base64: toBase64(bytes)})
const toBase64 = (bytes: Uint8Array): string =>
  Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength).toString('base64')
const digest = (text: string): string => createHash('sha256').update(text).digest('hex')

/** Throws on anything but what encodeKept has written. */
export function decodeKept(text: string): KeptSource {
  const {felhom_source: version, sha256, kept} = asMap(JSON.parse(text))
  requireVersion(version)
  if (sha256 !== digest(JSON.stringify(kept))) throw new TypeError('it is not as it was written')
  const {kind, place, mark, revision, serial, keptAtMs, texts, approvals, jobs} = asMap(kept)
  if (!Object.hasOwn(KINDS, asText(kind))) throw new TypeError('it names no kind of source')
  return {
    kind: kind as SourceKind,
    place: asText(place),
    ...(mark !== undefined && {mark: asText(mark)}),
    revision: asText(revision),
    ...(serial !== undefined && {serial: asNumber(serial)}),
    keptAtMs: asNumber(keptAtMs),
    texts: asList(texts).map((item) => {
      const {file, dir, base64} = asMap(item)
      return {file: asText(file), dir: asText(dir), bytes: fromBase64(base64)}
    }),
    approvals: asList(approvals).map(decodeEnvelope),
    jobs: asList(jobs).map(decodeEnvelope),
  }
}

function decodeEnvelope(item: unknown): KeptEnvelope {
  const {name, base64} = asMap(item)
  return {name: asText(name), bytes: fromBase64(base64)}
}

export function decodeNote(text: string): SourceNote {
  const {felhom_source: version, standing, mark, good, memory} = asMap(JSON.parse(text))
  requireVersion(version)
  const {place, state} = asMap(standing)
  asText(place)
  if (!['fresh', 'away', 'refused'].includes(asText(state))) throw new TypeError('it names no state')
  if (good !== undefined) {
    const {mark: ofGood, revision, goodAtMs, setBackToMs, vmids} = asMap(good)
    if (ofGood !== undefined) asText(ofGood)
    asText(revision)
    asNumber(goodAtMs)
    if (setBackToMs !== undefined) asNumber(setBackToMs)
    asList(vmids).forEach(asNumber)
  }
  const {savedAtMs, value} = memory === undefined ? {} : asMap(memory)
  const kept = value !== undefined && {memory: {savedAtMs: asNumber(savedAtMs), value}}
  return {
    standing,
    ...(mark !== undefined && {mark: asText(mark)}),
    ...(good !== undefined && {good}),
    ...kept,
  } as SourceNote
}

function requireVersion(version: unknown): void {
  if (version !== 1) throw new TypeError('it is of a version that this felhom does not know')
}

function asMap(value: unknown): Record<string, unknown> {
  if (typeof value === 'object' && value !== null && !Array.isArray(value))
    return value as Record<string, unknown>
  throw new TypeError('it has not the shape that felhom writes')
}

function asList(value: unknown): unknown[] {
  if (Array.isArray(value)) return value as unknown[]
  throw new TypeError('it has not the shape that felhom writes')
}

function asText(value: unknown): string {
  if (typeof value === 'string') return value
  throw new TypeError('it has not the shape that felhom writes')
}

function asNumber(value: unknown): number {
  if (typeof value === 'number' && Number.isFinite(value)) return value
  throw new TypeError('it has not the shape that felhom writes')
}

const fromBase64 = (value: unknown): Uint8Array => Buffer.from(asText(value), 'base64')
