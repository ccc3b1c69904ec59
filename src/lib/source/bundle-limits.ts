// How much a source may say, whichever way it comes.
import {MAX_TOTAL_BYTES} from '../desired/read-desired.ts'

/** Texts and envelopes together. */
export const MAX_BUNDLE_BYTES = MAX_TOTAL_BYTES
export const MAX_TEXTS = 10_000
/** Of approvals, and of jobs. */
export const MAX_ENVELOPES = 1000
/** One more than the gate takes, so that it can tell that one is too long. */
export const MAX_CARRIED_BYTES = 64 * 1024 + 1

const MAX_NAME_CHARACTERS = 512
const TEXT_NAME = /\.ya?ml$/i
const ENVELOPE_NAME = /^(approvals|jobs)\/[^/]+\.json$/
const UNFIT = /[\u0000-\u001f\u007f-\u009f\\]|[\u200e\u200f\u202a-\u202e\u2066-\u2069]/

/** What a file of a bundle is by its name; undefined: nothing that felhom reads. */
export type Part = 'text' | 'approvals' | 'jobs'

export function partOf(name: string): Part | undefined {
  if (name.split('/').some((step) => step.startsWith('.'))) return undefined
  if (TEXT_NAME.test(name)) return 'text'
  const [, folder] = ENVELOPE_NAME.exec(name) ?? []
  return folder as Part | undefined
}

/** A name below the top that can be shown and that leads nowhere else. */
export function isPlainName(name: string): boolean {
  if (name === '' || name.length > MAX_NAME_CHARACTERS || UNFIT.test(name)) return false
  return name.split('/').every((step) => step !== '' && step !== '.' && step !== '..')
}

/** In the order of their names, whatever order they came in. */
export const byName = <T extends {readonly name: string}>(a: T, b: T): number =>
  a.name < b.name ? -1 : a.name > b.name ? 1 : 0
