// The history of operations as a table, newest first.
import {formatGuestId} from '../model/guest.ts'
import type {Operation} from '../model/operation.ts'
import {escapeText} from './escape-text.ts'
import type {RunStory} from './journal-story.ts'
import {showAge, showTime} from './journal-times.ts'
import {describeBody, paintState} from './journal-words.ts'
import type {Palette} from './palette.ts'
import {plural} from './plural.ts'
import {cutText, renderColumns, widthOfColumns, type Cell} from './text-table.ts'

export interface ListOptions {
  readonly palette: Palette
  /** Of the terminal; Infinity for a pipe, where nothing is cut. */
  readonly width: number
  readonly nowMs: number
}

export interface OperationList {
  readonly operations: readonly Operation[]
  /** How many there are in all that were asked for; undefined: not counted. */
  readonly total: number
}

/** A narrower terminal has no room for both the time and the age: the run's time stands in the name anyway. */
const WIDTH_FOR_TIMES = 110

export function renderOperations(list: OperationList, options: ListOptions): string {
  const {operations, total} = list
  if (operations.length === 0) return 'No operations.'
  const table = renderTable(operations, options)
  const shown = operations.length
  const count = shown === total ? plural(total, 'operation') : `${shown} of ${plural(total, 'operation')}`
  const more = shown === total ? '' : '; see more with --limit'
  return [...table, '', `${count}, newest first${more}.`].join('\n')
}

/** A run from its first operation to its last, and how it went. */
export function renderRun({run, operations}: RunStory, options: ListOptions): string {
  const states = new Map<string, number>()
  for (const {state} of operations) states.set(state, (states.get(state) ?? 0) + 1)
  const counts = [...states].map(([state, count]) => `${count} ${state}`).join(', ')
  const startMs = operations[0]?.intent.atMs ?? options.nowMs
  const heading = `${options.palette.strong(escapeText(run))}  ${showTime(startMs)}, ${showAge(startMs, options.nowMs)}`
  const count = `${plural(operations.length, 'operation')}: ${counts}.`
  return [heading, '', ...renderTable(operations, options), '', count].join('\n')
}

function renderTable(operations: readonly Operation[], {palette, width, nowMs}: ListOptions): string[] {
  const withTimes = width >= WIDTH_FOR_TIMES
  const names = ['OP', 'GUEST', 'STATE', ...(withTimes ? ['STARTED'] : []), 'AGE', 'WHAT']
  const header = names.map((text): Cell => ({text, paint: palette.dim}))
  const rows = operations.map((operation): Cell[] => [
    {text: operation.intent.op},
    {text: formatGuestId(operation.intent.target)},
    {text: operation.state, paint: paintState(operation.state, palette)},
    ...(withTimes ? [{text: showTime(operation.intent.atMs)}] : []),
    {text: showAge(operation.intent.atMs, nowMs)},
  ])
  const room = Math.max(12, width - widthOfColumns([header.slice(0, -1), ...rows]))
  const lines = operations.map(({intent}, i): Cell[] => {
    const what = describeBody(intent.body)
    return [...(rows[i] ?? []), {text: width === Infinity ? what : cutText(what, room)}]
  })
  return renderColumns([header, ...lines])
}
