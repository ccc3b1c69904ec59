// Strict YAML: text → plain value with a position for every key and value. It may touch nothing but the text
// it is given. It guarantees that whatever the text holds, the answer is a value or diagnostics, in time and
// memory bounded by the limits: no aliases, no duplicate keys, no prototype keys, no deep nesting.
import type {Diagnostic} from '../model/diagnostic.ts'
import {checkText} from './check-text.ts'
import {composeDocument, type Composed} from './compose-document.ts'
import {findRange, isEmptyAt} from './find-range.ts'
import {toPlainValue} from './plain-value.ts'
import {TextPlaces} from './text-places.ts'

export interface YamlLimits {
  maxBytes: number
  maxDepth: number
  /** Line breaks, brackets, commas and other indicators: each may cost the parser a kilobyte. */
  maxMarks?: number
}

export type YamlPath = readonly (string | number)[]

export interface YamlText {
  /** undefined when there are diagnostics; null when the text is empty. */
  value: unknown
  diagnostics: Diagnostic[]
  /** A diagnostic at the key or the value that the path leads to, or at its nearest parent. */
  diagnose(path: YamlPath, where: 'key' | 'value', what: Omit<Diagnostic, 'file'>): Diagnostic
  /** The line and column where that key or value stands, counted from 1. */
  locate(path: YamlPath, where: 'key' | 'value'): {line: number; column: number}
  /** Whether nothing at all was written as the value: `swap:`, where `swap: null` says something. */
  isEmpty(path: YamlPath): boolean
}

export function readYaml(file: string, bytes: Uint8Array, limits: YamlLimits): YamlText {
  if (bytes.byteLength > limits.maxBytes) {
    return refuse({
      code: 'too_large',
      file,
      message: `the file holds more than ${limits.maxBytes} bytes`,
      expected: `at most ${limits.maxBytes} bytes`,
    })
  }
  let text: string
  try {
    text = new TextDecoder('utf-8', {fatal: true}).decode(bytes)
  } catch {
    return refuse({code: 'bad_utf8', file, message: 'the file is not valid UTF-8', expected: 'UTF-8 text'})
  }
  const places = new TextPlaces(file, text)
  const unfit = checkText(text, limits)
  if (unfit) return refuse(places.at(unfit.offset, 1, unfit.what))
  return new PositionedYaml(places, composeDocument(text), limits)
}

function refuse(diagnostic: Diagnostic): YamlText {
  return {
    value: undefined,
    diagnostics: [diagnostic],
    diagnose: (_path, _where, what) => ({...what, file: diagnostic.file}),
    locate: () => ({line: 1, column: 1}),
    isEmpty: () => false,
  }
}

class PositionedYaml implements YamlText {
  readonly value: unknown
  readonly diagnostics: Diagnostic[]
  readonly #places: TextPlaces
  readonly #contents: Composed['contents']

  constructor(places: TextPlaces, {contents, faults}: Composed, limits: YamlLimits) {
    this.#places = places
    this.#contents = contents
    this.diagnostics = faults.map(({offset, what}) => places.at(offset, 1, what))
    if (this.diagnostics.length > 0) return
    const value = toPlainValue(
      contents,
      limits.maxDepth,
      ([start, end], what) => {
        this.diagnostics.push(places.at(start, end - start, what))
      },
      places,
    )
    if (this.diagnostics.length === 0) this.value = value
  }

  diagnose(path: YamlPath, where: 'key' | 'value', what: Omit<Diagnostic, 'file'>): Diagnostic {
    const [start, end] = findRange(this.#contents, path, where)
    return this.#places.at(start, end - start, what)
  }

  locate(path: YamlPath, where: 'key' | 'value'): {line: number; column: number} {
    return this.#places.locate(findRange(this.#contents, path, where)[0])
  }

  isEmpty(path: YamlPath): boolean {
    return isEmptyAt(this.#contents, path)
  }
}
