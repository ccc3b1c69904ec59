// The layer that a settings file makes. It is loaded only where there is such a file, because the YAML parser
// behind it is most of what a small command would otherwise have to read.
import {dirname} from 'node:path'
import {nearestWord} from '../model/nearest-word.ts'
import type {Diagnostic} from '../model/diagnostic.ts'
import {readYaml, type YamlText} from '../yaml/read-yaml.ts'
import {definitionOf, definitions, groups, type SettingDefinition} from './definitions.ts'
import type {Layer} from './layers.ts'
import type {Origin} from './settings.ts'

const LIMITS = {maxBytes: 1 << 20, maxDepth: 16}

export function readFileLayer(file: string, bytes: Uint8Array): Layer {
  const layer: Layer = {entries: new Map(), diagnostics: []}
  const yaml = readYaml(file, bytes, LIMITS)
  layer.diagnostics.push(...yaml.diagnostics)
  if (yaml.diagnostics.length > 0 || yaml.value === null || yaml.value === undefined) return layer
  if (!isMap(yaml.value)) {
    layer.diagnostics.push(
      yaml.diagnose([], 'value', {code: 'not_a_map', message: 'a settings file is a map of keys'}),
    )
    return layer
  }
  checkVersion(yaml, yaml.value, layer)
  collect(yaml, yaml.value, [], file, layer)
  layer.diagnostics.sort((a, b) => (a.line ?? 0) - (b.line ?? 0) || (a.column ?? 0) - (b.column ?? 0))
  return layer
}

const isMap = (value: unknown): value is Record<string, unknown> =>
  typeof value === 'object' && value !== null && !Array.isArray(value)

function checkVersion(yaml: YamlText, value: Record<string, unknown>, layer: Layer): void {
  if ('guests' in value) {
    layer.diagnostics.push(
      yaml.diagnose(['guests'], 'key', {
        code: 'desired_in_settings',
        message: "this is a settings file, and 'guests' belongs in a desired-state file",
        expected: "a file of its own for guests, named by the setting 'desired'",
      }),
    )
  }
  if (value['felhom'] === 1) return
  const missing = !('felhom' in value)
  layer.diagnostics.push(
    yaml.diagnose(missing ? [] : ['felhom'], missing ? 'key' : 'value', {
      code: 'version',
      message: missing
        ? "the line 'felhom: 1' is missing"
        : 'this felhom knows version 1 of the settings file only',
      expected: 'felhom: 1',
    }),
  )
}

function collect(
  yaml: YamlText,
  map: Record<string, unknown>,
  path: string[],
  file: string,
  layer: Layer,
): void {
  for (const [name, raw] of Object.entries(map)) {
    const keyPath = [...path, name]
    const key = keyPath.join('.')
    if (path.length === 0 && (name === 'felhom' || name === 'guests')) continue
    const definition = definitionOf.get(key)
    if (definition) readEntry(yaml, definition, raw, keyPath, file, layer)
    else if (groups.has(key) && isMap(raw)) collect(yaml, raw, keyPath, file, layer)
    else layer.diagnostics.push(wrongKey(yaml, keyPath, key))
  }
}

function wrongKey(yaml: YamlText, keyPath: string[], key: string): Diagnostic {
  if (groups.has(key)) {
    const members = definitions
      .filter((d) => d.key.startsWith(`${key}.`))
      .map((d) => d.key.slice(key.length + 1))
    return yaml.diagnose(keyPath, 'value', {
      code: 'wrong_value',
      message: `'${key}' is a map`,
      expected: `{${members.join(', ')}}`,
    })
  }
  const parent = keyPath.slice(0, -1).join('.')
  const prefix = parent === '' ? '' : `${parent}.`
  const siblings = [...definitionOf.keys(), ...groups]
    .filter((k) => k.startsWith(prefix))
    .map((k) => k.slice(prefix.length).split('.', 1)[0] ?? '')
  const near = nearestWord(keyPath.at(-1) ?? '', new Set(siblings))
  return yaml.diagnose(keyPath, 'key', {
    code: 'unknown_key',
    message: `there is no setting '${key}'`,
    ...(near ? {suggestion: near} : {expected: `one of ${[...new Set(siblings)].join(', ')}`}),
  })
}

function readEntry(
  yaml: YamlText,
  definition: SettingDefinition,
  raw: unknown,
  keyPath: string[],
  file: string,
  layer: Layer,
): void {
  const reading = definition.read(raw, dirname(file))
  const spot = yaml.diagnose(keyPath, 'value', {
    code: 'wrong_value',
    message: `'${definition.key}' has a value that felhom cannot use`,
  })
  if ('expected' in reading) layer.diagnostics.push({...spot, expected: reading.expected})
  else {
    const origin: Origin = {from: 'file', file, ...(spot.line !== undefined && {line: spot.line})}
    layer.entries.set(definition.key, {value: reading.value, written: raw, origin})
  }
}
