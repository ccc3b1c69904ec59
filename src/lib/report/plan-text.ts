// The plan as an operator reads it before saying yes: Terraform's grammar, and beside it what Terraform cannot
// say: outage, reversibility, and what needs a signature. Whatever comes from outside is escaped.
import type {GuestPlan, Plan, PlanProblem} from '../model/plan.ts'
import {escapeText} from './escape-text.ts'
import type {Palette} from './palette.ts'
import {renderGuestLines} from './plan-lines.ts'
import {
  describeBlockers,
  describeCost,
  describeFate,
  describeNoChanges,
  describeUnmanaged,
  summarize,
  symbolOf,
  type ShowValue,
  type Symbol,
} from './plan-words.ts'
import {cellWidth, wrapText, type Paint} from './text-table.ts'

export interface PlanTextOptions {
  readonly palette: Palette
  readonly width: number
  readonly showValue: ShowValue
  /** Whether felhom gate pending lists what needs a signature: not what no file asks for. True unless said otherwise. */
  readonly isPendingListed?: boolean
}

const SYMBOL_WORDS: Record<Symbol, string> = {'+': 'create', '~': 'update in place', '-': 'destroy'}

export function renderPlan(plan: Plan, options: PlanTextOptions): string {
  const acting = plan.guests.filter((guest) => guest.actions.length > 0)
  const problems = [...plan.problems, ...plan.guests.flatMap((guest) => guest.problems)]
  const sections: string[] = []
  if (acting.length > 0)
    sections.push(renderLegend(acting, options), ...acting.map((guest) => renderGuest(guest, options)))
  if (problems.length > 0)
    sections.push(problems.map((problem) => renderProblem(problem, options)).join('\n'))
  sections.push(closing(plan, acting.length > 0, problems, options).join('\n'))
  return sections.join('\n\n')
}

function closing(
  plan: Plan,
  acts: boolean,
  problems: readonly PlanProblem[],
  {isPendingListed = true}: PlanTextOptions,
): string[] {
  const unmanaged = describeUnmanaged(plan)
  const tail = unmanaged === undefined ? [] : [unmanaged]
  if (acts) return [...summarize(plan, isPendingListed), ...tail]
  return [describeNoChanges(plan, problems), ...tail]
}

function renderLegend(guests: readonly GuestPlan[], {palette}: PlanTextOptions): string {
  const used = new Set(guests.map(symbolOf))
  const legend = (['+', '~', '-'] as const)
    .filter((s) => used.has(s))
    .map((s) => `  ${paintOf(s, palette)(s)} ${SYMBOL_WORDS[s]}`)
  return ['felhom will perform the following actions:', ...legend].join('\n')
}

export function paintOf(symbol: Symbol, palette: Palette): Paint {
  return symbol === '+' ? palette.good : symbol === '-' ? palette.bad : palette.warn
}

/** Where the cost of an action stands, so that costs can be read down a column. */
const COST_COLUMN = 54

function renderGuest(guest: GuestPlan, options: PlanTextOptions): string {
  const {palette, width} = options
  const symbol = symbolOf(guest)
  const id = `${guest.kind}/${guest.vmid}`
  const name = guest.name === undefined ? '' : ` ${escapeText(guest.name)}`
  const place = guest.node === undefined ? '' : ` on ${escapeText(guest.node)}`
  const title = `  # ${id}${name}${place} ${describeFate(guest)}`
  const cost = describeCost(guest)
  const fits = cellWidth(title) + 2 + cellWidth(cost) <= width
  const padding = ' '.repeat(Math.max(2, COST_COLUMN - cellWidth(title)))
  const heading = fits
    ? `${palette.strong(title)}${cellWidth(title + padding + cost) <= width ? padding : '  '}${palette.dim(cost)}`
    : `${palette.strong(title)}\n  ${palette.dim(`#   ${cost}`)}`
  const stops = describeBlockers(guest).map((blocker) => {
    const text = wrapText(`! ${escapeText(blocker)}`, width - 8).replaceAll('\n', '\n        ')
    return palette.warn(`      ${text}`)
  })
  return [
    heading,
    `  ${paintOf(symbol, palette)(symbol)} ${id} {`,
    ...renderGuestLines(guest, options),
    ...stops,
    '    }',
  ].join('\n')
}

function renderProblem({severity, message, place}: PlanProblem, {palette, width}: PlanTextOptions): string {
  const label = severity === 'error' ? palette.bad('Error:') : palette.warn('Warning:')
  const indent = severity === 'error' ? 7 : 9
  const where = place ? ` (${escapeText(place.file)}:${place.line}:${place.column})` : ''
  return `${label} ${wrapText(escapeText(message) + where, width - indent).replaceAll('\n', `\n${' '.repeat(indent)}`)}`
}
