// What an installation of units would change, file by file, as a unified diff; and what is to be done after it.
import {structuredPatch} from 'diff'
import {escapeText} from './escape-text.ts'
import type {Palette} from './palette.ts'
import {plural} from './plural.ts'

export interface ShownUnit {
  readonly place: string
  /** undefined: there is none yet. */
  readonly before: string | undefined
  readonly text: string
}

export function renderUnitChanges(units: readonly ShownUnit[], palette: Palette): string {
  const changed = units.filter(({before, text}) => before !== text)
  const same = units.length - changed.length
  const tail = same === 0 ? [] : [`${plural(same, 'file')} ${same === 1 ? 'is' : 'are'} as it should be.`]
  return [...changed.map((unit) => renderDiff(unit, palette)), ...tail].join('\n\n')
}

const CONTEXT_LINES = 3

function renderDiff({place, before, text}: ShownUnit, palette: Palette): string {
  const {hunks} = structuredPatch(place, place, before ?? '', text, '', '', {context: CONTEXT_LINES})
  const name = escapeText(place)
  const lines = hunks.flatMap(({oldStart, oldLines, newStart, newLines, lines: body}) => [
    palette.dim(`@@ -${oldStart},${oldLines} +${newStart},${newLines} @@`),
    ...body.map((line) => paintLine(escapeText(line), palette)),
  ])
  return [
    palette.strong(`--- ${before === undefined ? '/dev/null' : name}`),
    palette.strong(`+++ ${name}`),
    ...lines,
  ].join('\n')
}

function paintLine(line: string, palette: Palette): string {
  if (line.startsWith('+')) return palette.good(line)
  return line.startsWith('-') ? palette.bad(line) : line
}

export interface NextSteps {
  readonly kind: 'daemon' | 'timer'
  /** To be put in place first. */
  readonly missingCredential: string | undefined
  readonly config: string
}

/** What felhom does not do itself: it starts nothing and makes no user. */
export function renderNextSteps({kind, missingCredential, config}: NextSteps, palette: Palette): string {
  const unit = kind === 'daemon' ? 'felhom.service' : 'felhom-once.timer'
  const steps: readonly (readonly [command: string, note?: string])[] = [
    ['systemd-sysusers'],
    ['systemctl daemon-reload'],
    ...(missingCredential === undefined
      ? []
      : [[`install -m 600 /dev/stdin /etc/felhom/${missingCredential}`, 'the API token, Ctrl-D'] as const]),
    [`felhom doctor --config ${config}`],
    [`systemctl enable --now ${unit}`],
  ]
  const lines = steps.map(
    ([command, note]) =>
      `  ${palette.strong(command)}${note === undefined ? '' : palette.dim(`  # ${note}`)}`,
  )
  return ['Next, as root:', ...lines].join('\n')
}

export interface UnitsJson {
  readonly files: readonly {
    readonly path: string
    readonly state: 'new' | 'changed' | 'same'
    readonly written: boolean
    readonly text: string
  }[]
}

export const encodeUnits = (units: readonly ShownUnit[], written: readonly ShownUnit[]): UnitsJson => ({
  files: units.map((unit) => ({
    path: unit.place,
    state: unit.before === undefined ? 'new' : unit.before === unit.text ? 'same' : 'changed',
    written: written.includes(unit),
    text: unit.text,
  })),
})
