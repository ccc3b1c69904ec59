// The option `memory`, a property string of its own: `512` or `current=512`.
import {optionFormat} from './option-schema.ts'
import {parsePropertyString} from '../../schema/property-string.ts'

const DEFAULT_MIB = 512

/** MiB; the default where the option is not set. */
export function parseMemory(text: string | undefined): number {
  return text === undefined
    ? DEFAULT_MIB
    : Number(parsePropertyString(optionFormat('memory'), text)['current'] ?? DEFAULT_MIB)
}
