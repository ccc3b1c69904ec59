// The end of an apply as an operator reads it: each guest with what became of it, one closing line, and what is
// left to do. Whatever comes from outside is escaped.
import {formatGuestId} from '../model/guest.ts'
import type {ActionResult} from '../model/run-event.ts'
import {describeDone, describeWish} from './action-words.ts'
import {countApply, groupByGuest, isDone, type ApplyCounts, type GuestOutcome} from './apply-outcomes.ts'
import {escapeText} from './escape-text.ts'
import type {Palette} from './palette.ts'
import {plural} from './plural.ts'
import {renderColumns, widthOfColumns, wrapText, type Cell, type Paint} from './text-table.ts'

export interface ApplyTextOptions {
  readonly palette: Palette
  readonly width: number
  /** Absent: of an apply. */
  readonly words?: ApplyWords
}

export interface ApplyWords {
  /** `Apply`, as the closing line begins. */
  readonly deed: string
  /** The command that would do the rest. */
  readonly again: string
}

const OF_APPLY: ApplyWords = {deed: 'Apply', again: 'felhom apply'}

export function renderApply(results: readonly ActionResult[], options: ApplyTextOptions): string {
  const counts = countApply(results)
  const {width, words = OF_APPLY} = options
  const sections = [
    renderGuests(groupByGuest(results), options).join('\n'),
    paintClosing(counts, options.palette)(wrapText(describeCounts(counts, words), width)),
    ...describeRest(counts, words, width),
  ]
  return sections.filter((text) => text !== '').join('\n\n')
}

function renderGuests(outcomes: readonly GuestOutcome[], {palette, width}: ApplyTextOptions): string[] {
  const heads = outcomes.map(({guest, name, status}): Cell[] => [
    {text: status, paint: paintStatus(status, palette)},
    {text: name === undefined ? formatGuestId(guest) : `${formatGuestId(guest)} ${name}`},
  ])
  const indent = widthOfColumns(heads)
  const beside = width - indent >= 30
  const labels = renderColumns(heads.map((head) => [...head, {text: '.'}])).map((line) => line.slice(0, -1))
  return outcomes.flatMap((outcome, i) => {
    const margin = beside ? ' '.repeat(indent) : '    '
    const lines = describeGuest(outcome).flatMap((text) =>
      wrapText(escapeText(text), width - margin.length).split('\n'),
    )
    const label = labels[i] ?? ''
    const [first = '', ...more] = lines
    return beside
      ? [`${label}${first}`.trimEnd(), ...more.map((line) => margin + line)]
      : [label.trimEnd(), ...lines.map((line) => margin + line)]
  })
}

/** One text per line: what was done, what is to be known about it, and what was not done, and why. */
function describeGuest({results}: GuestOutcome): string[] {
  const done = results.filter(isDone)
  const remarks = done.flatMap(({detail}) => (detail === undefined ? [] : [detail]))
  return [
    ...(done.length === 0 ? [] : [done.map(({action}) => describeDone(action)).join('; ')]),
    ...new Set(remarks),
    ...results.filter((result) => !isDone(result)).map(describeUndone),
  ]
}

function describeUndone({action, outcome, detail}: ActionResult): string {
  const wish = describeWish(action)
  const because = detail ?? action.blockers.map(({message}) => message).join('; ')
  if (outcome === 'skipped') return `${wish}: not tried`
  if (outcome === 'not_started') return `${wish}: not started`
  return because === '' ? wish : `${wish}: ${because}`
}

function paintStatus(status: GuestOutcome['status'], palette: Palette): Paint {
  if (status === 'done') return palette.good
  return status === 'failed' || status === 'in flight' ? palette.bad : palette.warn
}

function paintClosing(counts: ApplyCounts, palette: Palette): Paint {
  const colour =
    counts.failed + counts.inFlight > 0 ? palette.bad : isWhole(counts) ? palette.good : palette.strong
  return (text) => text.split('\n').map(colour).join('\n')
}

const isWhole = ({stale, frozen, blocked, unsigned, skipped, notStarted}: ApplyCounts): boolean =>
  stale + frozen + blocked + unsigned + skipped + notStarted === 0

/** `Apply complete: 3 changed, 1 started; 1 failed, 1 waits for a signature.` */
function describeCounts(counts: ApplyCounts, {deed}: ApplyWords): string {
  const {failed, inFlight, stale, frozen, blocked, unsigned, skipped, notStarted} = counts
  const number = (count: number, words: string): string[] => (count === 0 ? [] : [`${count} ${words}`])
  const done = (['created', 'changed', 'destroyed', 'started', 'stopped', 'restarted'] as const).flatMap(
    (key) => number(counts[key], key),
  )
  const undone = [
    ...number(failed, 'failed'),
    ...number(inFlight, 'in flight'),
    ...number(stale, 'left because the guest had changed'),
    ...number(frozen, 'left because the guest is frozen'),
    ...number(blocked, 'blocked'),
    ...number(unsigned, unsigned === 1 ? 'waits for a signature' : 'wait for a signature'),
    ...number(skipped, 'not tried'),
    ...number(notStarted, 'not started'),
  ]
  const head = notStarted > 0 ? `${deed} stopped` : `${deed} complete`
  const parts = [done.length === 0 ? 'nothing was changed' : done.join(', '), undone.join(', ')]
  return `${head}: ${parts.filter((part) => part !== '').join('; ')}.`
}

/** What to do next. */
function describeRest(counts: ApplyCounts, {again}: ApplyWords, width: number): string[] {
  const {inFlight, frozen, stale, notStarted} = counts
  const texts: string[] = []
  if (inFlight > 0) {
    const guests = inFlight === 1 ? 'that guest' : 'those guests'
    const known = `How ${plural(inFlight, 'operation')} ended is not known, and nothing else is sent to ${guests} before it is.`
    texts.push(`${wrapText(known, width)}\n${renderWaysOn(inFlight)}`)
  } else if (frozen > 0) {
    const known = 'A frozen guest has an earlier operation whose end is not known.'
    texts.push(`${wrapText(known, width)}\n${renderWaysOn(frozen)}`)
  }
  if (stale + notStarted > 0) texts.push(`For the rest, run it again: ${again}`)
  return texts
}

/** Where to look for what is open, each on a line of its own to copy. */
export function renderWaysOn(operations: number): string {
  const it = operations === 1 ? 'it' : 'them'
  return `  felhom journal inflight   shows ${it}\n  felhom recover            settles ${it}`
}
