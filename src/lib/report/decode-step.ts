// One step of a saved plan. Somebody may carry it out, so nothing in it is believed that is not as felhom
// writes it, and a step never says of itself that it is more harmless than it is.
import {isNodeName, isVmid} from '../model/guest.ts'
import type {
  ActionBody,
  Blocker,
  CreateOrigin,
  Need,
  OptionChange,
  PartChange,
  PlannedAction,
} from '../model/plan.ts'
import {isSnapshotName} from '../model/snapshot.ts'
import {
  count,
  flag,
  listOf,
  matching,
  oneOf,
  readWith,
  refuse,
  text,
  yes,
  type Fields,
  type ReadValue,
} from './json-reader.ts'

const optionName = matching(/^[a-z][a-z0-9_-]{0,63}$/, 'the name of an option')
const impact = oneOf('none', 'live', 'restart', 'outage')
const gateClass = oneOf('benign', 'destructive')

export const nodeName: ReadValue<string> = (value, at) =>
  typeof value === 'string' && isNodeName(value) ? value : refuse(at, 'the name of a node')

export const vmid: ReadValue<number> = (value, at) =>
  typeof value === 'number' && isVmid(value) ? value : refuse(at, 'a vmid')

const partChange = readWith((f): PartChange => ({
  part: f.read('part', text),
  before: f.optional('before', text),
  after: f.optional('after', text),
}))

const optionChange = readWith((f): OptionChange => {
  const parts = f.optional('parts', listOf(partChange))
  const secret = f.optional('secret', yes)
  const note = f.optional('note', text)
  const sideEffects = f.optional('sideEffects', listOf(text))
  const after = f.optional('after', text)
  if (secret && after !== undefined) refuse(f.at('after'), 'left out of a secret')
  return {
    option: f.read('option', optionName),
    before: f.optional('before', text),
    after,
    ...(parts && {parts}),
    ...(secret && {secret}),
    impact: f.read('impact', impact),
    reversible: f.read('reversible', flag),
    class: f.read('class', gateClass),
    ...(note !== undefined && {note}),
    ...(sideEffects && {sideEffects}),
  }
})

const need = readWith((f): Need => {
  const rootOnly = f.optional('rootOnly', yes)
  return {
    path: f.read('path', matching(/^\/\S*$/, 'a path of Proxmox')),
    anyOf: f.read('anyOf', listOf(matching(/^[A-Za-z]+(?:\.[A-Za-z]+)*$/, 'a privilege'))),
    ...(rootOnly && {rootOnly}),
  }
})

const BLOCKER_CODES = [
  'locked',
  'protected',
  'ha_managed',
  'node_offline',
  'no_quorum',
  'config_unknown',
  'template',
  'root_only',
  'privilege_missing',
  'needs_signature',
  'cannot_be_signed',
  'not_yet',
  'copy_pending',
  'withheld',
  'suspended',
  'backing_off',
] as const satisfies readonly Blocker['code'][]

const signed = readWith((f): NonNullable<Blocker['signed']> => {
  const [people, needed] = [f.read('people', count), f.read('needed', count)]
  if (people >= needed) refuse(f.at('people'), 'less than needed')
  return {people, needed}
})

const blocker = readWith((f): Blocker => {
  const code = f.read('code', oneOf(...BLOCKER_CODES))
  const people = f.optional('signed', signed)
  if (people && code !== 'needs_signature') refuse(f.at('code'), 'needs_signature, though it counts people')
  return {code, message: f.read('message', text), ...(people && {signed: people})}
})

const origin = readWith((f): CreateOrigin => {
  const storage = f.optional('storage', text)
  const target = storage === undefined ? {} : {storage}
  if (f.has('template')) return {template: f.read('template', text), ...target}
  if (f.has('restore')) return {restore: f.read('restore', text), ...target}
  if (f.has('empty')) return {empty: f.read('empty', yes), ...target}
  const full = f.optional('full', flag)
  return {clone: f.read('clone', vmid), ...(full !== undefined && {full}), ...target}
})

const snapshotName: ReadValue<string> = (value, at) =>
  typeof value === 'string' && isSnapshotName(value) ? value : refuse(at, 'the name of a snapshot')

const volume = readWith((f) => ({option: f.read('option', optionName), text: f.read('text', text)}))

const BODIES: {readonly [T in ActionBody['type']]: (f: Fields) => Extract<ActionBody, {type: T}>} = {
  'set-config': (f) => ({type: 'set-config', changes: f.read('changes', listOf(optionChange))}),
  resize: readResize,
  create: (f) => ({
    type: 'create',
    from: f.read('from', origin),
    options: f.read('options', listOf(optionChange)),
  }),
  destroy: (f) => ({type: 'destroy', volumes: f.read('volumes', listOf(volume))}),
  migrate: (f) => ({type: 'migrate', to: f.read('to', listOf(nodeName))}),
  start: () => ({type: 'start'}),
  shutdown: (f) => ({
    type: 'shutdown',
    timeoutMs: f.read('timeoutMs', count),
    force: f.read('force', flag),
  }),
  restart: () => ({type: 'restart'}),
  'snapshot-delete': (f) => ({type: 'snapshot-delete', snapshot: f.read('snapshot', snapshotName)}),
  'snapshot-rollback': (f) => ({type: 'snapshot-rollback', snapshot: f.read('snapshot', snapshotName)}),
}

const STEP_TYPES = Object.keys(BODIES) as ActionBody['type'][]

function readResize(f: Fields): Extract<ActionBody, {type: 'resize'}> {
  const [disk, fromBytes, toBytes] = [
    f.read('disk', optionName),
    f.read('fromBytes', count),
    f.read('toBytes', count),
  ]
  if (toBytes <= fromBytes) refuse(f.at('toBytes'), 'more than fromBytes')
  return {type: 'resize', disk, fromBytes, toBytes}
}

export const readStep: ReadValue<PlannedAction> = readWith((f) => {
  const body = BODIES[f.read('type', oneOf(...STEP_TYPES))](f)
  const step: PlannedAction = {
    ...body,
    why: f.read('why', text),
    impact: f.read('impact', impact),
    reversible: f.read('reversible', flag),
    class: f.read('class', gateClass),
    needs: f.read('needs', listOf(need)),
    blockers: f.read('blockers', listOf(blocker)),
  }
  refuseUnderstatement(step, f)
  return step
})

function refuseUnderstatement(step: PlannedAction, f: Fields): void {
  const isLoss = step.type === 'destroy' || step.type.startsWith('snapshot-')
  const isDestructive =
    isLoss || (step.type === 'set-config' && step.changes.some((change) => change.class === 'destructive'))
  if (isDestructive && step.class !== 'destructive') refuse(f.at('class'), 'destructive, though the step is')
  if (isLoss && step.reversible) refuse(f.at('reversible'), 'false, though data is lost')
}
