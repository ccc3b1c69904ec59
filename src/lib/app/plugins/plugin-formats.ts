// A plan in a form of a plugin's: it is given what `--json` would print, and what it makes of that is printed.
import {FelhomError} from '../../model/felhom-error.ts'
import {callPlugin} from '../../plugin/call-plugin.ts'
import type {Extensions} from '../../plugin/extensions.ts'
import type {PlanJson} from '../../report/plan-json.ts'

const TIMEOUT_MS = 30_000
const OWN = ['text', 'markdown'] as const
export type OwnForm = (typeof OWN)[number]

/** One of felhom's own forms; undefined: it is a plugin's. Throws usage for what nobody knows. */
export function chooseForm(name: string, {formats}: Pick<Extensions, 'formats'>): OwnForm | undefined {
  const own = OWN.find((one) => one === name)
  if (own !== undefined || formats.some((format) => format.name === name)) return own
  const names = [...OWN, ...formats.map((format) => format.name)].join(', ')
  throw new FelhomError('usage', `there is no form of a plan by the name of ${JSON.stringify(name)}`, {
    hint: `There are: ${names}.`,
    doubt: 'Nothing was read and nothing was changed.',
  })
}

/** Throws plugin_failed. */
export async function renderWithPlugin(
  name: string,
  plan: PlanJson,
  {formats}: Pick<Extensions, 'formats'>,
  dir: string,
  timeoutMs = TIMEOUT_MS,
): Promise<string> {
  const format = formats.find((one) => one.name === name)
  if (!format) throw new FelhomError('usage', `there is no form ${JSON.stringify(name)}`)
  const copy = JSON.parse(JSON.stringify(plan)) as Readonly<Record<string, unknown>>
  const options = {point: 'format', timeoutMs, dir}
  const text: unknown = await callPlugin(format, (run, context) => run(copy, context), options)
  if (typeof text === 'string') return text
  throw new FelhomError(
    'plugin_failed',
    `the format ${format.name} of the plugin ${format.plugin} failed: it made no text`,
  )
}
