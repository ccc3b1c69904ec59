import {isScalar} from 'yaml'

/** A key as it was written: `0x65` is not 101. undefined: neither a word nor a number. */
export function keyText(key: unknown): string | undefined {
  if (!isScalar(key)) return undefined
  const {value, source} = key
  if (typeof value === 'string') return value
  return typeof value === 'number' ? (source ?? String(value)) : undefined
}
