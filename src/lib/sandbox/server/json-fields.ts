// Reads the fields of a control and says what is wrong with them.

export class ControlError extends Error {}

export type Json = Record<string, unknown>

export function asObject(value: unknown, what: string): Json {
  if (typeof value !== 'object' || value === null || Array.isArray(value)) {
    throw new ControlError(`${what} must be a JSON object`)
  }
  return value as Json
}

export function refuseUnknownFields(json: Json, known: readonly string[], what: string): void {
  const unknown = Object.keys(json).filter((field) => !known.includes(field))
  if (unknown.length > 0) {
    throw new ControlError(
      `${what} has no field ${unknown.map((f) => `"${f}"`).join(', ')}; it takes ${known.join(', ')}`,
    )
  }
}

export function booleanField(json: Json, field: string): boolean {
  const value = json[field]
  if (typeof value !== 'boolean') throw new ControlError(`"${field}" must be true or false`)
  return value
}

export function textField(json: Json, field: string): string {
  const value = json[field]
  if (typeof value !== 'string' || value === '')
    throw new ControlError(`"${field}" must be a text that is not empty`)
  return value
}

export function choiceField<T extends string>(json: Json, field: string, choices: readonly T[]): T {
  const choice = choices.find((c) => c === json[field])
  if (choice === undefined) throw new ControlError(`"${field}" must be one of ${choices.join(', ')}`)
  return choice
}

export function numberField(
  json: Json,
  field: string,
  minimum: number,
  maximum = Number.MAX_SAFE_INTEGER,
): number {
  const value = json[field]
  if (typeof value !== 'number' || !(value >= minimum && value <= maximum)) {
    throw new ControlError(`"${field}" must be a number from ${String(minimum)}`)
  }
  return value
}

export function integerField(json: Json, field: string, minimum: number, maximum?: number): number {
  const value = numberField(json, field, minimum, maximum)
  if (!Number.isInteger(value)) throw new ControlError(`"${field}" must be a whole number`)
  return value
}
