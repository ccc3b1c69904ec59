// The doctor's findings as a person reads them: one line each, and below it what would mend it.
import type {Finding, Verdict} from '../model/health.ts'
import {escapeText} from './escape-text.ts'
import type {Palette} from './palette.ts'
import {cellWidth, wrapText, type Paint} from './text-table.ts'

const MARKS: Record<Verdict, string> = {ok: 'ok', note: 'note', mend: 'MEND', skipped: 'skip'}

const COMMAND_INDENT = ' '.repeat(6)

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
    const commands = (finding.commands ?? []).flatMap((line) =>
      wrapCommand(escapeText(line), width).map((part) => COMMAND_INDENT + palette.strong(part)),
    )
    return [`${mark}  ${finding.title.padEnd(titleWidth)}  ${detail}`, ...advice, ...commands]
  })
  const count = findings.filter((f) => f.verdict === 'mend').length
  const verdict =
    count === 0 ? 'Nothing to mend.' : count === 1 ? 'One thing to mend.' : `${count} things to mend.`
  return [...lines, '', verdict].join('\n')
}

/** Continued with a backslash, so that what is copied is still one command. A word in quotes stays whole. */
function wrapCommand(command: string, width: number): string[] {
  const room = width - COMMAND_INDENT.length - ' \\'.length
  const lines: string[] = []
  let line = ''
  for (const word of command.match(/(?:'[^']*'|[^' ])+/g) ?? []) {
    const longer = line === '' ? word : `${line} ${word}`
    if (line !== '' && cellWidth(longer) > room) {
      lines.push(`${line} \\`)
      line = `  ${word}`
    } else line = longer
  }
  return [...lines, line]
}
