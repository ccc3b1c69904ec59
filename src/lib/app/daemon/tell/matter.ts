// Something that a person may have to know, as it stands at the end of a pass.
import {createHash} from 'node:crypto'
import type {AlertKind} from '../../../model/daemon.ts'
import {formatGuestId, type GuestId} from '../../../model/guest.ts'

export interface Matter {
  readonly kind: AlertKind
  /** The same matter has the same key in every pass, and no other has it. */
  readonly key: string
  readonly guest?: GuestId
  readonly text: string
  /** What is told when it is over. */
  readonly over: string
}

/** `lxc/101 web-1`, not escaped. */
export const nameGuest = (guest: GuestId, name: string | undefined): string =>
  name === undefined ? formatGuestId(guest) : `${formatGuestId(guest)} ${name}`

/** Short: it tells matters apart, and proves nothing. */
export const digest = (text: string): string => createHash('sha256').update(text).digest('hex').slice(0, 12)

const LONGEST = 1000

/** One full stop at the end, and not without end: details are Proxmox's or a file's own words. */
export function endSentence(text: string): string {
  const whole = text.length > LONGEST ? `${text.slice(0, LONGEST)}…` : text
  return whole.replace(/[.\s]*$/, '.')
}
