// The guests that are there, as a table: one line each, in the order of their numbers.
import type {ActualCluster, ActualGuest} from '../model/actual.ts'
import type {Suspension} from '../model/daemon.ts'
import type {Palette} from './palette.ts'
import {plural} from './plural.ts'
import {cutText, renderColumns, widthOfColumns, type Cell} from './text-table.ts'

const HEADER = ['KIND', 'VMID', 'NAME', 'NODE', 'STATE', 'LOCK', 'PENDING']

/** Within `width` where one is given, as on a terminal: names and pending changes are shortened. */
export function renderGuests(
  cluster: ActualCluster,
  palette: Palette,
  width = Infinity,
  suspensions: readonly Suspension[] = [],
): string {
  if (cluster.guests.length === 0) return 'No guests.'
  const header = HEADER.map((text): Cell => ({text, paint: palette.dim}))
  const rows = cluster.guests.map((guest) =>
    renderRow(guest, palette, width, isSuspended(guest, suspensions)),
  )
  const room = width - widthOfColumns([header.slice(0, -1), ...rows])
  const lines = cluster.guests.map((guest, i) => [...(rows[i] ?? []), renderPending(guest, palette, room)])
  return [...renderColumns([header, ...lines]), '', countLine(cluster)].join('\n')
}

const LONGEST_NAME = 32

const isSuspended = ({vmid}: ActualGuest, suspensions: readonly Suspension[]): boolean =>
  suspensions.some((one) => one.vmid === 'all' || one.vmid === vmid)

function renderRow(guest: ActualGuest, palette: Palette, width: number, suspended: boolean): Cell[] {
  const name = guest.name ?? '-'
  return [
    {text: guest.kind},
    {text: String(guest.vmid)},
    {text: width === Infinity ? name : cutText(name, LONGEST_NAME)},
    {text: guest.node},
    renderState(guest, palette, suspended),
    guest.lock === undefined ? {text: '-', paint: palette.dim} : {text: guest.lock, paint: palette.warn},
  ]
}

/** A virtual machine can be suspended itself: hence of whom it is said. */
function renderState(guest: ActualGuest, palette: Palette, suspended: boolean): Cell {
  const marks = [
    guest.template ? 'template' : guest.run,
    ...(guest.ha.managed === true ? ['ha'] : []),
    ...(suspended ? ['daemon suspended'] : []),
  ]
  const paint = guest.run === 'running' ? palette.good : guest.run === 'stopped' ? palette.dim : palette.warn
  return {text: marks.join(', '), paint}
}

function renderPending(guest: ActualGuest, palette: Palette, room: number): Cell {
  if (!guest.config.known) return {text: 'config unreadable', paint: palette.bad}
  if (guest.config.pending.length === 0) return {text: '-', paint: palette.dim}
  const options = guest.config.pending.map((change) =>
    change.kind === 'set' ? change.option : `-${change.option}`,
  )
  return {text: fitWords(options, room), paint: palette.warn}
}

/** As many words as there is room for, and how many more there are. */
function fitWords(words: readonly string[], room: number): string {
  const whole = words.join(' ')
  if (whole.length <= room) return whole
  for (let shown = words.length - 1; shown > 0; shown--) {
    const text = `${words.slice(0, shown).join(' ')} +${words.length - shown} more`
    if (text.length <= room) return text
  }
  return plural(words.length, 'change')
}

function countLine({guests, nodes}: ActualCluster): string {
  const running = guests.filter((g) => g.run === 'running').length
  const pending = guests.filter((g) => g.config.known && g.config.pending.length > 0).length
  const parts = [
    `${plural(guests.length, 'guest')} on ${plural(nodes.length, 'node')}`,
    `${running} running`,
    ...(pending > 0 ? [`${pending} with changes that wait for a restart`] : []),
  ]
  return `${parts.join(', ')}.`
}
