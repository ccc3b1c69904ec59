// One layer of settings each: a file, the environment, the flags, the defaults. A layer maps dotted keys to
// values that have been read, with their origin; what could not be read becomes a diagnostic.
import {dirname} from 'node:path'
import {nearestWord} from '../model/nearest-word.ts'
import type {Diagnostic} from '../model/diagnostic.ts'
import {readYaml, type YamlText} from '../yaml/read-yaml.ts'
import {definitionOf, definitions, groups, variableOf, type SettingDefinition} from './definitions.ts'
import type {Origin} from './settings.ts'

export interface LayerEntry {
  value: unknown
  /** As it was written, for `config show`. */
  written: unknown
  origin: Origin
}

export interface Layer {
  entries: Map<string, LayerEntry>
  diagnostics: Diagnostic[]
}

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

/** Variables FELHOM_… of the environment; an empty one counts as not set, relative paths are relative to `cwd`. */
export function readEnvironmentLayer(
  env: NodeJS.ProcessEnv,
  cwd: string,
  ignored: ReadonlySet<string>,
): Layer {
  const layer: Layer = {entries: new Map(), diagnostics: []}
  const byVariable = new Map(definitions.map((d) => [variableOf(d.key), d]))
  for (const [name, raw] of Object.entries(env)) {
    if (!name.startsWith('FELHOM_') || ignored.has(name) || !raw) continue
    const definition = byVariable.get(name)
    if (!definition) {
      const near = nearestWord(name, byVariable.keys())
      layer.diagnostics.push({
        code: 'unknown_variable',
        file: `environment ${name}`,
        message: `there is no setting for the variable ${name}`,
        ...(near && {suggestion: near}),
      })
      continue
    }
    const reading = definition.read(raw, cwd)
    if ('expected' in reading) {
      const message = `'${definition.key}' has a value that felhom cannot use`
      layer.diagnostics.push({
        code: 'wrong_value',
        file: `environment ${name}`,
        message,
        expected: reading.expected,
      })
    } else
      layer.entries.set(definition.key, {value: reading.value, written: raw, origin: {from: 'env', name}})
  }
  return layer
}

/** Flags of the command, by setting key. */
export function readFlagLayer(flags: Record<string, {flag: string; raw: unknown}>, cwd: string): Layer {
  const layer: Layer = {entries: new Map(), diagnostics: []}
  for (const [key, {flag, raw}] of Object.entries(flags)) {
    const reading = definitionOf.get(key)?.read(raw, cwd)
    if (!reading) continue
    if ('expected' in reading) {
      const message = `'${key}' has a value that felhom cannot use`
      layer.diagnostics.push({code: 'wrong_value', file: `flag ${flag}`, message, expected: reading.expected})
    } else layer.entries.set(key, {value: reading.value, written: raw, origin: {from: 'flag', name: flag}})
  }
  return layer
}

export function defaultLayer(cwd: string): Layer {
  const layer: Layer = {entries: new Map(), diagnostics: []}
  for (const {key, read, default: written} of definitions) {
    if (written === undefined) continue
    const reading = read(written, cwd)
    if ('value' in reading) layer.entries.set(key, {value: reading.value, written, origin: {from: 'default'}})
  }
  return layer
}
