// One guest that exists, as it would stand in a desired-state file. What felhom does not write, or must not, is
// named in a comment with the reason, so that nobody takes the file for the whole guest.
import {findOption, type Option} from '../../catalog/option.ts'
import {REDACTED, valueAfterRestart, type ActualGuest, type KnownConfig} from '../../model/actual.ts'
import {Block, type BlockEntry} from '../../yaml/write-yaml.ts'
import {describeOption} from './import-option.ts'
import {sortOptions} from './import-order.ts'
import {isGenerated} from './import-parts.ts'

export function describeGuest(guest: ActualGuest): BlockEntry {
  const {config} = guest
  const {entries, notes} = config.known ? describeConfig(guest, config) : unreadable(config.reason)
  const isManaged = !guest.template && (guest.run === 'running' || guest.run === 'stopped')
  return {
    key: guest.vmid,
    comment: describeIdentity(guest),
    value: new Block(
      [
        {key: 'kind', value: guest.kind},
        ...(isManaged ? [{key: 'run', value: guest.run}] : []),
        ...blockOf('config', entries, false),
        ...blockOf('disks', entries, true),
      ],
      notes,
    ),
  }
}

function describeIdentity({name, node, template, lock, run, ha}: ActualGuest): string {
  const facts = [
    ...(template ? ['a template'] : []),
    ...(ha.managed === true ? ['managed by HA'] : []),
    ...(run === 'paused' ? ['paused'] : []),
    ...(lock === undefined ? [] : [`locked (${lock})`]),
  ]
  return [`${name ?? '(no name)'} on ${node}`, ...facts].join(', ')
}

interface OptionEntry {
  readonly option: Option
  readonly entry: BlockEntry
}

interface Description {
  readonly entries: readonly OptionEntry[]
  readonly notes: readonly string[]
}

const unreadable = (reason: string): Description => ({
  entries: [],
  notes: [`its config could not be read: ${reason}`],
})

function blockOf(key: string, entries: readonly OptionEntry[], isDisk: boolean): BlockEntry[] {
  const own = sortOptions(entries.filter(({option}) => option.isDisk === isDisk))
  return own.length === 0 ? [] : [{key, value: new Block(own.map(({entry}) => entry))}]
}

function describeConfig(guest: ActualGuest, config: KnownConfig): Description {
  const waiting = new Set(config.pending.map((change) => change.option))
  const names = [...new Set([...Object.keys(config.current), ...waiting])].sort()
  const entries: OptionEntry[] = []
  const notes: string[] = []
  for (const name of names) {
    const live = valueAfterRestart(config, name)
    const found = live === undefined ? undefined : describeSet(guest, name, live)
    if (live === undefined) notes.push(`${name} is set until the next start and then gone`)
    else if (typeof found === 'string') notes.push(found)
    else if (found) {
      const comment = 'pending: takes effect with the next start'
      entries.push({...found, entry: {...found.entry, ...(waiting.has(name) && {comment})}})
    }
  }
  return {entries, notes}
}

/** An entry, a note in its place, or neither. */
function describeSet(guest: ActualGuest, name: string, live: string): OptionEntry | string | undefined {
  const option = findOption(guest.kind, name)
  if (!option) return BOOKKEEPING.has(name) ? undefined : `${name} is set; felhom does not know this option`
  if (option.isReadOnly) return describeReadOnly(option, live)
  if (option.hint !== undefined) return `${name} is set; ${option.hint}`
  if (!option.isComparable) return `${name} is set; felhom does not read it`
  if (live === REDACTED) return `${name} is set; it was left out of the capture`
  if (MAY_HOLD_SECRETS.has(name)) return `${name} is set; it may hold secrets, so it is not written here`
  if (live.trim() === '' || isGenerated(option, live)) return undefined
  const value = describeOption(option, live, guest.vmid)
  if (value === undefined) return `${name} is set to something that felhom would not write: left alone`
  return {option, entry: {key: name, value}}
}

/** What Proxmox notes for itself. */
const BOOKKEEPING: ReadonlySet<string> = new Set([
  ...['digest', 'meta', 'parent', 'snaptime', 'snapstate', 'vmstate'],
  ...['running-nets-host-mtu', 'runningcpu', 'runningmachine'],
])

/** Environment and arguments are where passwords and keys of programs stand. */
const MAY_HOLD_SECRETS: ReadonlySet<string> = new Set(['args', 'env'])

function describeReadOnly(option: Option, live: string): string | undefined {
  if (option.family === 'unused[n]')
    return `${option.name} is ${live}, a detached volume: felhom leaves it alone`
  return undefined
}
