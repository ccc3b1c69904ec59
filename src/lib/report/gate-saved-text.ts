// What became of a signature: where the approval lies, and who else must sign.
import type {SignerName} from '../model/approval.ts'
import {escapeText} from './escape-text.ts'
import type {Palette} from './palette.ts'
import {renderColumns} from './text-table.ts'

export interface SavedView {
  readonly file: string
  readonly signers: readonly SignerName[]
  readonly wanting: {readonly people: number; readonly needed: number} | undefined
  /** The command that carries it out. */
  readonly next: string
}

export function renderSaved({file, signers, wanting, next}: SavedView, palette: Palette): string {
  const rows = signers.map(({principal, fingerprint}) => [
    {text: '  signed by', paint: palette.dim},
    {text: principal},
    {text: fingerprint},
  ])
  const name = escapeText(file)
  const way = wanting
    ? [
        `${wanting.people} of ${wanting.needed} people have signed. The next signs with:`,
        `  felhom gate sign ${name} --key FILE`,
      ]
    : ['It is complete. Carry it out with:', `  ${escapeText(next)}`]
  return [`Written to ${name}`, ...renderColumns(rows), '', ...way].join('\n')
}

/** How to sign the file elsewhere, and how the signature comes back. */
export function renderExport(file: string, namespace: string): string {
  const name = escapeText(file)
  return [
    `Written to ${name}. On a machine with your key, sign that file as it is:`,
    '',
    `  ssh-keygen -Y sign -f KEY -n ${namespace} ${name}`,
    '',
    'Bring the signature back, and:',
    '',
    `  felhom gate submit --statement ${name} --sig ${name}.sig`,
  ].join('\n')
}
