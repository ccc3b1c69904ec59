// The volumes that go with a guest when it is destroyed, unused ones too; a CD in the drive does not.
import type {ConfigTexts} from '../model/actual.ts'
import type {GuestKind} from '../model/guest.ts'
import {findOption} from './option.ts'

export interface ListedVolume {
  readonly option: string
  readonly text: string
}

/** Sorted by option. */
export function listVolumes(kind: GuestKind, config: ConfigTexts): ListedVolume[] {
  return Object.entries(config)
    .filter(([option, text]) => isVolume(kind, option) && !isMedium(text))
    .map(([option, text]) => ({option, text}))
    .sort((a, b) => (a.option < b.option ? -1 : 1))
}

const isVolume = (kind: GuestKind, option: string): boolean =>
  /^unused\d+$/.test(option) || findOption(kind, option)?.isDisk === true

const isMedium = (text: string): boolean =>
  /(?:^|,)media=cdrom(?:,|$)/.test(text) || /^(?:none|cdrom)\b/.test(text)
