// A map manages its parts only, which suffices where the others are there already. To make the option anew, what
// Proxmox cannot do without must be written.
import {generatedParts} from '../catalog/generated-parts.ts'
import type {Option} from '../catalog/option.ts'
import {missingParts, parseProperties} from '../catalog/property-string.ts'

/** Undefined: nothing is missing. */
export function describeMissingParts(option: Option, text: string): string | undefined {
  const reading = option.format && parseProperties(option.format, text)
  if (!option.format || !reading || !('parts' in reading)) return undefined
  const generated = generatedParts(option)
  const missing = missingParts(option.format, reading.parts).filter((name) => !generated.includes(name))
  if (missing.length === 0) return undefined
  return `${option.name} does not exist and is to be made: write its ${missing.join(' and its ')} too`
}
