// The whole story of one operation: who, what, what it replaced, and every record with its time.
import type {Intent, Operation} from '../model/operation.ts'
import {escapeText} from './escape-text.ts'
import {asGuestPlan} from './journal-as-plan.ts'
import type {OperationStory, StoryRecord} from './journal-story.ts'
import {showAge, showExactTime, showTime} from './journal-times.ts'
import {describeBody, describeEnding, nameTarget, paintState, STATE_WORDS} from './journal-words.ts'
import type {Palette} from './palette.ts'
import {renderGuestLines} from './plan-lines.ts'
import type {ShowValue} from './plan-words.ts'
import {plural} from './plural.ts'
import {wrapText} from './text-table.ts'

export interface StoryOptions {
  readonly palette: Palette
  readonly width: number
  readonly nowMs: number
  readonly showValue: ShowValue
}

export function renderStory({operation, records}: OperationStory, options: StoryOptions): string {
  const {palette} = options
  const {intent, state} = operation
  const heading = `${palette.strong(escapeText(intent.op))}  ${paintState(state, palette)(state)}`
  const meaning = palette.dim(`  ${STATE_WORDS[state]}`)
  const facts = factsOf(operation, options.nowMs).map((fact) => renderFact(fact, options))
  const changes = renderGuestLines(asGuestPlan(intent), options)
  return [
    `${heading}\n${meaning}`,
    facts.join('\n'),
    ...(changes.length > 0 ? [changes.join('\n')] : []),
    records.map((record) => renderRecord(record, options)).join('\n'),
  ].join('\n\n')
}

type Fact = readonly [label: string, lines: readonly string[]]

function factsOf({intent, upid}: Operation, nowMs: number): Fact[] {
  const {identity, digest, key, knownTasks} = intent
  const listed = `${plural(knownTasks.length, 'earlier task')} of this guest, told apart from its own`
  const facts: Fact[] = [
    ['guest', [nameTarget(intent)]],
    ['action', [`${describeBody(intent.body)} (${intent.class})`]],
    ['run', [intent.run]],
    ['started', [`${showTime(intent.atMs)}, ${showAge(intent.atMs, nowMs)}`]],
    ['task', upid === undefined ? [] : [upid]],
    ['key', key === undefined ? [] : [key]],
    ['before', [describeBefore(intent)]],
    ['identity', identity?.ids ?? []],
    ['digest', digest === undefined ? [] : [digest]],
    ['listed', knownTasks.length === 0 ? [] : [listed]],
  ]
  return facts.filter(([, lines]) => lines.length > 0)
}

const describeBefore = ({identity, before}: Intent): string =>
  identity === undefined ? 'there was no guest of this number' : `the guest was ${before.run}`

const LABEL_WIDTH = 10

function renderFact([label, lines]: Fact, {palette, width}: StoryOptions): string {
  const indent = ' '.repeat(LABEL_WIDTH + 2)
  const text = lines.map((line) => wrapText(escapeText(line), width - indent.length)).join('\n')
  return `  ${palette.dim(label.padEnd(LABEL_WIDTH))}${text.replaceAll('\n', `\n${indent}`)}`
}

function renderRecord(record: StoryRecord, {palette, width}: StoryOptions): string {
  const {atMs, state, upid} = record
  const line = `  ${palette.dim(showExactTime(atMs))}  ${paintState(state, palette)(state)}`
  const about = upid ?? describeEnding(record)
  return about === '' ? line : `${line}\n${wrapText(escapeText(about), width, ' '.repeat(6))}`
}
