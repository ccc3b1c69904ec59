// Snapshots as a table, oldest first.
import type {Snapshot} from '../model/snapshot.ts'
import {showTime} from './journal-times.ts'
import type {Palette} from './palette.ts'
import {renderColumns, type Cell} from './text-table.ts'

export function renderSnapshots(snapshots: readonly Snapshot[], palette: Palette): string {
  if (snapshots.length === 0) return 'No snapshots.'
  const header = ['NAME', 'TAKEN', 'PARENT', 'MEMORY', 'DESCRIPTION'].map((text): Cell => ({
    text,
    paint: palette.dim,
  }))
  const rows = snapshots.map(({name, snaptime, parent = '-', vmstate, description = '-'}): Cell[] => [
    {text: name, paint: palette.strong},
    {text: snaptime === undefined ? '-' : showTime(snaptime * 1000)},
    {text: parent},
    {text: vmstate ? 'yes' : 'no'},
    {text: description.replace(/\n+$/, '')},
  ])
  return renderColumns([header, ...rows]).join('\n')
}
