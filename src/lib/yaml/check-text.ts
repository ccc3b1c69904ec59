// What can be told of a text before it is parsed: that it would cost too much, or holds what no text holds.
import type {Diagnostic} from '../model/diagnostic.ts'

export interface Unfit {
  offset: number
  what: Omit<Diagnostic, 'file'>
}

export interface TextLimits {
  maxDepth: number
  maxMarks?: number
}

/** Everything that YAML does not allow in a text, and a carriage return that ends no line. */
const UNPRINTABLE = /[\0-\x08\v\f\x0e-\x1f\x7f-\x84\x86-\x9f\ufffe\uffff]|\r(?!\n)/

const COMPACT_LIST = /(?:[-?] ){65,}/

export function checkText(text: string, {maxDepth, maxMarks = 1_000_000}: TextLimits): Unfit | undefined {
  const unprintable = UNPRINTABLE.exec(text)
  if (unprintable) return refuseCharacter(unprintable)
  const tooDeep = (offset: number): Unfit => ({
    offset,
    what: {code: 'too_deep', message: 'nested too deeply', expected: `at most ${maxDepth} levels`},
  })
  const compact = COMPACT_LIST.exec(text)
  if (compact && compact[0].length / 2 > maxDepth) return tooDeep(compact.index)
  let depth = 0
  let marks = 0
  for (let i = 0; i < text.length; i++) {
    const mark = MARKS[text.charCodeAt(i)]
    if (mark === undefined || mark === 0) continue
    if (++marks > maxMarks) return refuseWeight(i, maxMarks)
    if (mark === OPENS) depth++
    else if (mark === CLOSES) depth = Math.max(0, depth - 1)
    // Brackets inside quoted text are counted too: the limit is generous.
    if (depth > maxDepth * 4) return tooDeep(i)
  }
  return undefined
}

const [PLAIN, OPENS, CLOSES] = [1, 2, 3]

/** By character: what each of these may make the parser keep. */
const MARKS = new Uint8Array(128)
for (const c of '\n,?&*!|>%@`\\') MARKS[c.charCodeAt(0)] = PLAIN
for (const c of '[{') MARKS[c.charCodeAt(0)] = OPENS
for (const c of ']}') MARKS[c.charCodeAt(0)] = CLOSES

function refuseCharacter(found: RegExpExecArray): Unfit {
  const code = found[0].charCodeAt(0)
  return {
    offset: found.index,
    what: {
      code: 'control_character',
      message: `the character U+${code.toString(16).toUpperCase().padStart(4, '0')} may not stand in a YAML text`,
      ...(code === 0x0d && {expected: 'lines that end with a line feed'}),
    },
  }
}

const refuseWeight = (offset: number, maxMarks: number): Unfit => ({
  offset,
  what: {
    code: 'too_large',
    message: 'the file holds too many lines and entries',
    expected: `at most ${maxMarks}; it can be split into several files`,
  },
})
