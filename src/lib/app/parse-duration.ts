// Durations of the command line, written as those of the settings.
import {readDurationMs} from '../settings/values.ts'

export type Duration = {readonly ms: number} | {readonly expected: string}

const NUMBERS_WITH_UNITS = /^(?:\d+(?:\.\d+)?\s*[a-z]+\s*)+$/i

/** `0` is a duration too: not to wait at all. */
export function parseDuration(text: string): Duration {
  if (/^0(?:ms|s|m|h|d)?$/.test(text)) return {ms: 0}
  const read = readDurationMs(NUMBERS_WITH_UNITS.test(text) ? text : undefined, '')
  return 'value' in read ? {ms: read.value} : read
}
