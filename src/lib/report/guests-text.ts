// The guests that are there, as a table: one line each, in the order of their numbers.
import type {ActualCluster, ActualGuest} from '../model/actual.ts'
import type {Palette} from './palette.ts'
import {plural} from './plural.ts'
import {renderColumns, type Cell} from './text-table.ts'

const HEADER = ['KIND', 'VMID', 'NAME', 'NODE', 'STATE', 'LOCK', 'PENDING']

export function renderGuests(cluster: ActualCluster, palette: Palette): string {
  if (cluster.guests.length === 0) return 'No guests.'
  const header = HEADER.map((text): Cell => ({text, paint: palette.dim}))
  const rows = cluster.guests.map((guest) => renderRow(guest, palette))
  return [...renderColumns([header, ...rows]), '', countLine(cluster)].join('\n')
}

function renderRow(guest: ActualGuest, palette: Palette): Cell[] {
  return [
    {text: guest.kind},
    {text: String(guest.vmid)},
    {text: guest.name ?? '-'},
    {text: guest.node},
    renderState(guest, palette),
    guest.lock === undefined ? {text: '-', paint: palette.dim} : {text: guest.lock, paint: palette.warn},
    renderPending(guest, palette),
  ]
}

function renderState(guest: ActualGuest, palette: Palette): Cell {
  const marks = [guest.template ? 'template' : guest.run, ...(guest.ha.managed === true ? ['ha'] : [])]
  const paint = guest.run === 'running' ? palette.good : guest.run === 'stopped' ? palette.dim : palette.warn
  return {text: marks.join(', '), paint}
}

function renderPending(guest: ActualGuest, palette: Palette): Cell {
  if (!guest.config.known) return {text: 'config unreadable', paint: palette.bad}
  if (guest.config.pending.length === 0) return {text: '-', paint: palette.dim}
  const options = guest.config.pending.map((change) =>
    change.kind === 'set' ? change.option : `-${change.option}`,
  )
  return {text: options.join(' '), paint: palette.warn}
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
