// The plan as Markdown, for the comment that a CI job leaves on a pull request.
import type {GuestPlan, Plan, PlanProblem} from '../model/plan.ts'
import {makePalette} from './palette.ts'
import {renderGuestLines} from './plan-lines.ts'
import {
  describeBlockers,
  describeCost,
  describeFate,
  describeNoChanges,
  describeUnmanaged,
  summarize,
  type ShowValue,
} from './plan-words.ts'
import {escapeText} from './escape-text.ts'

export function renderPlanMarkdown(plan: Plan, showValue: ShowValue): string {
  const acting = plan.guests.filter((guest) => guest.actions.length > 0)
  const problems = [...plan.problems, ...plan.guests.flatMap((guest) => guest.problems)]
  const unmanaged = describeUnmanaged(plan)
  const head = acting.length > 0 ? summarize(plan) : [describeNoChanges(plan, problems)]
  return [
    '### felhom plan',
    ['**' + head.join(' ') + '**', ...(unmanaged === undefined ? [] : [unmanaged])].join('\n'),
    ...problems.map(renderProblem),
    ...acting.map((guest) => renderGuest(guest, showValue)),
  ].join('\n\n')
}

const renderProblem = ({severity, message, place}: PlanProblem): string => {
  const where = place ? ` (\`${code(`${place.file}:${place.line}`)}\`)` : ''
  return `> **${severity === 'error' ? 'Error' : 'Warning'}:** ${prose(message)}${where}`
}

function renderGuest(guest: GuestPlan, showValue: ShowValue): string {
  const title = `${guest.kind}/${guest.vmid}${guest.name === undefined ? '' : ` ${guest.name}`}${guest.node === undefined ? '' : ` on ${guest.node}`}`
  const lines = renderGuestLines(guest, {palette: makePalette(false), width: 100, showValue}).map((line) =>
    toDiffLine(line.slice(6)),
  )
  // As code, so that nobody is mentioned by the name of a guest.
  return [
    `<details><summary><code>${html(title)}</code> ${html(describeFate(guest))} <i>${html(describeCost(guest))}</i></summary>`,
    ['```diff', ...lines.map(fence), '```'].join('\n'),
    ...describeBlockers(guest).map((blocker) => `> **!** ${prose(blocker)}`),
    '</details>',
  ].join('\n\n')
}

/** GitHub colours `+`, `-` and `!` at the start of a line. */
const toDiffLine = (line: string): string => (line.startsWith('~') ? `!${line.slice(1)}` : line)

/** A fence inside the block would end it. */
const fence = (line: string): string => line.replaceAll('```', "'''")

const html = (text: string): string =>
  escapeText(text).replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('>', '&gt;')

const prose = (text: string): string => html(text).replaceAll(/([\\`*_[\]|@#])/g, String.raw`\$1`)

const code = (text: string): string => escapeText(text).replaceAll('`', "'")
