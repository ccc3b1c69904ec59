// The lines inside a guest's block: one per option, keys padded, values escaped, long texts as a diff of lines.
import {diffLines} from 'diff'
import type {GuestPlan, OptionChange, PlannedAction} from '../model/plan.ts'
import {escapeText} from './escape-text.ts'
import type {Palette} from './palette.ts'
import {describePower, remarkOn, type ShowValue} from './plan-words.ts'
import type {Paint} from './text-table.ts'
import {showBytes} from './show-bytes.ts'

interface LineOptions {
  readonly palette: Palette
  readonly showValue: ShowValue
}

interface Line {
  readonly symbol: '+' | '~' | '-'
  readonly key: string
  /** Already escaped. */
  readonly before: string | undefined
  readonly after: string | undefined
  readonly remark: string
  /** Lines of a text diff below the key, instead of before and after. */
  readonly body?: readonly string[]
}

export function renderGuestLines(guest: GuestPlan, options: LineOptions): string[] {
  const lines = guest.actions.flatMap((action) => linesOf(action, guest, options))
  const keyWidth = Math.max(0, ...lines.map((line) => line.key.length))
  const rendered = lines.flatMap((line) => renderLine(line, keyWidth, options.palette))
  if (guest.unchangedOptions === 0) return rendered
  const count = guest.unchangedOptions
  const hidden = `        # (${count} unchanged option${count === 1 ? '' : 's'} hidden)`
  return [...rendered, options.palette.dim(hidden)]
}

function linesOf(action: PlannedAction, guest: GuestPlan, options: LineOptions): Line[] {
  switch (action.type) {
    case 'set-config':
      return action.changes.map((change) => optionLine(change, guest, options))
    case 'create':
      return [originLine(action.from), ...action.options.map((change) => optionLine(change, guest, options))]
    case 'destroy':
      return action.volumes.map(({option, text}) => volumeLine(option, text))
    case 'resize': {
      const [before, after] = [showBytes(action.fromBytes), showBytes(action.toBytes)]
      return [{symbol: '~', key: action.disk, before, after, remark: 'grows; cannot be undone'}]
    }
    case 'migrate':
      return [
        {
          symbol: '~',
          key: 'node',
          before: escapeText(guest.node ?? ''),
          after: escapeText(action.to.join(' or ')),
          remark: '',
        },
      ]
    default: {
      const power = describePower(action, guest)
      return power
        ? [
            {
              symbol: power.before === '' ? '+' : '~',
              key: 'run',
              before: power.before || undefined,
              after: power.after,
              remark: escapeText(power.remark),
            },
          ]
        : []
    }
  }
}

function optionLine(change: OptionChange, guest: GuestPlan, {showValue}: LineOptions): Line {
  const {option, before, after} = change
  const symbol = before === undefined ? '+' : after === undefined && !change.secret ? '-' : '~'
  const common = {symbol, key: escapeText(option), remark: escapeText(remarkOn(change))} as const
  if (change.secret) return {...common, before: undefined, after: '(secret)'}
  if (/\n./.test(`${before ?? ''}${after ?? ''}`)) {
    return {...common, before: undefined, after: undefined, body: textDiff(before ?? '', after ?? '')}
  }
  const show = (text: string | undefined): string | undefined =>
    text === undefined ? undefined : escapeText(showValue(guest.kind, option, text))
  return {...common, before: show(before), after: show(after)}
}

function originLine(from: Extract<PlannedAction, {type: 'create'}>['from']): Line {
  const source =
    'template' in from
      ? from.template
      : 'restore' in from
        ? `backup ${from.restore}`
        : 'clone' in from
          ? `${from.full ? 'full ' : ''}clone of ${from.clone}`
          : 'nothing'
  const storage = from.storage === undefined ? '' : ` on ${from.storage}`
  return {symbol: '+', key: 'from', before: undefined, after: escapeText(`${source}${storage}`), remark: ''}
}

function volumeLine(option: string, text: string): Line {
  const [volume = '', ...rest] = text.split(',')
  const size = rest.find((part) => part.startsWith('size='))?.slice(5)
  const shown = size === undefined ? volume : `${volume} (${size})`
  return {
    symbol: '-',
    key: escapeText(option),
    before: escapeText(shown),
    after: undefined,
    remark: 'data is lost',
  }
}

function textDiff(before: string, after: string): string[] {
  const parts = diffLines(withNewline(before), withNewline(after))
  return parts.flatMap((part) => {
    const mark = part.added ? '+' : part.removed ? '-' : ' '
    return part.value
      .replace(/\n$/, '')
      .split('\n')
      .map((line) => `${mark} ${escapeText(line)}`)
  })
}

const withNewline = (text: string): string => (text === '' || text.endsWith('\n') ? text : `${text}\n`)

function renderLine(line: Line, keyWidth: number, palette: Palette): string[] {
  const paint: Paint = line.symbol === '+' ? palette.good : line.symbol === '-' ? palette.bad : palette.warn
  const head = `      ${paint(line.symbol)} ${line.key.padEnd(keyWidth)} =`
  const remark = line.remark === '' ? '' : palette.dim(`   # ${line.remark}`)
  if (line.body)
    return [`${head} <text>${remark}`, ...line.body.map((text) => `          ${paintDiff(text, palette)}`)]
  if (line.before !== undefined && line.after !== undefined)
    return [`${head} ${line.before} -> ${line.after}${remark}`]
  if (line.before !== undefined)
    return [`${head} ${line.before}${line.symbol === '~' ? ' -> (none)' : ''}${remark}`]
  return [`${head} ${line.after ?? '(none)'}${remark}`]
}

function paintDiff(text: string, palette: Palette): string {
  return text.startsWith('+')
    ? palette.good(text)
    : text.startsWith('-')
      ? palette.bad(text)
      : palette.dim(text)
}
