// The lines inside a guest's block: one per option, keys padded, values escaped; property strings by the parts
// that differ, long texts as a diff of lines, remarks on a line of their own where they would not fit.
import {diffLines} from 'diff'
import type {CreateOrigin, GuestPlan, OptionChange, PartChange, PlannedAction} from '../model/plan.ts'
import {escapeText} from './escape-text.ts'
import type {Palette} from './palette.ts'
import {describePower, remarkOn, remarkOnGrowth, type ShowValue} from './plan-words.ts'
import {plural} from './plural.ts'
import {showBytes, showProxmoxSize} from './show-bytes.ts'
import {cellWidth, wrapText, type Paint} from './text-table.ts'

export interface LineOptions {
  readonly palette: Palette
  readonly width: number
  readonly showValue: ShowValue
}

type Mark = '+' | '~' | '-'

interface Line {
  readonly mark: Mark
  readonly key: string
  /** `1GiB -> 2GiB`, already escaped. */
  readonly value: string
  readonly remark: string
  /** Lines below the key instead of a value beside it. */
  readonly body?: readonly BodyLine[]
  /** What closes the body. */
  readonly close?: string
}

interface BodyLine {
  readonly mark: Mark | ' '
  readonly text: string
}

export function renderGuestLines(guest: GuestPlan, options: LineOptions): string[] {
  const lines = guest.actions.flatMap((action) => linesOf(action, guest, options))
  const keyWidth = Math.max(0, ...lines.map((line) => line.key.length))
  const rendered = lines.flatMap((line) => renderLine(line, keyWidth, options))
  if (guest.unchangedOptions === 0) return rendered
  const count = guest.unchangedOptions
  const hidden = `        # (${plural(count, 'unchanged option')} hidden)`
  return [...rendered, options.palette.dim(hidden)]
}

function linesOf(action: PlannedAction, guest: GuestPlan, options: LineOptions): Line[] {
  switch (action.type) {
    case 'set-config':
      return action.changes.map((change) => optionLine(change, guest, options))
    case 'create':
      return [
        ...originLines(action.from),
        ...action.options.map((change) => optionLine(change, guest, options)),
      ]
    case 'destroy':
      return action.volumes.map(({option, text}) => volumeLine(option, text))
    case 'resize': {
      const value = `${showBytes(action.fromBytes)} -> ${showBytes(action.toBytes)}`
      return [{mark: '~', key: escapeText(action.disk), value, remark: remarkOnGrowth(action, guest)}]
    }
    case 'migrate':
      return [
        {
          mark: '~',
          key: 'node',
          value: arrow(escapeText(guest.node ?? ''), escapeText(action.to.join(' or '))),
          remark: '',
        },
      ]
    case 'snapshot-delete':
      return [{mark: '-', key: 'snapshot', value: escapeText(action.snapshot), remark: 'it is lost'}]
    case 'snapshot-rollback': {
      const remark = 'everything since then is lost'
      return [{mark: '~', key: 'rollback', value: escapeText(action.snapshot), remark}]
    }
    default:
      return powerLine(action, guest)
  }
}

function powerLine(action: PlannedAction, guest: GuestPlan): Line[] {
  const power = describePower(action, guest)
  if (!power) return []
  const value = power.before === '' ? power.after : arrow(power.before, power.after)
  return [{mark: guest.exists ? '~' : '+', key: 'run', value, remark: escapeText(power.remark)}]
}

const arrow = (before: string, after: string): string => `${before} -> ${after}`

function optionLine(change: OptionChange, guest: GuestPlan, {showValue}: LineOptions): Line {
  const {option, before, after, parts} = change
  const mark = change.secret ? '+' : markOf(before, after)
  const common = {mark, key: escapeText(option), remark: escapeText(remarkOn(change, guest))}
  if (change.secret) return {...common, value: '(secret)'}
  if (parts && before !== undefined && after !== undefined && /[,=]/.test(before + after)) {
    return {...common, value: '{', body: partLines(parts), close: '}'}
  }
  if ([before, after].some((text) => /\n./.test(text ?? ''))) {
    return {...common, value: '<text>', body: textDiff(before ?? '', after ?? '')}
  }
  const show = (text: string): string => escapeText(showValue(guest.kind, option, text.replace(/\n$/, '')))
  if (before !== undefined && after !== undefined) return {...common, value: arrow(show(before), show(after))}
  return {...common, value: show(before ?? after ?? '')}
}

const markOf = (before: string | undefined, after: string | undefined): Mark =>
  before === undefined ? '+' : after === undefined ? '-' : '~'

function partLines(parts: readonly PartChange[]): BodyLine[] {
  const width = Math.max(...parts.map(({part}) => part.length))
  return parts.map(({part, before, after}) => {
    const [old, fresh] = [before, after].map((text) => (text === undefined ? undefined : escapeText(text)))
    const value = old !== undefined && fresh !== undefined ? arrow(old, fresh) : (old ?? fresh ?? '')
    return {mark: markOf(before, after), text: `${escapeText(part).padEnd(width)} = ${value}`}
  })
}

function originLines(from: CreateOrigin): Line[] {
  const line = (key: string, value: string): Line => ({mark: '+', key, value: escapeText(value), remark: ''})
  const origin = line('from', describeOrigin(from))
  return from.storage === undefined ? [origin] : [origin, line('storage', from.storage)]
}

function describeOrigin(from: CreateOrigin): string {
  if ('template' in from) return from.template
  if ('restore' in from) return `backup ${from.restore}`
  return 'clone' in from ? `${from.full ? 'full ' : ''}clone of ${from.clone}` : 'nothing: an empty machine'
}

function volumeLine(option: string, text: string): Line {
  const [volume = '', ...rest] = text.split(',')
  const size = rest.find((part) => part.startsWith('size='))?.slice(5)
  const value = size === undefined ? volume : `${volume} (${showProxmoxSize(size)})`
  return {mark: '-', key: escapeText(option), value: escapeText(value), remark: 'data is lost'}
}

function textDiff(before: string, after: string): BodyLine[] {
  return diffLines(withNewline(before), withNewline(after)).flatMap((part) => {
    const mark = part.added ? '+' : part.removed ? '-' : ' '
    const lines = part.value.replace(/\n$/, '').split('\n')
    return lines.map((line): BodyLine => ({mark, text: escapeText(line)}))
  })
}

const withNewline = (text: string): string => (text === '' || text.endsWith('\n') ? text : `${text}\n`)

function renderLine(line: Line, keyWidth: number, {palette, width}: LineOptions): string[] {
  const key = line.key.padEnd(keyWidth)
  const plain = `      ${line.mark} ${key} = ${line.value}`
  const text = `      ${paintMark(line.mark, palette)(line.mark)} ${key} = ${line.value}`
  const body = (line.body ?? []).map(
    ({mark, text: t}) => `          ${paintMark(mark, palette)(`${mark} ${t}`)}`,
  )
  const close = line.close === undefined ? [] : [`        ${line.close}`]
  if (line.remark === '') return [text, ...body, ...close]
  const beside = `   # ${line.remark}`
  if (cellWidth(plain + beside) <= width) return [text + palette.dim(beside), ...body, ...close]
  const below = wrapText(line.remark, width - 10)
    .split('\n')
    .map((part) => palette.dim(`        # ${part}`))
  return [text, ...body, ...close, ...below]
}

function paintMark(mark: Mark | ' ', palette: Palette): Paint {
  return mark === '+' ? palette.good : mark === '-' ? palette.bad : mark === '~' ? palette.warn : palette.dim
}
