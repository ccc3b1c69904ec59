// The outcome of validate as a person reads it.
import {renderDiagnostics} from './diagnostics-text.ts'
import type {Palette} from './palette.ts'
import {plural} from './plural.ts'
import {summarizeValidation, type Validation} from './validation.ts'

export function renderValidation(validation: Validation, palette: Palette, width: number): string {
  const {diagnostics, mistakeCount} = validation
  const summary = summarizeValidation(validation)
  if (mistakeCount === 0) return palette.good(summary)
  const hidden = mistakeCount - diagnostics.length
  return [
    renderDiagnostics(diagnostics, palette, width),
    ...(hidden > 0 ? [`and ${plural(hidden, 'mistake')} more`] : []),
    palette.bad(summary),
  ].join('\n\n')
}
