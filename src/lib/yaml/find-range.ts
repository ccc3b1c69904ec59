// From a path of keys and indexes to the part of the text where that key or value stands.
import {isMap, isScalar, isSeq, type Pair, type YAMLMap} from 'yaml'
import {keyText} from './key-text.ts'

type Path = readonly (string | number)[]

/** Of the nearest parent, where the path leads to nothing. */
export function findRange(root: unknown, path: Path, where: 'key' | 'value'): readonly [number, number] {
  let node: unknown = root
  let range = rangeOf(node) ?? [0, 1]
  for (const [depth, part] of path.entries()) {
    if (isMap(node)) {
      const pair = findPair(node, String(part))
      if (!pair) return range
      const wantsKey = where === 'key' && depth === path.length - 1
      range = (wantsKey || isEmpty(pair.value) ? rangeOf(pair.key) : rangeOf(pair.value)) ?? range
      node = pair.value
    } else if (isSeq(node) && typeof part === 'number') {
      node = node.items[part]
      range = rangeOf(node) ?? range
    } else return range
  }
  return range
}

/** Where a key of this map stands; where the map begins, if it has no such key. */
export function findKeyOffset(map: YAMLMap | undefined, key: string): number {
  const pair = map && findPair(map, key)
  return (rangeOf(pair?.key) ?? rangeOf(map))?.[0] ?? 0
}

export function isEmptyAt(root: unknown, path: Path): boolean {
  let node: unknown = root
  for (const part of path) {
    if (isMap(node)) {
      const pair = findPair(node, String(part))
      if (!pair) return false
      node = pair.value
    } else if (isSeq(node) && typeof part === 'number') node = node.items[part]
    else return false
  }
  return isEmpty(node)
}

const isEmpty = (node: unknown): boolean =>
  node === null || (isScalar(node) && node.value === null && (node.source ?? '') === '')

const SEARCHED_MAX = 24
const indexes = new WeakMap<YAMLMap, ReadonlyMap<string, Pair>>()

/** Thousands of guests stand in one map: it gets an index, small maps are searched. */
function findPair(map: YAMLMap, name: string): Pair | undefined {
  if (map.items.length <= SEARCHED_MAX) return map.items.find(({key}) => keyText(key) === name)
  let index = indexes.get(map)
  if (!index) {
    index = new Map(map.items.map((pair) => [keyText(pair.key) ?? '', pair]))
    indexes.set(map, index)
  }
  return index.get(name)
}

function rangeOf(node: unknown): readonly [number, number] | undefined {
  const range = (node as {range?: readonly number[] | null} | null | undefined)?.range
  return range ? [range[0] ?? 0, range[1] ?? 1] : undefined
}
