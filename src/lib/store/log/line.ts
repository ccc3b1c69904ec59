// One line of a log: a JSON object that ends in the hash of itself and of all lines before it. The hash is taken
// over the hash of the line before and this line's own bytes, so no line can be altered, left out or moved.
import {hash} from 'node:crypto'

export const HASH_DIGITS = 32
/** Of the first line of a first segment: nothing was before. */
export const NO_HASH = '0'.repeat(HASH_DIGITS)
/** `,"h":"<32 hex>"}` */
export const SEAL_BYTES = HASH_DIGITS + 8
export const NEWLINE = 0x0a

const OPENING = ',"h":"'
const CLOSING = '"}'

export interface SealedLine {
  readonly text: string
  readonly h: string
}

/** `body` is the JSON text of an object that is not empty. */
export function sealLine(previous: string, seq: number, body: string): SealedLine {
  const text = `{"seq":${seq},${body.slice(1, -1)}`
  const h = hash('sha256', previous + text, 'hex').slice(0, HASH_DIGITS)
  return {text: `${text},"h":"${h}"}\n`, h}
}

/**
 * The hash of the line at `start`…`end` (without its newline), or undefined if it is not the one the line names. The 32
 * bytes before `start` must hold the previous hash: one hash over bytes in one place is twice as fast as an update each.
 */
export function checkSeal(buffer: Buffer, start: number, end: number): string | undefined {
  const body = end - SEAL_BYTES
  if (body <= start) return undefined
  const seal = buffer.toString('latin1', body, end)
  if (!seal.startsWith(OPENING) || !seal.endsWith(CLOSING)) return undefined
  const named = seal.slice(OPENING.length, -CLOSING.length)
  const found = hash('sha256', buffer.subarray(start - HASH_DIGITS, body), 'hex')
  return found.startsWith(named) ? named : undefined
}
