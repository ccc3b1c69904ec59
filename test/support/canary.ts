// A token whose secret must never be seen, and the ways in which it might be.
import {inspect} from 'node:util'
import {expect} from 'chai'

export const CANARY = 'c4na7y00-dead-beef-cafe-5ec7e7005ec7'
export const CANARY_TOKEN = `root@pam!felhom=${CANARY}`

/** Looks for the canary in every way of printing a value. */
export function expectNoCanary(value: unknown): void {
  const printed = [
    inspect(value, {depth: Infinity, showHidden: true, getters: true}),
    String(value),
    toJson(value),
  ]
  for (const text of printed) expect(text).not.to.contain(CANARY)
}

/** With the fields of errors, which JSON leaves out, and without what has been printed already. */
function toJson(value: unknown): string {
  const seen = new Set<unknown>()
  return JSON.stringify({value}, (_key, part: unknown) => {
    if (typeof part !== 'object' || part === null) return typeof part === 'bigint' ? String(part) : part
    if (seen.has(part)) return undefined
    seen.add(part)
    if (!(part instanceof Error)) return part
    return Object.fromEntries(Object.getOwnPropertyNames(part).map((name) => [name, Reflect.get(part, name)]))
  })
}
