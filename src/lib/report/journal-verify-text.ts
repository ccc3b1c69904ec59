// The state of the journal's files: what was read, what is damaged and where, and what a repair kept.
import {escapeText} from './escape-text.ts'
import type {Palette} from './palette.ts'
import {plural} from './plural.ts'
import {renderColumns, wrapText, type Cell} from './text-table.ts'

export interface DamagedPlace {
  readonly file: string
  readonly line: number
  /** In bytes, of the line's beginning. */
  readonly offset: number
  readonly message: string
}

export interface CheckedJournal {
  readonly segments: readonly string[]
  readonly records: number
  readonly bytes: number
  readonly open: number
  /** Seal over all that was written so far. */
  readonly head?: string
  readonly problems: readonly DamagedPlace[]
  readonly torn?: {readonly file: string; readonly offset: number; readonly bytes: number}
}

export interface RepairedJournal {
  readonly repaired: boolean
  readonly setAside: readonly string[]
  readonly salvaged: number
  readonly lost: number
}

export function renderCheck(checked: CheckedJournal, palette: Palette, width: number): string {
  if (checked.segments.length === 0) return 'There is no journal yet.'
  const fact = (label: string, text: string): Cell[] => [{text: label, paint: palette.dim}, {text}]
  const facts = renderColumns([
    fact('segments', `${checked.segments.length} (${describeRange(checked.segments)})`),
    fact('records', String(checked.records)),
    fact('bytes', String(checked.bytes)),
    fact('open operations', String(checked.open)),
    ...(checked.head === undefined ? [] : [fact('head', checked.head)]),
  ])
  return [facts.join('\n'), renderVerdict(checked, palette, width)].join('\n\n')
}

function describeRange(segments: readonly string[]): string {
  const [first = '', last = first] = [segments[0], segments.at(-1)]
  return first === last ? first : `${first} to ${last}`
}

function renderVerdict({problems, torn}: CheckedJournal, palette: Palette, width: number): string {
  if (problems.length > 0) return renderProblems(problems, palette, width)
  const verdict = palette.good('Every record is as it was written.')
  if (!torn) return verdict
  const tail = `The last append is not complete (${escapeText(torn.file)}, ${plural(torn.bytes, 'byte')} from ${torn.offset}): no damage, the next writer mends it.`
  return `${verdict}\n${wrapText(tail, width)}`
}

export function renderProblems(problems: readonly DamagedPlace[], palette: Palette, width: number): string {
  const lines = problems.map((problem) => {
    const text = wrapText(`${showPlace(problem)}: ${escapeText(problem.message)}`, width - 9)
    return `${palette.bad('DAMAGED')}  ${text.replaceAll('\n', `\n${' '.repeat(9)}`)}`
  })
  const count = problems.length === 1 ? 'One place is damaged.' : `${problems.length} places are damaged.`
  return [...lines, '', count].join('\n')
}

/** `00000002.log:17:4096`: file, line, byte. */
export const showPlace = ({file, line, offset}: DamagedPlace): string =>
  `${escapeText(file)}:${line}:${offset}`

export function renderRepair(repair: RepairedJournal, palette: Palette, width: number): string {
  if (!repair.repaired) return 'There was nothing to repair.'
  const kept = repair.setAside.map((name) => `  ${escapeText(name)}`)
  const lost =
    repair.lost === 0
      ? 'No line had to be given up.'
      : `${plural(repair.lost, 'line')} could not be trusted and ${repair.lost === 1 ? 'was' : 'were'} given up.`
  const next =
    'Nothing destructive is done until you have compared with the task list of Proxmox: felhom journal rearm'
  return [
    palette.strong('The journal is in use again.'),
    wrapText(
      `${lost} ${plural(repair.salvaged, 'record')} behind the damage ${repair.salvaged === 1 ? 'was' : 'were'} carried over.`,
      width,
    ),
    ...(kept.length > 0 ? ['Kept aside, unchanged:', ...kept] : []),
    wrapText(next, width),
  ].join('\n')
}

export interface CompactedJournal {
  readonly removed: readonly string[]
  readonly kept: readonly string[]
}

export function renderCompaction({removed, kept}: CompactedJournal): string {
  const stays = `${plural(kept.length, 'segment')} kept.`
  if (removed.length === 0) return `Nothing is old enough to be removed; ${stays}`
  return [
    ...removed.map((name) => `removed ${escapeText(name)}`),
    '',
    `${removed.length} removed, ${stays}`,
  ].join('\n')
}
