// JSON as it is printed. It means the same to every parser, and nothing in it can act on a terminal: what
// JSON leaves as it is and a terminal would obey is written as \uXXXX.

const UNSAFE = /(?!\n)[\p{Cc}\p{Cf}\p{Zl}\p{Zp}]/gu

export function toJsonText(value: unknown, indent = 2): string {
  return escapeJson(JSON.stringify(value, null, indent))
}

/** For JSON that somebody else has written. */
export function escapeJson(json: string): string {
  // Within strings JSON has escaped line breaks already: those that are left are its own layout.
  return json.replace(UNSAFE, (character) =>
    Array.from({length: character.length}, (_, i) => escapeUnit(character.charCodeAt(i))).join(''),
  )
}

const escapeUnit = (unit: number): string => `\\u${unit.toString(16).padStart(4, '0')}`
