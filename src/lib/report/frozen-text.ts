// Which guests a plan shows that no apply will touch before an earlier operation has its end.
import {formatGuestId} from '../model/guest.ts'
import type {Operation} from '../model/operation.ts'
import {describeBody} from './journal-words.ts'
import {plural} from './plural.ts'

const MOST_NAMED = 8

/** undefined: none. Not yet escaped. */
export function describeFrozen(open: readonly Operation[]): string | undefined {
  if (open.length === 0) return undefined
  const named = open.slice(0, MOST_NAMED).map(nameOne).join(', ')
  const more = open.length > MOST_NAMED ? ` and ${open.length - MOST_NAMED} more` : ''
  const verb = open.length === 1 ? 'has' : 'have'
  const whose = open.length === 1 ? 'its guest is' : 'their guests are'
  return `${plural(open.length, 'operation')} of an earlier run ${verb} no end yet, and ${whose} frozen until then: ${named}${more}. See: felhom journal inflight`
}

const nameOne = ({intent, state}: Operation): string =>
  `${formatGuestId(intent.target)} (${describeBody(intent.body)}${state === 'quarantined' ? '; quarantined' : ''})`
