// Whether two lists of actions ask the same of Proxmox. What they say about themselves (why, at what cost, what
// stands in their way) does not count.
import type {OptionChange, PlannedAction} from '../../model/plan.ts'

export function areSameSteps(a: readonly PlannedAction[], b: readonly PlannedAction[]): boolean {
  return JSON.stringify(a.map(substance)) === JSON.stringify(b.map(substance))
}

function substance(action: PlannedAction): unknown {
  switch (action.type) {
    case 'set-config':
      return [action.type, action.changes.map(changeOf)]
    case 'resize':
      return [action.type, action.disk, action.fromBytes, action.toBytes]
    case 'create':
      return [action.type, Object.entries(action.from).sort(), action.options.map(changeOf)]
    case 'destroy':
      return [action.type, action.volumes.map(({option, text}) => [option, text])]
    case 'migrate':
      return [action.type, action.to]
    case 'shutdown':
      return [action.type, action.timeoutMs, action.force]
    case 'snapshot-delete':
    case 'snapshot-rollback':
      return [action.type, action.snapshot]
    default:
      return [action.type]
  }
}

const changeOf = ({option, before, after, secret}: OptionChange): unknown => [
  option,
  before ?? null,
  after ?? null,
  secret ?? false,
]
