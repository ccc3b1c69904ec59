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
import {describeThrown} from './describe-thrown.ts'

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
  /** Their rules are waited for until then. */
  readonly giveUp?: AbortSignal
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
  const plugins = registrations.map(readPlugin).sort(byName)
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

/** What one has brought, as it was when it was checked: nothing is read from it a second time. */
interface Brought {
  readonly name: string
  readonly points: Readonly<Record<Point, readonly Extension<unknown>[]>>
}

/** Of an object only its own plain properties are what felhom sees: of any other kind, some would be passed over. */
function readPlugin({package: by, plugin}: Registration): Brought {
  try {
    return checkPlugin(by, readPlain(plugin))
  } catch (error) {
    throw error instanceof FelhomError
      ? error
      : refuse(by, `what it registered cannot be read: ${describeThrown(error)}`, error)
  }
}

function checkPlugin(by: string, claimed: ReadonlyMap<string | symbol, unknown> | undefined): Brought {
  if (!claimed) throw refuse(by, 'what it registered is no plain object')
  const name = claimed.get('name')
  if (name !== by) {
    const said = claimed.has('name') ? `under the name ${JSON.stringify(name)}` : 'without a name'
    throw refuse(by, `it registered ${said}, which is not that of its package`)
  }
  const version = claimed.get('apiVersion')
  if (version !== PLUGIN_API_VERSION)
    throw refuse(
      by,
      `it is written for API version ${String(version)}, and this felhom has ${PLUGIN_API_VERSION}`,
    )
  const unknown = [...claimed.keys()].find((key) => typeof key === 'symbol' || !KEYS.has(key))
  if (unknown !== undefined)
    throw refuse(by, `it brings ${JSON.stringify(String(unknown))}, which felhom does not know`)
  const read = (point: Point): Extension<unknown>[] => readPoint(by, point, claimed.get(point))
  return {
    name: by,
    points: {
      providers: read('providers'),
      rules: read('rules'),
      observers: read('observers'),
      notifiers: read('notifiers'),
      formats: read('formats'),
    },
  }
}

function readPoint(plugin: string, point: Point, brought: unknown): Extension<unknown>[] {
  if (brought === undefined) return []
  const runs = readPlain(brought)
  if (!runs) throw refuse(plugin, `its ${point} are no plain object`)
  return [...runs].map(([key, run]) => {
    const name = String(key)
    if (typeof key === 'symbol' || !NAME.test(name))
      throw refuse(
        plugin,
        `${JSON.stringify(name)} of its ${point} is no name: lower case, digits and dashes`,
      )
    if (point === 'formats' && OWN_FORMATS.includes(name))
      throw refuse(plugin, `its format ${name} has the name of one of felhom`)
    if (typeof run !== 'function') throw refuse(plugin, `${name} of its ${point} is no function`)
    return {plugin, name, run}
  })
}

/** Its own properties, hidden ones too; undefined: it is no object, or one of a class, a list, a promise. */
function readPlain(value: unknown): ReadonlyMap<string | symbol, unknown> | undefined {
  if (typeof value !== 'object' || value === null) return undefined
  const prototype: unknown = Object.getPrototypeOf(value)
  if (prototype !== null && prototype !== Object.prototype) return undefined
  return new Map(Reflect.ownKeys(value).map((key) => [key, (value as Record<string | symbol, unknown>)[key]]))
}

function gather<P extends Point>(
  plugins: readonly Brought[],
  point: P,
): Extension<NonNullable<FelhomPlugin[P]>[string]>[] {
  type Run = NonNullable<FelhomPlugin[P]>[string]
  // That they take and answer what they should is found when they are called.
  const sorted = plugins.flatMap(({points}) => points[point] as Extension<Run>[]).sort(byName)
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
