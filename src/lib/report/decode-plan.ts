// Reads a saved plan back. It is a file from outside: each field is checked, and what it shows must be what its
// steps do, so that nobody approves one thing and gets another.
import type {GuestPlan, Plan, PlannedAction, PlanProblem} from '../model/plan.ts'
import {nodeName, readStep, vmid} from './decode-step.ts'
import {
  Fields,
  WrongShape,
  count,
  findDifference,
  flag,
  listOf,
  matching,
  oneOf,
  readWith,
  text,
  textOrNull,
  type ReadValue,
} from './json-reader.ts'
import {PLAN_FORMAT_VERSION, encodePlan} from './plan-json.ts'

/** The plan, or what is wrong with it. */
export function decodePlan(json: unknown): {plan: Plan} | {problem: string} {
  try {
    const plan = readPlan(json)
    const difference = findDifference(toJson(encodePlan(plan)), toJson(json))
    return difference === undefined ? {plan} : {problem: `${difference} is not what its steps say`}
  } catch (error) {
    if (error instanceof WrongShape) return {problem: error.message}
    throw error
  }
}

/** As it is in a file: without what is undefined. */
const toJson = (value: unknown): unknown => JSON.parse(JSON.stringify(value)) as unknown

function readPlan(json: unknown): Plan {
  if (typeof json !== 'object' || json === null || Array.isArray(json)) {
    throw new WrongShape('it is not a JSON object')
  }
  const fields = new Fields(json, '')
  checkVersion(fields)
  const guests = fields.read('resource_changes', listOf(readGuest))
  const summary = new Fields(
    fields.read('summary', (value) => value),
    'summary',
  )
  const seen = new Set<number>()
  for (const guest of guests) {
    if (seen.has(guest.vmid)) throw new WrongShape(`resource_changes names guest ${guest.vmid} twice`)
    seen.add(guest.vmid)
  }
  return {
    guests,
    unmanaged: summary.read('unmanaged', count),
    unchanged: summary.read('unchanged', count),
    problems: fields.read('problems', listOf(readProblem)),
  }
}

function checkVersion(fields: Fields): void {
  const version = fields.read('format_version', (value) => value)
  if (version === PLAN_FORMAT_VERSION) return
  const found = typeof version === 'string' ? version.slice(0, 20) : typeof version
  throw new WrongShape(`its format_version is ${found}; this felhom reads ${PLAN_FORMAT_VERSION}`)
}

const readPlace = readWith((f) => ({
  file: f.read('file', text),
  line: f.read('line', count),
  column: f.read('column', count),
}))

const readProblem = readWith((f): PlanProblem => {
  const place = f.optional('place', readPlace)
  return {
    code: f.read('code', matching(/^[a-z][a-z0-9_]*$/, 'a code')),
    severity: f.read('severity', oneOf('error', 'warning')),
    message: f.read('message', text),
    ...(place && {place}),
  }
})

const orNull =
  <T>(read: ReadValue<T>): ReadValue<T | undefined> =>
  (value, at) =>
    value === null ? undefined : read(value, at)

/** What is shown beside the steps (`address`, `change`, `gate`) is derived from them and compared afterwards. */
const readGuest: ReadValue<GuestPlan> = (value, at) => {
  const f = new Fields(value, at)
  const guest: GuestPlan = {
    kind: f.read('type', oneOf('lxc', 'qemu')),
    vmid: f.read('vmid', vmid),
    name: f.read('name', textOrNull),
    node: f.read('node', orNull(nodeName)),
    exists: f.read('exists', flag),
    run: f.read('run', oneOf('running', 'stopped', 'paused', 'unknown')),
    liveDigest: f.read('live_digest', orNull(matching(/^[0-9a-f]{40}$/, 'a digest'))),
    actions: f.read('steps', listOf(readStep)),
    unchangedOptions: f.read('unchanged_options', count),
    problems: f.read('problems', listOf(readProblem)),
  }
  const impossible = guest.actions.findIndex((action) => !isPossible(action, guest.exists))
  if (impossible >= 0) {
    const reason = guest.exists ? 'the guest exists' : 'the guest does not exist'
    throw new WrongShape(`${f.at('steps')}[${impossible}] cannot be: ${reason}`)
  }
  return guest
}

const isPossible = ({type}: PlannedAction, exists: boolean): boolean =>
  type === 'start' || (type === 'create') !== exists
