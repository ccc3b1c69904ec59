// What is going on, for somebody who watches: a line for each action that runs, and one for each that has ended.
import {formatGuestId, type GuestId} from '../model/guest.ts'
import type {OperationType} from '../model/operation.ts'
import type {ActionOutcome, ActionResult} from '../model/run-event.ts'
import {readUpid} from '../model/upid.ts'
import {describeDoing, describeDone, describeWish} from './action-words.ts'
import {escapeText} from './escape-text.ts'
import type {Palette} from './palette.ts'
import {plural} from './plural.ts'
import {cutText, renderColumns, widthOfColumns, wrapText, type Cell} from './text-table.ts'

export interface RunningAction {
  readonly guest: GuestId
  readonly name: string | undefined
  readonly node: string
  readonly action: OperationType
  readonly sinceMs: number
  /** The UPID, once there is one. */
  readonly task?: string
}

export interface ProgressOptions {
  readonly palette: Palette
  /** Cells of a line. */
  readonly width: number
}

const WIDEST_LABEL = 30
/** What is done and for how long, with their gaps. */
const REST = 29
const INDENT = '  '

/** Aligned, each within the width; of more than `most` only the oldest, and how many there are besides. */
export function renderRunning(
  running: readonly RunningAction[],
  nowMs: number,
  {palette, width}: ProgressOptions,
  most = Infinity,
): string[] {
  const shown = running.length > most ? running.slice(0, most - 1) : running
  const widest = Math.max(7, Math.min(WIDEST_LABEL, width - REST))
  const heads = shown.map((one): Cell[] => [
    {text: cutText(nameGuest(one), widest)},
    {text: describeDoing(one.action)},
    {text: showElapsed(nowMs - one.sinceMs), paint: palette.dim},
  ])
  const room = width - INDENT.length - widthOfColumns(heads)
  const rows = shown.map((one, i) => [
    ...(heads[i] ?? []),
    ...(room < 8 ? [] : [{text: cutText(nameTask(one), room), paint: palette.dim}]),
  ])
  const lines = renderColumns(rows).map((line) => INDENT + line)
  const hidden = running.length - shown.length
  return hidden === 0 ? lines : [...lines, palette.dim(`${INDENT}… and ${plural(hidden, 'other')}`)]
}

const nameGuest = ({guest, name}: Pick<RunningAction, 'guest' | 'name'>): string =>
  name === undefined ? formatGuestId(guest) : `${formatGuestId(guest)} ${name}`

/** `vzcreate on pve1`. */
function nameTask({task, node}: RunningAction): string {
  const type = task === undefined ? undefined : readUpid(task)?.type
  return type === undefined ? `on ${node}` : `${type} on ${node}`
}

/** `12s`, `1m 05s`, `2h 03m`. */
export function showElapsed(ms: number): string {
  const seconds = Math.max(0, Math.floor(ms / 1000))
  const pad = (value: number): string => String(value).padStart(2, '0')
  if (seconds < 60) return `${seconds}s`
  const minutes = Math.floor(seconds / 60)
  return minutes < 60
    ? `${minutes}m ${pad(seconds % 60)}s`
    : `${Math.floor(minutes / 60)}h ${pad(minutes % 60)}m`
}

/** `lxc/160 metrics: creating (vzcreate on pve1)`, for places where nothing can be redrawn. */
export function renderStarted(one: RunningAction, nowMs: number): string {
  const elapsed = nowMs - one.sinceMs
  const still = elapsed < 1000 ? '' : `still ${describeDoing(one.action)} after ${showElapsed(elapsed)}`
  return escapeText(`${nameGuest(one)}: ${still || describeDoing(one.action)} (${nameTask(one)})`)
}

const FAILURES: Partial<Record<ActionOutcome, string>> = {
  failed: 'failed',
  in_flight: 'is in flight',
  refused: 'was refused',
  stale: 'was left: the guest has changed',
  frozen: 'was left: the guest is frozen',
}

/** What has ended; undefined for what was never begun, which the final report tells. */
export function renderEnded(
  result: ActionResult,
  tookMs: number | undefined,
  {palette, width}: ProgressOptions,
): string | undefined {
  const {action, outcome, detail} = result
  const label = `${nameGuest(result)}: `
  const time = tookMs === undefined || tookMs < 1000 ? '' : ` (${showElapsed(tookMs)})`
  if (outcome === 'succeeded' || outcome === 'satisfied') {
    return wrapLine(`${label}${describeDone(action)}${time}`, palette.good, width)
  }
  const what = FAILURES[outcome]
  if (what === undefined) return undefined
  const why = detail === undefined ? '' : `: ${detail}`
  return wrapLine(`${label}${describeWish(action)} ${what}${time}${why}`, palette.bad, width)
}

/** The guest's name keeps its colour: what became of it is what the eye looks for. */
function wrapLine(text: string, paint: (text: string) => string, width: number): string {
  const lines = wrapText(escapeText(text), width - INDENT.length).split('\n')
  return lines
    .map((line, i) => (i === 0 ? paintAfterLabel(line, paint) : paint(`${INDENT}${line}`)))
    .join('\n')
}

function paintAfterLabel(line: string, paint: (text: string) => string): string {
  const colon = line.indexOf(': ')
  return colon < 0 ? line : `${line.slice(0, colon + 2)}${paint(line.slice(colon + 2))}`
}
