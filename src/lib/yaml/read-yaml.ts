// Strict YAML: text → plain value with a position for every key and value. It may touch nothing but the text
// it is given. It guarantees that whatever the text holds, the answer is a value or diagnostics, in time and
// memory bounded by the size of the text: no aliases, no duplicate keys, no prototype keys, no deep nesting.
import {
  LineCounter,
  isAlias,
  isMap,
  isPair,
  isScalar,
  isSeq,
  parseDocument,
  visit,
  type Document,
  type Node,
  type Pair,
} from 'yaml'
import type {Diagnostic} from '../model/diagnostic.ts'

export interface YamlLimits {
  maxBytes: number
  maxDepth: number
}

export type YamlPath = readonly (string | number)[]

export interface YamlText {
  /** undefined when there are diagnostics, or when the text is empty. */
  value: unknown
  diagnostics: Diagnostic[]
  /** A diagnostic at the key or the value that the path leads to, or at its nearest parent. */
  diagnose(path: YamlPath, where: 'key' | 'value', what: Omit<Diagnostic, 'file'>): Diagnostic
}

const BANNED_KEYS = new Set(['__proto__', 'constructor', 'prototype'])

export function readYaml(file: string, bytes: Uint8Array, limits: YamlLimits): YamlText {
  if (bytes.byteLength > limits.maxBytes) {
    return refuse({
      code: 'too_large',
      file,
      message: `the file holds ${bytes.byteLength} bytes`,
      expected: `at most ${limits.maxBytes}`,
    })
  }
  let text: string
  try {
    text = new TextDecoder('utf-8', {fatal: true}).decode(bytes)
  } catch {
    return refuse({code: 'bad_utf8', file, message: 'the file is not valid UTF-8', expected: 'UTF-8 text'})
  }
  return new PositionedYaml(file, text, limits)
}

function refuse(diagnostic: Diagnostic): YamlText {
  return {
    value: undefined,
    diagnostics: [diagnostic],
    diagnose: (_path, _where, what) => ({...what, file: diagnostic.file}),
  }
}

class PositionedYaml implements YamlText {
  readonly value: unknown
  readonly diagnostics: Diagnostic[] = []
  readonly #file: string
  readonly #text: string
  readonly #lines = new LineCounter()
  readonly #document: Document.Parsed | undefined

  constructor(file: string, text: string, limits: YamlLimits) {
    this.#file = file
    this.#text = text
    const deep = nestingBeyond(text, limits.maxDepth)
    if (deep !== undefined) {
      this.#countLines()
      this.diagnostics.push(
        this.#at(deep, 1, {
          code: 'too_deep',
          message: 'nested too deeply',
          expected: `at most ${limits.maxDepth} levels`,
        }),
      )
      return
    }
    const document = parseDocument(text, {
      lineCounter: this.#lines,
      uniqueKeys: true,
      strict: true,
      prettyErrors: false,
    })
    this.#document = document
    this.#collectSyntaxErrors(document)
    if (this.diagnostics.length === 0) this.#collectForbidden(document, limits.maxDepth)
    if (this.diagnostics.length === 0) this.value = document.toJS() as unknown
  }

  diagnose(path: YamlPath, where: 'key' | 'value', what: Omit<Diagnostic, 'file'>): Diagnostic {
    const [start, end] = this.#rangeOf(path, where)
    return this.#at(start, Math.max(1, end - start), what)
  }

  #countLines(): void {
    this.#lines.addNewLine(0)
    for (let i = this.#text.indexOf('\n'); i >= 0; i = this.#text.indexOf('\n', i + 1))
      this.#lines.addNewLine(i + 1)
  }

  #collectSyntaxErrors(document: Document.Parsed): void {
    for (const problem of [...document.errors, ...document.warnings]) {
      const duplicate = problem.code === 'DUPLICATE_KEY'
      this.diagnostics.push(
        this.#at(problem.pos[0], 1, {
          code: duplicate ? 'duplicate_key' : 'yaml_syntax',
          message: duplicate ? 'this key stands twice in the same map' : firstLine(problem.message),
        }),
      )
    }
  }

  #collectForbidden(document: Document.Parsed, maxDepth: number): void {
    visit(document, {
      Alias: (_key, node) => {
        this.diagnostics.push(
          this.#atNode(node, {
            code: 'alias',
            message: 'aliases are not allowed',
            expected: 'the value written out',
          }),
        )
      },
      Node: (_key, node, path) => {
        if ('anchor' in node && node.anchor)
          this.diagnostics.push(
            this.#atNode(node, {
              code: 'anchor',
              message: 'anchors are not allowed',
              expected: 'a plain value',
            }),
          )
        if (path.filter((p) => isMap(p) || isSeq(p)).length > maxDepth) {
          this.diagnostics.push(
            this.#atNode(node, {
              code: 'too_deep',
              message: 'nested too deeply',
              expected: `at most ${maxDepth} levels`,
            }),
          )
          return visit.SKIP
        }
        return undefined
      },
      Pair: (_key, pair) => {
        this.#checkKey(pair)
      },
    })
  }

  #checkKey(pair: Pair): void {
    const key = pair.key as Node | null
    if (isScalar(key) && ['string', 'number'].includes(typeof key.value)) {
      if (BANNED_KEYS.has(String(key.value)))
        this.diagnostics.push(
          this.#atNode(key, {
            code: 'forbidden_key',
            message: `the key '${String(key.value)}' is not allowed`,
          }),
        )
    } else if (!isAlias(key)) {
      this.diagnostics.push(
        this.#atNode(key, {code: 'key_type', message: 'a key must be a plain word or number'}),
      )
    }
  }

  #atNode(node: Node | null | undefined, what: Omit<Diagnostic, 'file'>): Diagnostic {
    const range = node?.range
    return this.#at(range?.[0] ?? 0, range ? range[1] - range[0] : 1, what)
  }

  #at(offset: number, length: number, what: Omit<Diagnostic, 'file'>): Diagnostic {
    const {line, col} = this.#lines.linePos(offset)
    const start = this.#lines.lineStarts[line - 1] ?? 0
    const newline = this.#text.indexOf('\n', start)
    const sourceLine = this.#text.slice(start, newline < 0 ? undefined : newline).replace(/\r$/, '')
    const fits = Math.max(1, Math.min(length, sourceLine.length - col + 1))
    return {
      ...what,
      file: this.#file,
      line: Math.max(1, line),
      column: Math.max(1, col),
      length: fits,
      sourceLine,
    }
  }

  #rangeOf(path: YamlPath, where: 'key' | 'value'): [number, number] {
    let node: unknown = this.#document?.contents
    let range: [number, number] = rangeOf(node) ?? [0, 1]
    for (const [depth, part] of path.entries()) {
      if (isMap(node)) {
        const pair = node.items.find(
          (p) => isPair(p) && isScalar(p.key) && String(p.key.value) === String(part),
        )
        if (!pair) return range
        const last = depth === path.length - 1
        range =
          (last && where === 'key' ? rangeOf(pair.key) : (rangeOf(pair.value) ?? rangeOf(pair.key))) ?? range
        node = pair.value
      } else if (isSeq(node) && typeof part === 'number') {
        node = node.items[part]
        range = rangeOf(node) ?? range
      } else return range
    }
    return range
  }
}

function rangeOf(node: unknown): [number, number] | undefined {
  const range = (node as Node | null | undefined)?.range
  return range ? [range[0], range[1]] : undefined
}

const firstLine = (text: string): string => text.split('\n', 1)[0] ?? text

/**
 * The offset where flow brackets or indentation nest beyond the limit, so that hostile nesting is refused
 * before a recursive parser meets it. It may count brackets inside quoted text: the limit is generous.
 */
function nestingBeyond(text: string, maxDepth: number): number | undefined {
  let depth = 0
  for (let i = 0; i < text.length; i++) {
    const c = text.charCodeAt(i)
    if (c === 0x5b || c === 0x7b) depth++
    else if (c === 0x5d || c === 0x7d) depth = Math.max(0, depth - 1)
    if (depth > maxDepth * 4) return i
  }
  const compact = /(?:- ){65,}/.exec(text)
  return compact && compact[0].length / 2 > maxDepth ? compact.index : undefined
}
