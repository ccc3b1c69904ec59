// An error as a person reads it: what happened, what is in doubt, what to do next.
import type {EnvelopeError} from './envelope.ts'
import {renderDiagnostics} from './diagnostics-text.ts'
import {escapeLines} from './escape-text.ts'
import type {Palette} from './palette.ts'
import {wrapText} from './text-table.ts'

export function renderError(error: EnvelopeError, palette: Palette, width: number): string {
  const parts = [
    `${palette.bad('Error:')} ${wrapText(escapeLines(error.message), width - 7).replaceAll('\n', '\n       ')}`,
  ]
  if (error.diagnostics && error.diagnostics.length > 0)
    parts.push(`\n${renderDiagnostics(error.diagnostics, palette, width)}`)
  if (error.doubt) parts.push(`\n${wrapText(escapeLines(error.doubt), width)}`)
  if (error.hint) parts.push(`\n${wrapText(escapeLines(error.hint), width)}`)
  return parts.join('\n')
}
