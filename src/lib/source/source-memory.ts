// What a source would like to know again in another process, such as the next pass of a timer: how to ask whether
// something has changed, and how long to leave a server alone. It lies on a disk meanwhile, and is checked when it is
// read back; whatever is not as it should be is forgotten, which costs a request.
import type {FailedFetch} from './failed-fetch.ts'

export interface SourceMemory {
  readonly last?: {readonly revision: string; readonly validators: Validators}
  readonly failure?: Failure
}

/** Headers of a conditional request. */
export type Validators = Readonly<Record<string, string>>

export interface Failure {
  readonly fetched: FailedFetch
  readonly failures: number
  readonly untilMs: number
}

const VALIDATORS: ReadonlyMap<string, RegExp> = new Map([
  ['If-None-Match', /^(?:W\/)?"[\u0021\u0023-\u007e]{0,256}"$/],
  ['If-Modified-Since', /^[A-Za-z0-9,: ]{1,40}$/],
])

export const isEtag = (text: string): boolean => VALIDATORS.get('If-None-Match')?.test(text) === true

export function readMemory(value: unknown): SourceMemory {
  const {last, failure} = asMap(value)
  return {...readLast(asMap(last)), ...readFailure(asMap(failure))}
}

function readLast({revision, validators}: Record<string, unknown>): Pick<SourceMemory, 'last'> {
  const known = Object.entries(asMap(validators)).flatMap(([name, text]) =>
    typeof text === 'string' && VALIDATORS.get(name)?.test(text) === true ? [[name, text] as const] : [],
  )
  if (typeof revision !== 'string' || known.length === 0) return {}
  return {last: {revision, validators: Object.fromEntries(known)}}
}

function readFailure({fetched, failures, untilMs}: Record<string, unknown>): Pick<SourceMemory, 'failure'> {
  const {kind, problem} = asMap(fetched)
  if (kind !== 'away' && kind !== 'unusable') return {}
  if (typeof problem !== 'string' || !isNatural(failures) || !isNatural(untilMs)) return {}
  return {failure: {fetched: {kind, problem}, failures, untilMs}}
}

const isNatural = (value: unknown): value is number => Number.isSafeInteger(value) && (value as number) >= 0

const asMap = (value: unknown): Record<string, unknown> =>
  typeof value === 'object' && value !== null ? (value as Record<string, unknown>) : {}
