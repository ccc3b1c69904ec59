// SARIF 2.1.0, the form that code-scanning services read. Columns count UTF-16 units from 1, as felhom's do.
import type {Diagnostic} from '../model/diagnostic.ts'
import {ruleText} from './validation-rules.ts'
import {describeMistake, type Validation} from './validation.ts'

export interface SarifTool {
  readonly version: string
}

interface SarifLocation {
  physicalLocation: {
    artifactLocation: {uri: string}
    region?: {startLine: number; startColumn: number; endColumn: number; snippet?: {text: string}}
  }
}

export interface SarifLog {
  $schema: string
  version: '2.1.0'
  runs: {
    tool: {driver: {name: string; version: string; rules: {id: string; shortDescription: {text: string}}[]}}
    columnKind: 'utf16CodeUnits'
    artifacts: {location: {uri: string}}[]
    results: {
      ruleId: string
      ruleIndex: number
      level: 'error'
      message: {text: string}
      locations: SarifLocation[]
    }[]
  }[]
}

export function buildSarif({diagnostics, files}: Validation, {version}: SarifTool): SarifLog {
  const codes = [...new Set(diagnostics.map(({code}) => code))].sort()
  const rules = codes.map((code) => ({id: code, shortDescription: {text: ruleText(code)}}))
  const results = diagnostics.map((diagnostic) => ({
    ruleId: diagnostic.code,
    ruleIndex: codes.indexOf(diagnostic.code),
    level: 'error' as const,
    message: {text: describeMistake(diagnostic)},
    locations: [locate(diagnostic)],
  }))
  return {
    $schema: 'https://json.schemastore.org/sarif-2.1.0.json',
    version: '2.1.0',
    runs: [
      {
        tool: {driver: {name: 'felhom', version, rules}},
        columnKind: 'utf16CodeUnits',
        artifacts: files.map((file) => ({location: {uri: toUri(file)}})),
        results,
      },
    ],
  }
}

function locate({file, line, column = 1, length = 1, sourceLine}: Diagnostic): SarifLocation {
  const artifactLocation = {uri: toUri(file)}
  if (line === undefined) return {physicalLocation: {artifactLocation}}
  const region = {
    startLine: line,
    startColumn: column,
    endColumn: column + length,
    ...(sourceLine !== undefined && {snippet: {text: sourceLine}}),
  }
  return {physicalLocation: {artifactLocation, region}}
}

/** A relative path stays relative: to the root of the repository, for whoever reads it. */
function toUri(file: string): string {
  const path = file.split('/').map(encodeSegment).join('/')
  return file.startsWith('/') ? `file://${path}` : path
}

/** A name that is no whole text of Unicode still has to become a valid address. */
const encodeSegment = (segment: string): string => encodeURIComponent(segment.replace(/\p{Cs}/gu, '\ufffd'))
