// An operation as a short block of lines: its name and state, what it is about, and what there is to say of it.
import type {Operation} from '../model/operation.ts'
import {escapeText} from './escape-text.ts'
import {showAge, showTime} from './journal-times.ts'
import {describeBody, nameTarget} from './journal-words.ts'
import type {Palette} from './palette.ts'
import {wrapText, type Paint} from './text-table.ts'

export interface BlockOptions {
  readonly palette: Palette
  readonly width: number
  readonly nowMs: number
}

export interface BlockHead {
  readonly text: string
  readonly paint: Paint
}

const LABEL_WIDTH = 9

/** The pairs are a label and what stands behind it; a pair without text is left out. */
export function renderBlock(
  {intent}: Operation,
  head: BlockHead,
  pairs: readonly (readonly [label: string, text: string | undefined])[],
  {palette, width, nowMs}: BlockOptions,
): string {
  const indent = ' '.repeat(LABEL_WIDTH + 2)
  const about: [string, string][] = [
    ['guest', nameTarget(intent)],
    ['action', describeBody(intent.body)],
    ['started', `${showTime(intent.atMs)}, ${showAge(intent.atMs, nowMs)}`],
  ]
  const lines = [...about, ...pairs].flatMap(([label, text]) => {
    if (text === undefined || text === '') return []
    const body = wrapText(escapeText(text), width - indent.length).replaceAll('\n', `\n${indent}`)
    return [`  ${palette.dim(label.padEnd(LABEL_WIDTH))}${body}`]
  })
  return [`${palette.strong(escapeText(intent.op))}  ${head.paint(head.text)}`, ...lines].join('\n')
}
