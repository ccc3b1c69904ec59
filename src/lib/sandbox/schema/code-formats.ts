// Every named format that is a check of one text, as opposed to a property string's keys.
import {accessFormats} from './access-formats.ts'
import {addressFormats} from './address-formats.ts'
import {guestFormats} from './guest-formats.ts'
import {storageFormats} from './storage-formats.ts'
import type {FormatCheck} from './format-error.ts'

export const codeFormats: Record<string, FormatCheck> = {
  ...accessFormats,
  ...addressFormats,
  ...guestFormats,
  ...storageFormats,
}
