// Whether what a source says may take the place of what was good last. Pure: the same input has the same verdict.
import type {DesiredReading, DesiredState} from '../../../model/desired.ts'
import {plural} from '../../../report/plural.ts'

/** A mistake may quote what it is about, and that may be long. */
const MAX_MESSAGE_CHARACTERS = 1000

export interface BundleCase {
  readonly reading: DesiredReading
  /** Why the source holds it to be older than what was seen. */
  readonly older: string | undefined
  /** The guests that were to be there in the last good state; undefined: there was none. */
  readonly before: readonly number[] | undefined
  /** Share of them that may be gone at once. */
  readonly maxShrink: number
  /** The operator lets exactly this pass. */
  readonly isAccepted: boolean
}

export type Verdict =
  | {readonly desired: DesiredState}
  /** `mayAccept`: the operator can let it pass; nobody can let pass what is no desired state. */
  | {readonly problem: string; readonly mayAccept: boolean}

export function judgeBundle({reading, older, before, maxShrink, isAccepted}: BundleCase): Verdict {
  if (!reading.valid) return {problem: describeMistakes(reading), mayAccept: false}
  const desired = reading.state
  if (isAccepted) return {desired}
  if (older !== undefined) return {problem: `it was rolled back: ${older}`, mayAccept: true}
  const shrunken = before && describeLoss(before, desired, maxShrink)
  return shrunken === undefined ? {desired} : {problem: shrunken, mayAccept: true}
}

/** A guest that shall be absent is not lost: somebody wrote so, and the gate asks for a signature. */
function describeLoss(
  before: readonly number[],
  {guests}: DesiredState,
  maxShrink: number,
): string | undefined {
  const now = new Set(guests.map(({vmid}) => vmid))
  const lost = before.filter((vmid) => !now.has(vmid))
  if (lost.length === 0 || lost.length / before.length <= maxShrink) return undefined
  const named = lost.slice(0, 5).join(', ')
  const which = lost.length > 5 ? `${named} and ${lost.length - 5} more` : named
  const allowed = `${Math.round(maxShrink * 1000) / 10} %`
  return `it has lost ${lost.length} of ${plural(before.length, 'guest')} at once (${which}), and max_shrink allows ${allowed}`
}

export const vmidsOf = ({guests}: DesiredState): number[] =>
  guests.filter(({ensure}) => ensure === 'present').map(({vmid}) => vmid)

export function describeMistakes({
  diagnostics,
  mistakeCount,
}: Extract<DesiredReading, {valid: false}>): string {
  const [first] = diagnostics
  const count = mistakeCount === 1 ? 'it holds a mistake' : `it holds ${mistakeCount} mistakes, the first`
  if (!first) return count
  const place = [first.file, first.line, first.column].filter((part) => part !== undefined).join(':')
  const {message} = first
  const isLong = message.length > MAX_MESSAGE_CHARACTERS
  return `${count} at ${place}: ${isLong ? `${message.slice(0, MAX_MESSAGE_CHARACTERS)}…` : message}`
}
