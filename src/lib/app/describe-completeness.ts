// What felhom could not see, as sentences: a list that is not whole must never pass for one that is.
import type {ActualCluster} from '../model/actual.ts'
import {formatGuestId} from '../model/guest.ts'

export function describeGaps(cluster: ActualCluster): string[] {
  const gaps: string[] = []
  if (!cluster.completeness.complete) gaps.push(...cluster.completeness.reasons.map((r) => r.message))
  if (cluster.quorum === 'lost') gaps.push('The cluster has no quorum: it takes no changes.')
  if (cluster.quorum === 'unknown')
    gaps.push('Whether the cluster has quorum could not be read: the token lacks Sys.Audit on /.')
  const blind = cluster.guests.filter((g) => !g.config.known)
  if (blind.length > 0) {
    const reasons = new Set(blind.map((g) => (g.config.known ? '' : g.config.reason)))
    const names = blind.slice(0, 5).map(formatGuestId).join(', ')
    const more = blind.length > 5 ? ` and ${blind.length - 5} more` : ''
    gaps.push(`The config of ${names}${more} could not be read: ${[...reasons].slice(0, 3).join('; ')}`)
  }
  return gaps
}
