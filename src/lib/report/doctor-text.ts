// The doctor's findings as a person reads them: one line each, and below it what would mend it.
import type {Finding, Verdict} from '../model/health.ts'
import {escapeText} from './escape-text.ts'
import type {Palette} from './palette.ts'
import {wrapText, type Paint} from './text-table.ts'

const MARKS: Record<Verdict, string> = {ok: 'ok', note: 'note', mend: 'MEND', skipped: 'skip'}

export function renderFindings(findings: readonly Finding[], palette: Palette, width: number): string {
  const paints: Record<Verdict, Paint> = {
    ok: palette.good,
    note: palette.strong,
    mend: palette.bad,
    skipped: palette.dim,
  }
  const titleWidth = Math.max(...findings.map((f) => f.title.length))
  const indent = ' '.repeat(titleWidth + 8)
  const lines = findings.flatMap((finding) => {
    const mark = paints[finding.verdict](MARKS[finding.verdict].padEnd(4))
    const detail = wrapText(escapeText(finding.detail), width - indent.length).replaceAll('\n', `\n${indent}`)
    const advice = finding.advice === undefined ? [] : [wrapText(escapeText(finding.advice), width, indent)]
    // Whole and near the margin, so that they can be copied.
    const commands = (finding.commands ?? []).map((line) => `      ${palette.strong(escapeText(line))}`)
    return [`${mark}  ${finding.title.padEnd(titleWidth)}  ${detail}`, ...advice, ...commands]
  })
  const count = findings.filter((f) => f.verdict === 'mend').length
  const verdict =
    count === 0 ? 'Nothing to mend.' : count === 1 ? 'One thing to mend.' : `${count} things to mend.`
  return [...lines, '', verdict].join('\n')
}
