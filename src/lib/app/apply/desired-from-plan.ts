// A saved plan read as what it wants: a desired state that holds its steps and nothing else. Planned again, it
// gives the same steps as long as nothing has changed, and what remains of them when something has.
import {findOption} from '../../catalog/option.ts'
import {parseProperties} from '../../catalog/property-string.ts'
import {formatSize} from '../../catalog/sizes.ts'
import type {ActualGuest, PendingChange} from '../../model/actual.ts'
import type {
  DesiredCreate,
  DesiredGuest,
  DesiredOption,
  DesiredValue,
  SecretSource,
  SourcePlace,
} from '../../model/desired.ts'
import type {GuestKind} from '../../model/guest.ts'
import type {GuestPlan, OptionChange, PlannedAction} from '../../model/plan.ts'

export interface SavedGuest {
  readonly plan: GuestPlan
  /** The file of the plan, for messages. */
  readonly file: string
  /** As it is now; undefined: it does not exist. */
  readonly guest: ActualGuest | undefined
  /** Where the value of a secret is kept: a plan never says. */
  sourceOf(option: string): SecretSource | undefined
}

type Step<T extends PlannedAction['type']> = Extract<PlannedAction, {type: T}>

const DEFAULT_STOP = {timeoutMs: 60_000, force: false}

export function desiredFromPlan(saved: SavedGuest): DesiredGuest {
  const {plan, file} = saved
  const {kind, vmid} = plan
  const place: SourcePlace = {file, line: 1, column: 1}
  const step = <T extends PlannedAction['type']>(type: T): Step<T> | undefined =>
    plan.actions.find((action): action is Step<T> => action.type === type)
  const [create, shutdown, destroy] = [step('create'), step('shutdown'), step('destroy')]
  const run = step('start') ? 'running' : shutdown && !destroy ? 'stopped' : undefined
  const nodes = create && plan.node !== undefined ? [plan.node] : step('migrate')?.to
  return {
    kind,
    vmid,
    ensure: destroy ? 'absent' : 'present',
    ...(nodes && {nodes}),
    ...(run && {run}),
    options: new Map(optionsOf(saved, place).map((option) => [option.name, option])),
    restart: step('restart') ? 'allowed' : 'never',
    stop: shutdown ? {timeoutMs: shutdown.timeoutMs, force: shutdown.force} : DEFAULT_STOP,
    ...(create && {create: createFrom(create, saved, place)}),
    place,
  }
}

/** What creation takes and a config does not hold. */
const CREATION_ONLY: ReadonlySet<string> = new Set(['pool', 'password', 'ssh-public-keys', 'unprivileged'])

function createFrom({from, options}: Step<'create'>, saved: SavedGuest, place: SourcePlace): DesiredCreate {
  const change = (name: string): OptionChange | undefined => options.find(({option}) => option === name)
  const pool = change('pool')?.after
  const password = change('password') && saved.sourceOf('password')
  const keys = change('ssh-public-keys')
  const sshKeys = keys?.secret ? saved.sourceOf('ssh-public-keys') : keys?.after
  const unprivileged = change('unprivileged')?.after
  const {storage, ...origin} = from
  return {
    from: origin,
    ...(storage !== undefined && {storage}),
    ...(pool !== undefined && {pool}),
    ...(password && {password}),
    ...(sshKeys !== undefined && {sshKeys}),
    ...(unprivileged !== undefined && {unprivileged: unprivileged === '1'}),
    place,
  }
}

function optionsOf(saved: SavedGuest, place: SourcePlace): DesiredOption[] {
  const {kind, actions} = saved.plan
  const values = new Map<string, DesiredValue>()
  if (actions.some(({type}) => type === 'restart')) {
    for (const change of pendingOf(saved.guest)) values.set(change.option, pendingValue(change))
  }
  for (const action of actions) {
    if (action.type === 'set-config') {
      for (const change of action.changes) values.set(change.option, valueOf(kind, change))
    } else if (action.type === 'create') {
      for (const change of action.options.filter(({option}) => !CREATION_ONLY.has(option))) {
        const from = change.secret && saved.sourceOf(change.option)
        values.set(change.option, from ? {is: 'secret', from} : valueOf(kind, change))
      }
    } else if (action.type === 'resize') {
      values.set(action.disk, withSize(values.get(action.disk), action.toBytes))
    }
  }
  return [...values].map(([name, value]) => ({name, value, place}))
}

/** A restart may serve values that were there before the plan: they are wanted too, or it would have no reason. */
const pendingOf = (guest: ActualGuest | undefined): readonly PendingChange[] =>
  guest?.config.known ? guest.config.pending : []

const pendingValue = (change: PendingChange): DesiredValue =>
  change.kind === 'set' ? {is: 'text', text: change.value} : {is: 'removed'}

/** Parts, so that what Proxmox adds to them by itself is no difference afterwards. */
function valueOf(kind: GuestKind, {option, before, after}: OptionChange): DesiredValue {
  if (after === undefined) return {is: 'removed'}
  const wanted = partsOf(kind, option, after)
  if (!wanted) return {is: 'text', text: after}
  const gone = [...(partsOf(kind, option, before) ?? new Map<string, string>()).keys()].filter(
    (part) => !wanted.has(part),
  )
  return {is: 'parts', parts: new Map([...wanted, ...gone.map((part): [string, null] => [part, null])])}
}

function partsOf(
  kind: GuestKind,
  name: string,
  text: string | undefined,
): ReadonlyMap<string, string> | undefined {
  const format = findOption(kind, name)?.format
  if (!format || text === undefined) return undefined
  const reading = parseProperties(format, text)
  return 'parts' in reading ? reading.parts : undefined
}

function withSize(value: DesiredValue | undefined, bytes: number): DesiredValue {
  const parts = value?.is === 'parts' ? value.parts : new Map<string, string>()
  return {is: 'parts', parts: new Map([...parts, ['size', formatSize(bytes)]])}
}
