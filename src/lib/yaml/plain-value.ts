// Nodes → plain value in one walk, with everything refused on the way that a text for people does not need.
import {isAlias, isMap, isScalar, isSeq, type Scalar, type YAMLMap, type YAMLSeq} from 'yaml'
import type {Diagnostic} from '../model/diagnostic.ts'
import {keyText} from './key-text.ts'
import type {TextPlaces} from './text-places.ts'

export interface PlainValue {
  readonly value: unknown
  readonly diagnostics: Diagnostic[]
  /** Which node each map of the value comes from. */
  readonly nodes: ReadonlyMap<object, YAMLMap>
}

const BANNED_KEYS = new Set(['__proto__', 'constructor', 'prototype'])
const MAX_REFUSALS = 1000

export function toPlainValue(node: unknown, maxDepth: number, places: TextPlaces): PlainValue {
  const walk = new Walk(maxDepth, places)
  return {value: walk.toValue(node, 0), diagnostics: walk.diagnostics, nodes: walk.nodes}
}

class Walk {
  readonly diagnostics: Diagnostic[] = []
  readonly nodes = new Map<object, YAMLMap>()
  readonly #maxDepth: number
  readonly #places: TextPlaces

  constructor(maxDepth: number, places: TextPlaces) {
    this.#maxDepth = maxDepth
    this.#places = places
  }

  toValue(node: unknown, depth: number): unknown {
    if (isScalar(node)) {
      if (node.anchor !== undefined) this.#refuseAnchor(node)
      return scalarValue(node)
    }
    if (isAlias(node)) {
      this.#refuse(node, {
        code: 'alias',
        message: 'aliases are not allowed',
        expected: 'the value written out',
      })
      return null
    }
    if (!isMap(node) && !isSeq(node)) return null
    if (node.anchor !== undefined) this.#refuseAnchor(node)
    if (depth >= this.#maxDepth) {
      this.#refuse(node, {
        code: 'too_deep',
        message: 'nested too deeply',
        expected: `at most ${this.#maxDepth} levels`,
      })
      return null
    }
    return isMap(node) ? this.#toObject(node, depth + 1) : this.#toArray(node, depth + 1)
  }

  #toArray(node: YAMLSeq, depth: number): unknown[] {
    return node.items.map((item) => this.toValue(item, depth))
  }

  #toObject(node: YAMLMap, depth: number): Record<string, unknown> {
    const object: Record<string, unknown> = {}
    this.nodes.set(object, node)
    for (const {key, value} of node.items) {
      const name = this.#readKey(key)
      const plain = this.toValue(value, depth)
      if (name === undefined) continue
      if (Object.hasOwn(object, name)) this.#refuseDuplicate(node, key, name)
      else object[name] = plain
    }
    return object
  }

  #readKey(key: unknown): string | undefined {
    if (isScalar(key) && key.anchor !== undefined) this.#refuseAnchor(key)
    const name = keyText(key)
    if (name === undefined)
      this.#refuse(key, {code: 'key_type', message: 'a key must be a plain word or number'})
    else if (BANNED_KEYS.has(name))
      this.#refuse(key, {code: 'forbidden_key', message: `the key '${name}' is not allowed`})
    else return name
    return undefined
  }

  #refuseDuplicate(node: YAMLMap, key: unknown, name: string): void {
    const first = node.items.find((pair) => keyText(pair.key) === name)
    const {line, column} = this.#places.locate(rangeOf(first?.key)[0])
    this.#refuse(key, {
      code: 'duplicate_key',
      message: `the key '${name}' stands twice in the same map, for the first time at ${line}:${column}`,
    })
  }

  #refuse(node: unknown, what: Omit<Diagnostic, 'file'>): void {
    if (this.diagnostics.length >= MAX_REFUSALS) return
    const [start, end] = rangeOf(node)
    this.diagnostics.push(this.#places.at(start, end - start, what))
  }

  #refuseAnchor(node: unknown): void {
    this.#refuse(node, {
      code: 'anchor',
      message: 'anchors are not allowed',
      expected: 'a plain value',
    })
  }
}

/** A number that would lose something on its way (`1.10`, `0x65`, twenty digits) stays the text it is. */
function scalarValue({value, source}: Scalar): unknown {
  return typeof value === 'number' && source !== undefined && source !== String(value) ? source : value
}

function rangeOf(node: unknown): readonly [number, number] {
  const range = (node as {range?: readonly number[] | null} | null | undefined)?.range
  return [range?.[0] ?? 0, range?.[1] ?? 1]
}
