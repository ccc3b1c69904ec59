// The entry `felhom/plugin`: what a plugin is written against. A plugin needs its types alone; at run time it is given
// all it needs through the hook.

export {PLUGIN_API_VERSION} from '../plugin/contract.ts'
export type {
  ActionType,
  AlertNotifier,
  FelhomPlugin,
  Observer,
  PlanFormat,
  PluginContext,
  ProvidedFile,
  Provider,
  RegisterOptions,
  Rule,
  RuleRequest,
} from '../plugin/contract.ts'
export type {FelhomHooks} from '../plugin/felhom-hooks.ts'
export type {Alert} from '../model/daemon.ts'
export type {GuestId} from '../model/guest.ts'
export type {GateClass, Impact} from '../model/plan.ts'
export type {RunEvent} from '../model/run-event.ts'
