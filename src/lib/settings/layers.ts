// One layer of settings each: the environment, the flags, the defaults; files have a file of their own. A layer
// maps dotted keys to values that have been read, with their origin; what could not be read is a diagnostic.
import {nearestWord} from '../model/nearest-word.ts'
import type {Diagnostic} from '../model/diagnostic.ts'
import {definitionOf, definitions, variableOf} from './definitions.ts'
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
