// Tasks of our own token that the journal does not know, for somebody who has to say whether that is in order.
import {readUpid} from '../model/upid.ts'
import {showAge, showTime} from './journal-times.ts'
import type {Palette} from './palette.ts'
import {renderColumns, wrapText, type Cell} from './text-table.ts'

export interface RearmOptions {
  readonly palette: Palette
  readonly width: number
  readonly nowMs: number
}

export function renderUnknownTasks(upids: readonly string[], {palette, width, nowMs}: RearmOptions): string {
  if (upids.length === 0) return 'Nothing is disarmed.'
  const intro = `Proxmox has shown ${upids.length === 1 ? 'this task' : 'these tasks'} of felhom's own token, which the journal does not know. Either the state directory is older than they are, or somebody else uses the token.`
  const header = ['STARTED', 'AGE', 'NODE', 'TYPE', 'GUEST'].map((text): Cell => ({text, paint: palette.dim}))
  const rows = upids.map((text) => renderRow(text, nowMs))
  return [wrapText(intro, width), '', ...renderColumns([header, ...rows])].join('\n')
}

function renderRow(text: string, nowMs: number): Cell[] {
  const upid = readUpid(text)
  if (!upid) return [{text}]
  const startMs = upid.starttime * 1000
  const cells = [showTime(startMs), showAge(startMs, nowMs), upid.node, upid.type, upid.id || '-']
  return cells.map((cell) => ({text: cell}))
}
