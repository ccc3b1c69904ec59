// Workflow commands that make GitHub show each mistake beside its line: `::error file=…,line=…::message`.
import type {Diagnostic} from '../model/diagnostic.ts'
import {escapeText} from './escape-text.ts'
import {describeMistake, summarizeValidation, type Validation} from './validation.ts'

export function renderGithub(validation: Validation): string {
  return [...validation.diagnostics.map(renderAnnotation), summarizeValidation(validation)].join('\n')
}

function renderAnnotation(diagnostic: Diagnostic): string {
  const {file, line, column, length, code} = diagnostic
  const properties: [string, string | number | undefined][] = [
    ['file', escapeText(file)],
    ['line', line],
    ['endLine', line],
    ['col', column],
    ['endColumn', column === undefined ? undefined : column + (length ?? 1)],
    ['title', code],
  ]
  const written = properties
    .filter(([, value]) => value !== undefined)
    .map(([name, value]) => `${name}=${escapeProperty(String(value))}`)
  return `::error ${written.join(',')}::${escapeData(escapeText(describeMistake(diagnostic)))}`
}

/** The message: only what would end the command is escaped. */
const escapeData = (text: string): string =>
  text.replaceAll('%', '%25').replaceAll('\r', '%0D').replaceAll('\n', '%0A')

/** A property ends with a comma or a colon besides. */
const escapeProperty = (text: string): string =>
  escapeData(text).replaceAll(':', '%3A').replaceAll(',', '%2C')
