// A property string that a person wrote, as Proxmox's own text or as a map, part by part and with all problems.
import type {Guess} from '../model/nearest-word.ts'
import {generatedParts} from './generated-parts.ts'
import type {Option} from './option.ts'
import {type FormatIndex, indexFormat, type PropertyFormat, type PropertyPart} from './property-format.ts'
import {missingParts, resolvePiece, splitPieces} from './property-string.ts'
import {readScalar} from './read-scalar.ts'
import {describeWritten, type Flaw, type ValueProblem} from './value-problem.ts'

export interface PartsReading {
  readonly parts: ReadonlyMap<string, string | null>
  readonly problems: readonly ValueProblem[]
}

interface Collector {
  readonly option: Option
  readonly index: FormatIndex
  readonly parts: Map<string, string | null>
  readonly problems: ValueProblem[]
  readonly guess: Guess
}

function collect(option: Option, format: PropertyFormat, guess: Guess): Collector {
  return {option, index: indexFormat(format), parts: new Map(), problems: [], guess}
}

/** The whole value: what Proxmox cannot do without must be there. */
export function readPartsText(
  option: Option,
  format: PropertyFormat,
  text: string,
  guess: Guess,
): PartsReading {
  const collector = collect(option, format, guess)
  for (const {key, value} of splitPieces(text)) {
    const name = key ?? collector.index.defaultKey
    if (name === undefined || name === '') {
      collector.problems.push({path: [], message: `"${value}" has no name`, expected: 'name=value'})
    } else addPart(collector, [], name, value)
  }
  if (collector.problems.length === 0) addMissing(collector, format)
  return collector
}

function addMissing({option, parts, problems}: Collector, format: PropertyFormat): void {
  const generated = generatedParts(option)
  for (const name of missingParts(format, parts)) {
    if (!generated.includes(name))
      problems.push({path: [], message: `${name} is missing`, expected: `${name}=…`})
  }
  for (const [name, {requires}] of indexFormat(format).parts) {
    if (requires === undefined || !parts.has(name) || parts.has(requires)) continue
    problems.push({
      path: [],
      message: `${name} makes no sense without ${requires}`,
      expected: `${requires}=…`,
    })
  }
}

/** Only what is written in it is managed; null: the part shall not be set. */
export function readPartsMap(
  option: Option,
  format: PropertyFormat,
  map: Iterable<[string, unknown]>,
  guess: Guess,
): PartsReading {
  const collector = collect(option, format, guess)
  for (const [name, written] of map) addPart(collector, [name], name, written)
  if (collector.parts.size === 0 && collector.problems.length === 0) {
    collector.problems.push({path: [], message: 'an empty map says nothing', expected: 'at least one part'})
  }
  return collector
}

function addPart(collector: Collector, path: (string | number)[], name: string, written: unknown): void {
  const {index, parts, problems} = collector
  if (!index.parts.has(name) && !index.aliases.has(name)) {
    const near = collector.guess(name, index.names)
    problems.push({
      path,
      ...(path.length > 0 && {at: 'key' as const}),
      message: `${collector.option.name} has no part "${name}"`,
      expected: `one of ${index.list}`,
      ...(near === undefined ? {} : {suggestion: near}),
    })
    return
  }
  // A key group says two things at once: the name is a value of its own.
  const [value = [name, ''], implied] = resolvePiece(index, name, '').reverse()
  const said = implied ? [implied, value] : [value]
  const twice = said.find(([part]) => parts.has(part))
  if (twice) problems.push({path, message: `${twice[0]} is written twice`})
  else {
    if (implied) parts.set(implied[0], implied[1])
    addValue(collector, path, value[0], written)
  }
}

function addValue(collector: Collector, path: (string | number)[], name: string, written: unknown): void {
  const part = collector.index.parts.get(name) ?? {type: 'string' as const}
  if (written === null) {
    const flaw = checkRemoval(collector.option, name, part)
    if (flaw) collector.problems.push({path, ...flaw})
    else collector.parts.set(name, null)
    return
  }
  const result = readPart(part, written, collector.guess)
  if ('text' in result) collector.parts.set(name, result.text)
  else {
    const {path: below, ...flaw} = result.problem
    collector.problems.push({path: [...path, ...below], ...flaw, message: `${name}: ${flaw.message}`})
  }
}

function checkRemoval(option: Option, name: string, part: PropertyPart): Flaw | undefined {
  if (generatedParts(option).includes(name)) {
    return {message: `${name} cannot be removed: Proxmox sets it itself`, expected: 'no null here'}
  }
  if (part.optional) return undefined
  return {message: `${name} cannot be removed: ${option.name} needs it`, expected: 'no null here'}
}

export function readPart(
  part: PropertyPart,
  written: unknown,
  guess: Guess,
): {text: string} | {problem: ValueProblem} {
  const listed = Array.isArray(written) && part.separator !== undefined && part.type === 'string'
  const joined = listed ? joinItems(written, part.separator ?? ';') : {text: written}
  if ('problem' in joined) return joined
  const result = readScalar(part, joined.text, guess)
  if ('flaw' in result) return {problem: {path: [], ...result.flaw}}
  if (!result.text.includes(',')) return result
  const message = `${describeWritten(result.text)} has a comma, which separates the parts`
  return {problem: {path: [], message, expected: 'a value without commas'}}
}

/** A list of words as one text. */
export function joinItems(
  items: readonly unknown[],
  separator: string,
): {text: string} | {problem: ValueProblem} {
  const words: string[] = []
  for (const [position, item] of items.entries()) {
    const isWord = typeof item === 'string' || Number.isSafeInteger(item)
    const word = isWord ? String(item) : ''
    if (!isWord || word === '' || word.includes(separator)) {
      const message = `${describeWritten(item)} does not fit in this list`
      return {problem: {path: [position], message, expected: 'text, one item of the list'}}
    }
    words.push(word)
  }
  return {text: words.join(separator)}
}
