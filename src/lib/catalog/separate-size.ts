// The size of a disk that exists is not written but resized: a size in a config is no more than a note, and a
// false one is believed later on.
import {volumeKey} from './merge-volume.ts'
import type {Option} from './option.ts'
import {parseProperties, printProperties} from './property-string.ts'
import {parseSizeBytes} from './sizes.ts'

export interface SeparatedSize {
  /** There is another size on the same volume. */
  readonly resize?: {readonly fromBytes: number; readonly toBytes: number}
  /** What is to be written to the config, with the size as it is now. */
  readonly config: string
}

/** Takes apart what `compareOption` would send for a disk. */
export function separateSize(option: Option, live: string, after: string): SeparatedSize {
  if (!option.isDisk || !option.format) return {config: after}
  const [is, wanted] = [live, after].map((text) => parseProperties(option.format ?? {}, text))
  if (!is || !wanted || 'problem' in is || 'problem' in wanted) return {config: after}
  const key = volumeKey(option)
  const size = is.parts.get('size')
  const fromBytes = parseSizeBytes(size ?? '')
  const toBytes = parseSizeBytes(wanted.parts.get('size') ?? '')
  const isSameVolume = is.parts.get(key) === wanted.parts.get(key)
  if (!isSameVolume || size === undefined || fromBytes === undefined || toBytes === undefined) {
    return {config: after}
  }
  const config = printProperties(option.format, new Map([...wanted.parts, ['size', size]]))
  return fromBytes === toBytes ? {config} : {resize: {fromBytes, toBytes}, config}
}
