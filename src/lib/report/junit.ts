// JUnit's XML, the form that most CI servers show as a list of tests: a suite for each file, a failed case for
// each mistake, one passed case for a file without any. It keeps to what all common schemas of it allow.
import type {Diagnostic} from '../model/diagnostic.ts'
import {renderDiagnostics} from './diagnostics-text.ts'
import {escapeLines, escapeText} from './escape-text.ts'
import {makePalette} from './palette.ts'
import {describeMistake, type Validation} from './validation.ts'

export function renderJunit(validation: Validation, now: Date): string {
  const timestamp = now.toISOString().slice(0, 19)
  const byFile = new Map<string, Diagnostic[]>(validation.files.map((file) => [file, []]))
  for (const diagnostic of validation.diagnostics) {
    const known = byFile.get(diagnostic.file)
    if (known) known.push(diagnostic)
    else byFile.set(diagnostic.file, [diagnostic])
  }
  const suites = [...byFile].map(([file, found], id) => renderSuite(file, found, id, timestamp))
  return ['<?xml version="1.0" encoding="UTF-8"?>', '<testsuites>', ...suites, '</testsuites>'].join('\n')
}

function renderSuite(file: string, found: readonly Diagnostic[], id: number, timestamp: string): string {
  const name = quote(file)
  const cases = found.length === 0 ? [renderPassed(name)] : found.map((d) => renderFailed(name, d))
  const counts = `tests="${cases.length}" failures="${found.length}" errors="0"`
  return [
    `  <testsuite name="${name}" package="felhom" id="${id}" timestamp="${timestamp}" hostname="localhost" ${counts} time="0">`,
    '    <properties/>',
    ...cases,
    '    <system-out/>',
    '    <system-err/>',
    '  </testsuite>',
  ].join('\n')
}

const renderPassed = (file: string): string => `    <testcase name="valid" classname="${file}" time="0"/>`

function renderFailed(file: string, diagnostic: Diagnostic): string {
  const {code, line, column} = diagnostic
  const place = line === undefined ? '' : ` at ${line}:${column ?? 1}`
  const text = renderDiagnostics([diagnostic], makePalette(false))
  return [
    `    <testcase name="${quote(code + place)}" classname="${file}" time="0">`,
    `      <failure type="${quote(code)}" message="${quote(escapeText(describeMistake(diagnostic)))}">${quote(text)}</failure>`,
    '    </testcase>',
  ].join('\n')
}

const ENTITIES: Readonly<Record<string, string>> = {
  '&': '&amp;',
  '<': '&lt;',
  '>': '&gt;',
  '"': '&quot;',
  "'": '&apos;',
}

/** What XML cannot hold, and what a terminal would obey, is escaped first. */
const quote = (text: string): string => escapeLines(text).replace(/[&<>"']/g, (c) => ENTITIES[c] ?? c)
