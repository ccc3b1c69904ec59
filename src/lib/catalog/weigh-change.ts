// What a change of an option costs: whether the running guest takes it over, whether it can be undone, whether
// the gate lets it pass without a signature, what else it rewrites and what a token needs for it.
import type {GuestKind} from '../model/guest.ts'
import type {GateClass, Impact, Need} from '../model/plan.ts'
import {CONDITIONS} from './change-conditions.ts'
import {CHANGE_RULES, type ChangeRule, type HotplugFeature} from './change-rules.ts'
import {type DescribedChange, describeChange, type GuestContext} from './described-change.ts'
import {needsOf} from './needs.ts'
import type {Option} from './option.ts'

export interface ChangeWeight {
  readonly impact: Impact
  readonly reversible: boolean
  readonly class: GateClass
  readonly note?: string
  readonly sideEffects?: readonly string[]
  readonly needs: (vmid: number) => Need[]
}

/**
 * `before` and `after` are Proxmox's own texts. Whether a machine takes a change over depends on its `hotplug`,
 * whether a volume is its own on its vmid: without them the answer is the cautious one.
 */
export function weighChange(
  option: Option,
  before: string | undefined,
  after: string | undefined,
  run: 'running' | 'stopped',
  guest: GuestContext = {},
): ChangeWeight {
  const change = describeChange(option, before, after, guest)
  const rules = rulesFor(option, change)
  const notes = new Set(rules.flatMap(({note}) => note ?? []))
  const sideEffects = new Set(rules.flatMap((rule) => rule.sideEffects ?? []))
  return {
    impact: run === 'stopped' ? 'none' : impactOf(option, change, rules),
    reversible: rules.every((rule) => rule.reversible !== false),
    class: change.isReadable ? (rules.find((rule) => rule.class)?.class ?? 'benign') : 'destructive',
    ...(notes.size > 0 && {note: [...notes].join('; ')}),
    ...(sideEffects.size > 0 && {sideEffects: [...sideEffects]}),
    needs: (vmid) => needsOf(change, vmid),
  }
}

/** An alias has the rows of its own name and those of the option that it stands for. */
function rulesFor(named: Option, change: DescribedChange): readonly ChangeRule[] {
  const own = rulesOf(change.option.kind, change.option.family)
  const rules = named === change.option ? own : [...rulesOf(named.kind, named.family), ...own]
  return rules.filter((rule) => fits(rule, change))
}

const byFamily = new Map<string, readonly ChangeRule[]>()

function rulesOf(kind: GuestKind, family: string): readonly ChangeRule[] {
  const key = `${kind}/${family}`
  let rules = byFamily.get(key)
  if (!rules) {
    rules = CHANGE_RULES.filter((rule) => (rule.kind ?? kind) === kind && rule.families.includes(family))
    byFamily.set(key, rules)
  }
  return rules
}

function fits({verbs, parts, where}: ChangeRule, change: DescribedChange): boolean {
  if (verbs && !verbs.includes(change.verb)) return false
  if (parts && !parts.some((part) => change.parts.has(part))) return false
  return where === undefined || CONDITIONS[where].holds(change)
}

function impactOf(
  option: Option,
  {config}: DescribedChange,
  rules: readonly ChangeRule[],
): 'live' | 'restart' {
  const rule = rules.find(({impact, hotplug}) => impact !== undefined || hotplug !== undefined)
  if (rule?.hotplug) return hotplugFeatures(config['hotplug']).has(rule.hotplug) ? 'live' : 'restart'
  return rule?.impact ?? (option.impact === 'live' ? 'live' : 'restart')
}

const DEFAULT_HOTPLUG: readonly HotplugFeature[] = ['network', 'disk', 'usb']

function hotplugFeatures(text: string | undefined): ReadonlySet<string> {
  if (text === '0') return new Set()
  return new Set(text === undefined || text === '1' ? DEFAULT_HOTPLUG : text.split(/[,;\s]+/))
}
