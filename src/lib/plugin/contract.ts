// The contract that plugins are written against. It knows the nouns of felhom and nothing of how they are used; it
// touches nothing; and within one API version it only grows.
import type {Alert} from '../model/daemon.ts'
import type {GuestId} from '../model/guest.ts'
import type {ActionBody, GateClass, Impact} from '../model/plan.ts'
import type {RunEvent} from '../model/run-event.ts'

export const PLUGIN_API_VERSION = 1

/** What a plugin brings, under names of its own choice: `csv`, `prod-stop`. */
export interface FelhomPlugin {
  /** Of its package, as in its package.json. */
  readonly name: string
  readonly apiVersion: number
  readonly providers?: Readonly<Record<string, Provider>>
  readonly rules?: Readonly<Record<string, Rule>>
  readonly observers?: Readonly<Record<string, Observer>>
  readonly notifiers?: Readonly<Record<string, AlertNotifier>>
  readonly formats?: Readonly<Record<string, PlanFormat>>
}

export interface RegisterOptions {
  readonly apiVersion: typeof PLUGIN_API_VERSION
  readonly felhomVersion: string
  /** Once per plugin. */
  register(plugin: FelhomPlugin): void
}

export interface PluginContext {
  /** Aborted when it takes too long, or nobody waits any more. */
  readonly signal: AbortSignal
  /** What relative paths are relative to: of a provider the directory of the settings file, else where felhom runs. */
  readonly dir: string
}

/** Where desired state comes from: `desired: {provider: csv, options: {…}}`. */
export type Provider = (
  options: Readonly<Record<string, unknown>>,
  context: PluginContext,
) => Promise<readonly ProvidedFile[]> | readonly ProvidedFile[]

/** A desired-state file: its text, or what the text would say. It is read and checked like any other. */
export interface ProvidedFile {
  /** For messages. */
  readonly name: string
  readonly content: string | Readonly<Record<string, unknown>>
}

/**
 * What can be done to a guest. Within one API version others may be added, so a rule must not take one that it does not
 * know for harmless: ask for what it lets pass, not for what it stops, or look at `impact` and `class` besides.
 */
export type ActionType = ActionBody['type']

/** What a rule may weigh. */
export interface RuleRequest {
  readonly action: {
    readonly type: ActionType
    readonly class: GateClass
    readonly impact: Impact
    readonly reversible: boolean
    /** Of a change: the options that it writes or removes. */
    readonly options: readonly string[]
  }
  readonly guest: GuestId & {
    readonly node: string | undefined
    readonly name: string | undefined
    /** As it has them in Proxmox now; undefined: they could not be read. */
    readonly tags: readonly string[] | undefined
    readonly exists: boolean
  }
}

/**
 * Demands a signature by `destructive`; `undefined` and `benign` leave it at what felhom itself holds it to be: no rule
 * can make anything easier.
 */
export type Rule = (request: RuleRequest, context: PluginContext) => Answer<GateClass | undefined>
type Answer<T> = T | Promise<T>

/** Told of everything that happens during a run, in order. */
export type Observer = (event: RunEvent, context: PluginContext) => Answer<void>

/** Told of every alert of the daemon. */
export type AlertNotifier = (alert: Alert, context: PluginContext) => Answer<void>

/** A plan as it is saved, in another form: `felhom plan --output NAME`. */
export type PlanFormat = (plan: Readonly<Record<string, unknown>>, context: PluginContext) => Answer<string>
