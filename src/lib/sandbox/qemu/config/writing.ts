// A request while it is being written into a machine's config, option by option.
import {printBootOrder} from './boot-order.ts'
import type {Subject} from '../../access/permissions.ts'
import type {UpdateRequest} from './update-request.ts'
import type {Work} from './work.ts'
import type {Guest, Section} from '../../state.ts'

export interface Writing {
  work: Work & {subject: Subject}
  guest: Guest
  request: UpdateRequest
  /** The options that this request has touched and that may therefore be applied. */
  modified: Set<string>
  /** The boot order as it is becoming; empty where the machine has none of the new form. */
  bootOrder: string[]
}

/** The boot order without or with one device more; it takes effect when the other changes do. */
export function changeBootOrder(writing: Writing, pending: Section, devices: string[]): void {
  writing.bootOrder = devices
  pending['boot'] = printBootOrder(devices)
  writing.modified.add('boot')
}
