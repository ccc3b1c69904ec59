// Strict YAML: text → plain value with a position for every key and value. It may touch nothing but the text
// it is given. It guarantees that whatever the text holds, the answer is a value or diagnostics, in time and
// memory bounded by the limits: no aliases, no duplicate keys, no prototype keys, no deep nesting.
import type {Diagnostic} from '../model/diagnostic.ts'
import {checkText} from './check-text.ts'
import {composeDocument, type Composed} from './compose-document.ts'
import {findKeyOffset, findRange, isEmptyAt} from './find-range.ts'
import {toPlainValue, type PlainValue} from './plain-value.ts'
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
  /** The line and column where a key of a map of `value` stands, counted from 1. */
  locateKey(map: object, key: string): {line: number; column: number}
  /** Whether nothing at all was written as the value: `swap:`, where `swap: null` says something. */
  isEmpty(path: YamlPath): boolean
  /** Line breaks, brackets and so on that it holds; 0 where it was not parsed. */
  readonly marks: number
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
  const weight = checkText(text, limits.maxMarks)
  if ('what' in weight) return refuse(places.at(weight.offset, 1, weight.what))
  return new PositionedYaml(places, composeDocument(text), limits, weight.marks)
}

function refuse(diagnostic: Diagnostic): YamlText {
  return {
    value: undefined,
    diagnostics: [diagnostic],
    diagnose: (_path, _where, what) => ({...what, file: diagnostic.file}),
    locateKey: () => ({line: 1, column: 1}),
    isEmpty: () => false,
    marks: 0,
  }
}

class PositionedYaml implements YamlText {
  readonly value: unknown
  readonly diagnostics: Diagnostic[]
  readonly marks: number
  readonly #places: TextPlaces
  readonly #contents: Composed['contents']
  readonly #nodes: PlainValue['nodes']

  constructor(places: TextPlaces, {contents, faults}: Composed, limits: YamlLimits, marks: number) {
    const plain = toPlainValue(faults.length > 0 ? null : contents, limits.maxDepth, places)
    this.marks = marks
    this.#places = places
    this.#contents = contents
    this.#nodes = plain.nodes
    this.diagnostics = [...faults.map(({offset, what}) => places.at(offset, 1, what)), ...plain.diagnostics]
    if (this.diagnostics.length === 0) this.value = plain.value
  }

  diagnose(path: YamlPath, where: 'key' | 'value', what: Omit<Diagnostic, 'file'>): Diagnostic {
    const [start, end] = findRange(this.#contents, path, where)
    return this.#places.at(start, end - start, what)
  }

  locateKey(map: object, key: string): {line: number; column: number} {
    return this.#places.locate(findKeyOffset(this.#nodes.get(map), key))
  }

  isEmpty(path: YamlPath): boolean {
    return isEmptyAt(this.#contents, path)
  }
}
