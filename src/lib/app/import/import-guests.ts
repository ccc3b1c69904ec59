// The use case behind `felhom import`: guests that exist, as a desired-state file that changes nothing. Secrets
// are never in it.
import type {ActualCluster, ActualGuest} from '../../model/actual.ts'
import {FelhomError} from '../../model/felhom-error.ts'
import {formatGuestId} from '../../model/guest.ts'
import {parseTarget} from '../../plan/select-targets.ts'
import {Block, writeYaml, type BlockEntry} from '../../yaml/write-yaml.ts'
import {describeGuest} from './import-guest.ts'

export interface ImportedGuests {
  /** `lxc/101`, ascending by vmid. */
  guests: string[]
  yaml: string
}

/** `wanted`: guests as `lxc/101` or `101`; none: all. */
export function importGuests(cluster: ActualCluster, wanted: readonly string[]): ImportedGuests {
  const guests = chooseGuests(cluster, wanted).sort((a, b) => a.vmid - b.vmid)
  const root = new Block([
    {key: 'felhom', value: 1},
    {key: 'guests', value: guests.length === 0 ? {} : new Block(guests.map(toEntry)), isApart: true},
  ])
  return {guests: guests.map(formatGuestId), yaml: writeYaml(root, headerOf(cluster))}
}

const toEntry = (guest: ActualGuest, position: number): BlockEntry => ({
  ...describeGuest(guest),
  isApart: position > 0,
})

const headerOf = ({name}: ActualCluster): string[] => [
  `Written by felhom import${name === undefined ? '' : ` from the cluster ${name}`}: what the guests are now.`,
  'What is not written here is not managed. Take out what you do not want to manage; change what shall change.',
]

function chooseGuests(cluster: ActualCluster, wanted: readonly string[]): ActualGuest[] {
  if (wanted.length === 0) return [...cluster.guests]
  const chosen = wanted.map((text) => ({text, found: findGuest(cluster, text)}))
  const missing = chosen.filter(({found}) => !found).map(({text}) => text)
  if (missing.length === 0) return [...new Set(chosen.flatMap(({found}) => found ?? []))]
  throw new FelhomError('usage', `there is no guest ${missing.join(', ')}`, {
    hint: cluster.completeness.complete
      ? 'A guest is named as lxc/101 or 101; felhom guests lists them.'
      : 'A guest is named as lxc/101 or 101. The list of guests is not complete: felhom guests says why.',
    doubt: 'Nothing was written.',
  })
}

function findGuest(cluster: ActualCluster, text: string): ActualGuest | undefined {
  const target = parseTarget(text)
  return cluster.guests.find(
    ({vmid, kind}) => vmid === target?.vmid && (target.kind === undefined || target.kind === kind),
  )
}
