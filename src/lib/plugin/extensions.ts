// What the plugins of this run have brought, checked and in a settled order. A plugin that is not what it should be
// stops felhom: whoever installed it counts on it.
import {FelhomError} from '../model/felhom-error.ts'
import {
  PLUGIN_API_VERSION,
  type AlertNotifier,
  type FelhomPlugin,
  type Observer,
  type PlanFormat,
  type Provider,
  type Rule,
} from './contract.ts'

export interface Extension<T> {
  /** The package. */
  readonly plugin: string
  readonly name: string
  readonly run: T
}

/** Each in the order of their names, so that nothing hangs on the order of loading. */
export interface Extensions {
  readonly plugins: readonly string[]
  readonly providers: readonly Extension<Provider>[]
  readonly rules: readonly Extension<Rule>[]
  readonly observers: readonly Extension<Observer>[]
  readonly notifiers: readonly Extension<AlertNotifier>[]
  readonly formats: readonly Extension<PlanFormat>[]
}

export const NO_EXTENSIONS: Extensions = {
  plugins: [],
  providers: [],
  rules: [],
  observers: [],
  notifiers: [],
  formats: [],
}

const POINTS = ['providers', 'rules', 'observers', 'notifiers', 'formats'] as const
type Point = (typeof POINTS)[number]
const KEYS: ReadonlySet<string> = new Set(['name', 'apiVersion', ...POINTS])
/** Of felhom's own forms of a plan: one of a plugin would never be chosen. */
const OWN_FORMATS = ['text', 'markdown', 'json']
const NAME = /^[a-z][a-z0-9-]{0,63}$/

/** What was registered, and by whom. */
export interface Registration {
  /** The package that was asked to register. */
  readonly package: string
  readonly plugin: unknown
}

/** Throws plugin_failed, naming the plugin. */
export function collectExtensions(registrations: readonly Registration[]): Extensions {
  const plugins = registrations.map(checkPlugin).sort(byName)
  for (const [i, {name}] of plugins.entries())
    if (plugins[i + 1]?.name === name) throw refuse(name, 'it registered twice')
  return {
    plugins: plugins.map(({name}) => name),
    providers: gather(plugins, 'providers'),
    rules: gather(plugins, 'rules'),
    observers: gather(plugins, 'observers'),
    notifiers: gather(plugins, 'notifiers'),
    formats: gather(plugins, 'formats'),
  }
}

function checkPlugin({package: by, plugin}: Registration): FelhomPlugin {
  const claimed = typeof plugin === 'object' && plugin !== null ? plugin : {}
  if (!('name' in claimed) || claimed.name !== by) {
    const said = 'name' in claimed ? `under the name ${JSON.stringify(claimed.name)}` : 'without a name'
    throw refuse(by, `it registered ${said}, which is not that of its package`)
  }
  const {name, apiVersion, ...rest} = claimed as FelhomPlugin
  if (apiVersion !== PLUGIN_API_VERSION)
    throw refuse(
      name,
      `it is written for API version ${String(apiVersion)}, and this felhom has ${PLUGIN_API_VERSION}`,
    )
  const unknown = Object.keys(rest).find((key) => !KEYS.has(key))
  if (unknown !== undefined)
    throw refuse(name, `it brings ${JSON.stringify(unknown)}, which felhom does not know`)
  for (const point of POINTS) checkPoint(name, point, rest[point])
  return {name, apiVersion, ...rest}
}

function checkPoint(plugin: string, point: Point, brought: unknown): void {
  if (brought === undefined) return
  if (typeof brought !== 'object' || brought === null) throw refuse(plugin, `its ${point} are no object`)
  for (const [name, run] of Object.entries(brought)) {
    if (!NAME.test(name))
      throw refuse(
        plugin,
        `${JSON.stringify(name)} of its ${point} is no name: lower case, digits and dashes`,
      )
    if (point === 'formats' && OWN_FORMATS.includes(name))
      throw refuse(plugin, `its format ${name} has the name of one of felhom`)
    if (typeof run !== 'function') throw refuse(plugin, `${name} of its ${point} is no function`)
  }
}

function gather<P extends Point>(
  plugins: readonly FelhomPlugin[],
  point: P,
): Extension<NonNullable<FelhomPlugin[P]>[string]>[] {
  type Run = NonNullable<FelhomPlugin[P]>[string]
  const all = plugins.flatMap((plugin) =>
    Object.entries(plugin[point] ?? {}).map(([name, run]) => ({plugin: plugin.name, name, run: run as Run})),
  )
  const sorted = all.sort(byName)
  for (const [i, one] of sorted.entries()) {
    const next = sorted[i + 1]
    if (next?.name === one.name)
      throw refuse(next.plugin, `its ${point.slice(0, -1)} ${one.name} has the name of one of ${one.plugin}`)
  }
  return sorted
}

function byName<T extends {readonly name: string; readonly plugin?: string}>(a: T, b: T): number {
  const [x, y] = [`${a.name}\n${a.plugin ?? ''}`, `${b.name}\n${b.plugin ?? ''}`]
  return x < y ? -1 : x > y ? 1 : 0
}

export const refuse = (plugin: string, why: string, cause?: unknown): FelhomError =>
  new FelhomError('plugin_failed', `the plugin ${plugin} cannot be used: ${why}`, {
    ...(cause !== undefined && {cause}),
    hint: 'Mend or update it, or remove it with: felhom plugins remove',
    doubt: 'Nothing was done without it.',
  })
