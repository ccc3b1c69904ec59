// A map of a file that is being read, with the way to it: what was written, and where to point at.
import type {SourcePlace} from '../model/desired.ts'
import type {Diagnostic} from '../model/diagnostic.ts'
import type {Guess} from '../model/nearest-word.ts'
import type {YamlPath, YamlText} from '../yaml/read-yaml.ts'
import type {ValueCache} from './value-cache.ts'

/** What every reader of a file's parts needs: the text, and a place for what is wrong with it. */
export interface FileContext {
  readonly file: string
  /** What relative paths in it are relative to. */
  readonly dir: string
  readonly yaml: YamlText
  readonly diagnostics: Diagnostic[]
  /** Earlier files have as many mistakes as are shown: those of this one are only counted. */
  readonly isUnshown: boolean
  readonly values: ValueCache
  readonly guess: Guess
}

export type Complaint = Omit<Diagnostic, 'file'>
export type WrittenMap = Readonly<Record<string, unknown>>

export const isMap = (value: unknown): value is WrittenMap =>
  typeof value === 'object' && value !== null && !Array.isArray(value)

export class Section {
  readonly context: FileContext
  readonly path: YamlPath
  readonly map: WrittenMap

  constructor(context: FileContext, path: YamlPath, map: WrittenMap) {
    this.context = context
    this.path = path
    this.map = map
  }

  /** The map that stands under a key; undefined where nothing stands there, or something else. */
  section(key: string, expected: string): Section | undefined {
    const value = this.map[key]
    if (value === undefined || value === null) return undefined
    if (isMap(value)) return new Section(this.context, [...this.path, key], value)
    this.complainOfValue(key, {code: 'not_a_map', message: `'${key}' is a map`, expected})
    return undefined
  }

  place(key: string): SourcePlace {
    const {file, yaml} = this.context
    return {file, ...yaml.locateKey(this.map, key)}
  }

  complainOfKey(key: string, what: Complaint): void {
    this.complain([key], 'key', what)
  }

  complainOfValue(key: string, what: Complaint): void {
    this.complain([key], 'value', what)
  }

  complain(below: YamlPath, where: 'key' | 'value', what: Complaint): void {
    const {diagnostics, file, isUnshown, yaml} = this.context
    // To find the place takes longer than to find the mistake.
    diagnostics.push(isUnshown ? {...what, file} : yaml.diagnose([...this.path, ...below], where, what))
  }

  /** Whether a key was written without anything behind it: a line that somebody did not finish. */
  isEmpty(key: string): boolean {
    return this.map[key] === null && this.context.yaml.isEmpty([...this.path, key])
  }

  complainOfUnknown(key: string, message: string, siblings: readonly string[]): void {
    const near = this.context.guess(key, siblings)
    this.complainOfKey(key, {
      code: 'unknown_key',
      message,
      ...(near === undefined ? expectOneOf(siblings) : {suggestion: near}),
    })
  }

  /** One of these words; undefined, with a complaint, for anything else. */
  choice<T extends string>(key: string, choices: readonly T[]): T | undefined {
    const value = this.map[key]
    const found = choices.find((choice) => choice === value)
    if (found !== undefined || value === undefined) return found
    const near = typeof value === 'string' ? this.context.guess(value, choices) : undefined
    this.complainOfValue(key, {
      code: 'wrong_value',
      message: `'${key}' has a value that felhom does not know`,
      expected: `one of ${choices.join(', ')}`,
      ...(near !== undefined && {suggestion: near}),
    })
    return undefined
  }

  flag(key: string): boolean | undefined {
    const value = this.map[key]
    if (typeof value === 'boolean' || value === undefined) return value
    this.complainOfValue(key, {
      code: 'wrong_value',
      message: `'${key}' is either true or false`,
      expected: 'true or false',
    })
    return undefined
  }
}

const MANY = 12

/** Eighty names help nobody. */
const expectOneOf = (names: readonly string[]): {expected?: string} =>
  names.length > MANY ? {} : {expected: `one of ${names.join(', ')}`}
