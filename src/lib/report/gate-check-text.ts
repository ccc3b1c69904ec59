// What the gate would say to a plan: each action with its class, what it needs, and what is missing.
import type {GateClass} from '../model/plan.ts'
import {escapeText} from './escape-text.ts'
import type {Palette} from './palette.ts'
import {plural} from './plural.ts'
import {renderColumns, wrapText, type Cell} from './text-table.ts'

export interface GateItem {
  /** lxc/105 */
  readonly guest: string
  readonly node: string | null
  readonly name: string | null
  /** In a few words. */
  readonly action: string
  readonly class: GateClass
  /** What felhom gate sign takes. */
  readonly id: string | null
  readonly op: string | null
  readonly role: string | null
  readonly people: {readonly signed: number; readonly needed: number} | null
  /** `unsignable`: no signature can allow it. */
  readonly state: 'allowed' | 'signed' | 'pending' | 'refused' | 'unsignable'
  readonly refusal: {readonly code: string; readonly message: string} | null
}

export interface GateTextOptions {
  readonly palette: Palette
  readonly width: number
}

export function renderCheckedPlan(items: readonly GateItem[], options: GateTextOptions): string {
  if (items.length === 0) return 'The plan holds no actions.'
  const {palette} = options
  const header = ['GUEST', 'NAME', 'ACTION', 'CLASS', 'STATE', 'ID'].map((text) => dim(text, palette))
  const rows = items.map((item): Cell[] => [
    {text: item.guest},
    {text: item.name ?? '-'},
    {text: item.action},
    {text: item.class, ...(item.class === 'destructive' && {paint: palette.warn})},
    {text: describeState(item), paint: paintState(item, palette)},
    {text: item.id ?? '-'},
  ])
  const held = items.filter(({refusal}) => refusal !== null)
  return [
    ...renderColumns([header, ...rows], 40),
    ...(held.length > 0 ? ['', ...renderRefusals(held, options)] : []),
    '',
    summarize(items),
  ].join('\n')
}

/** Those alone that wait for somebody, and what to do about them. */
export function renderPending(items: readonly GateItem[], options: GateTextOptions): string {
  if (items.length === 0) return 'Nothing waits for a signature.'
  const {palette} = options
  const header = ['ID', 'GUEST', 'NAME', 'OPERATION', 'SIGNED', 'WHY NOT'].map((text) => dim(text, palette))
  const rows = items.map((item): Cell[] => [
    {text: item.id ?? '-', paint: palette.strong},
    {text: item.guest},
    {text: item.name ?? '-'},
    {text: item.op ?? item.action},
    {text: item.people ? countPeople(item.people) : '-'},
    {text: item.refusal?.code ?? '-', paint: palette.warn},
  ])
  const ways = items.some(({id}) => id !== null)
    ? [
        '',
        'Look at one:        felhom gate show ID',
        'Sign it here:       felhom gate sign ID --key FILE',
        'Sign it elsewhere:  felhom gate export ID --out FILE',
      ]
    : []
  return [...renderColumns([header, ...rows], 40), '', ...renderRefusals(items, options), ...ways].join('\n')
}

const dim = (text: string, palette: Palette): Cell => ({text, paint: palette.dim})

const countPeople = ({signed, needed}: {signed: number; needed: number}): string => `${signed} of ${needed}`

function describeState({state, people}: GateItem): string {
  return state === 'pending' && people ? `pending (${countPeople(people)} signed)` : state
}

function paintState({state}: GateItem, palette: Palette): (text: string) => string {
  if (state === 'allowed' || state === 'signed') return palette.good
  return state === 'pending' ? palette.warn : palette.bad
}

/** Each once, with the guests that it is said of. */
function renderRefusals(items: readonly GateItem[], {width}: GateTextOptions): string[] {
  const guests = new Map<string, Set<string>>()
  for (const {guest, refusal} of items) {
    if (!refusal) continue
    const told = `${refusal.code}: ${refusal.message}`
    guests.set(told, (guests.get(told) ?? new Set()).add(guest))
  }
  return [...guests].map(([told, all]) => wrapText(escapeText(`${[...all].join(', ')}: ${told}.`), width))
}

function summarize(items: readonly GateItem[]): string {
  const held = items.filter(({state}) => state !== 'allowed' && state !== 'signed').length
  if (held === 0) return `${plural(items.length, 'action')}, and nothing holds any of them back.`
  return `${held} of ${plural(items.length, 'action')} would not be carried out: felhom gate pending`
}
