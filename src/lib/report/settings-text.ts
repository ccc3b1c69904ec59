// The effective settings as aligned lines.
import type {Palette} from './palette.ts'
import {renderColumns, type Cell} from './text-table.ts'

/** Fingerprints and deep paths are longer. */
const WIDEST = 36

export interface SettingLine {
  key: string
  text: string
  origin: string
}

export function renderSettings(lines: readonly SettingLine[], withOrigin: boolean, palette: Palette): string {
  const rows = lines
    .filter((line) => withOrigin || line.origin !== 'not set')
    .map(({key, text, origin}): Cell[] => {
      const value: Cell = origin === 'not set' ? {text: '-', paint: palette.dim} : {text}
      return withOrigin ? [{text: key}, value, {text: origin, paint: palette.dim}] : [{text: key}, value]
    })
  return renderColumns(rows, WIDEST).join('\n')
}
