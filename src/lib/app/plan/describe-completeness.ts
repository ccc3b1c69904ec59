// What felhom could not see, as sentences: a list that is not whole must never pass for one that is.
import type {ActualCluster} from '../../model/actual.ts'
import {formatGuestId} from '../../model/guest.ts'

/** Everything that a reader of the list must know about it. */
export function describeGaps(cluster: ActualCluster): string[] {
  const lost = cluster.quorum === 'lost' ? ['The cluster has no quorum: it takes no changes.'] : []
  return [...describeUnseen(cluster), ...lost, ...cluster.notes.map(capitalize)]
}

/** The guests that may be missing, and those of which too little is known. */
export function describeUnseen(cluster: ActualCluster): string[] {
  const gaps = cluster.completeness.complete
    ? []
    : cluster.completeness.reasons.map((r) => `${capitalize(r.message)}.`)
  const blind = cluster.guests.filter((g) => !g.config.known)
  if (blind.length > 0) {
    const reasons = new Set(blind.map((g) => (g.config.known ? '' : g.config.reason)))
    const names = blind.slice(0, 5).map(formatGuestId).join(', ')
    const more = blind.length > 5 ? ` and ${blind.length - 5} more` : ''
    gaps.push(`The config of ${names}${more} could not be read: ${[...reasons].slice(0, 3).join('; ')}`)
  }
  return gaps
}

const capitalize = (text: string): string => text.charAt(0).toUpperCase() + text.slice(1)
