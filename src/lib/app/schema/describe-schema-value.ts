// Single values of desired-state files as JSON Schema. Each is one flat schema that takes every form the reader
// takes: limits bind numbers, patterns bind texts, and an editor can say plainly which of them was broken.

export type JsonSchema = Readonly<Record<string, unknown>>

export interface ValueLimits {
  readonly type: 'boolean' | 'integer' | 'number' | 'string'
  readonly minimum?: number
  readonly maximum?: number
  readonly minLength?: number
  readonly maxLength?: number
  readonly enum?: readonly string[]
  readonly pattern?: string
  /** Name of a grammar. */
  readonly format?: string
  readonly unit?: 'MiB' | 'bytes'
  /** A list may be written. */
  readonly separator?: string
  readonly default?: string | number | null
}

export function describeValue(limits: ValueLimits, isRemovable: boolean): JsonSchema {
  const schema = {...describeType(limits), ...describeDefault(limits)}
  return isRemovable ? allowNull(schema) : schema
}

/** `null` takes a value away. */
export function allowNull(schema: JsonSchema): JsonSchema {
  const types = [schema['type'] ?? []].flat()
  return {
    ...schema,
    ...(types.length > 0 && {type: [...types, 'null']}),
    ...(Array.isArray(schema['enum']) && {enum: [...(schema['enum'] as unknown[]), null]}),
  }
}

const INTEGER = String.raw`[+-]?\d+`
const NUMBER = String.raw`[+-]?\d+(?:\.\d+)?(?:[eE][+-]?\d+)?`
const SIZE = String.raw`\d+(?:\.\d+)?\s*[KMGTkmgt](?:[iI]?[bB])?`

const whole = (pattern: string): string => String.raw`^\s*(?:${pattern})\s*$`

function describeType(limits: ValueLimits): JsonSchema {
  const {type, enum: choices} = limits
  if (choices) return {enum: choices.flatMap(withNumber)}
  switch (type) {
    case 'boolean':
      return {
        type: ['boolean', 'integer', 'string'],
        minimum: 0,
        maximum: 1,
        ...textLike(FLAG, 'true or false is expected.'),
      }
    case 'integer':
    case 'number':
      return {type: [type, 'string'], ...rangeOf(limits), ...textOfNumber(limits)}
    case 'string':
      return limits.format === 'disk-size'
        ? {type: 'string', ...textLike(whole(SIZE), 'A size with its unit is expected, such as 16GiB.')}
        : describeText(limits)
  }
}

/** YAML reads an unquoted `2` as a number. */
const withNumber = (choice: string): (string | number)[] =>
  String(Number(choice)) === choice ? [choice, Number(choice)] : [choice]

const anyCase = (word: string): string =>
  word.replaceAll(/[a-z]/g, (letter) => `[${letter.toUpperCase()}${letter}]`)

const FLAG = `^(?:0|1|${['on', 'off', 'yes', 'no', 'true', 'false'].map(anyCase).join('|')})$`

function textOfNumber({type, unit}: ValueLimits): JsonSchema {
  const [number, words] = type === 'integer' ? [INTEGER, 'A whole number'] : [NUMBER, 'A number']
  return unit === 'MiB'
    ? textLike(whole(`${number}|${SIZE}`), 'A size such as 2GiB, or a number of MiB, is expected.')
    : textLike(whole(number), `${words} is expected.`)
}

/** The message is understood by editors; a pattern tells most people nothing. */
export const textLike = (pattern: string, patternErrorMessage: string): JsonSchema => ({
  pattern,
  patternErrorMessage,
})

function rangeOf({minimum, maximum}: ValueLimits): JsonSchema {
  return {...(minimum !== undefined && {minimum}), ...(maximum !== undefined && {maximum})}
}

function describeText({minLength, maxLength, pattern, separator}: ValueLimits): JsonSchema {
  return {
    type: ['string', 'integer', ...(separator === undefined ? [] : ['array'])],
    ...(minLength !== undefined && {minLength}),
    ...(maxLength !== undefined && {maxLength}),
    ...(pattern !== undefined && {pattern: `^(?:${pattern})$`}),
    ...(separator !== undefined && {items: {type: ['string', 'integer']}}),
  }
}

function describeDefault({type, default: value}: ValueLimits): JsonSchema {
  if (value === undefined || value === null) return {}
  return {default: type === 'boolean' ? Number(value) === 1 : value}
}
