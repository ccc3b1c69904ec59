// What can be told of a text before it is parsed: that it would cost too much, or holds what no text holds.
import type {Diagnostic} from '../model/diagnostic.ts'

export interface Unfit {
  offset: number
  what: Omit<Diagnostic, 'file'>
}

/** Everything that YAML does not allow in a text, and a carriage return that ends no line. */
const UNPRINTABLE = /[\0-\x08\v\f\x0e-\x1f\x7f-\x84\x86-\x9f\ufffe\uffff]|\r(?!\n)/

/** Ten thousand guests with two dozen lines each are half of it. */
export const MAX_MARKS = 1_000_000

/** What the text weighs, or why it is not parsed. */
export function checkText(text: string, maxMarks = MAX_MARKS): Unfit | {readonly marks: number} {
  const unprintable = UNPRINTABLE.exec(text)
  return unprintable ? refuseCharacter(unprintable) : checkWeight(text, maxMarks)
}

/** By character: each of these may make the parser keep a node, a token or an error. */
const MARKS = new Uint8Array(128)
for (const c of '\n,?&*!|>%@`\\[]{}') MARKS[c.charCodeAt(0)] = 1

const [DASH, SPACE] = [0x2d, 0x20]

function checkWeight(text: string, maxMarks: number): Unfit | {readonly marks: number} {
  let marks = 0
  for (let i = 0; i < text.length; i++) {
    const c = text.charCodeAt(i)
    const isMark = MARKS[c] === 1 || (c === DASH && text.charCodeAt(i + 1) === SPACE)
    if (isMark && ++marks > maxMarks) return refuseWeight(i)
  }
  return {marks}
}

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

const refuseWeight = (offset: number): Unfit => ({
  offset,
  what: {
    code: 'too_large',
    message: 'with this file there are too many lines and entries to read',
    expected: `at most ${MAX_MARKS} in all files together`,
  },
})
