// CSV as RFC 4180 has it, with the line that each record begins on, for messages.

/** A mistake in the file, at its place. */
export class CsvError extends Error {
  /**
   * @param {string} file
   * @param {number} line
   * @param {string} why
   */
  constructor(file, line, why) {
    super(`${file}:${line}: ${why}`)
    this.name = 'CsvError'
  }
}

/**
 * @param {string} text
 * @param {string} file for messages
 * @returns {{line: number, cells: string[]}[]} without empty lines and comments
 */
export function parseCsv(text, file) {
  const records = []
  let at = text.startsWith('\uFEFF') ? 1 : 0
  let line = 1
  while (at < text.length) {
    const record = {line, cells: /** @type {string[]} */ ([])}
    const isComment = text[at] === '#'
    for (let more = true; more;) {
      const cell = text[at] === '"' && !isComment ? readQuoted(text, at, file, line) : readPlain(text, at)
      record.cells.push(cell.value)
      line += cell.lines
      at = cell.end
      more = text[at] === ','
      if (more) at++
    }
    if (at < text.length && text[at] !== '\n' && text[at] !== '\r')
      throw new CsvError(file, line, 'there is something after a closing quote')
    at += text.startsWith('\r\n', at) ? 2 : 1
    line++
    if (!isComment && record.cells.some((cell) => cell !== '')) records.push(record)
  }
  return records
}

/**
 * @param {string} text
 * @param {number} start
 */
function readPlain(text, start) {
  const length = text.slice(start).search(/[,\r\n]/)
  const end = length === -1 ? text.length : start + length
  return {value: text.slice(start, end).trim(), end, lines: 0}
}

/**
 * @param {string} text
 * @param {number} start of the opening quote
 * @param {string} file
 * @param {number} line
 */
function readQuoted(text, start, file, line) {
  const match = /"((?:[^"]|"")*)"/y
  match.lastIndex = start
  const found = match.exec(text)
  if (!found) throw new CsvError(file, line, 'a quote is opened here and not closed')
  const value = (found[1] ?? '').replaceAll('""', '"')
  return {value, end: match.lastIndex, lines: value.split('\n').length - 1}
}
