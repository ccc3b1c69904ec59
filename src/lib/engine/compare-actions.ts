// Whether two plans of a guest would do the same: what they send counts, not what they say about it.
import {obstaclesOf, type PlannedAction} from '../model/plan.ts'

/** Equal for actions that come to the same. */
export function actionKey(action: PlannedAction): string {
  return JSON.stringify([action.type, action.class, ...contentOf(action)])
}

function contentOf(action: PlannedAction): unknown[] {
  switch (action.type) {
    case 'set-config':
      return action.changes.map(({option, after, secret}) => [option, after ?? null, secret === true])
    case 'create':
      return [action.from, ...action.options.map(({option, after}) => [option, after ?? null])]
    case 'resize':
      return [action.disk, action.toBytes]
    case 'destroy':
      return action.volumes.map(({option, text}) => [option, text])
    case 'migrate':
      return [...action.to]
    case 'shutdown':
      return [action.timeoutMs, action.force]
    case 'snapshot-delete':
    case 'snapshot-rollback':
      return [action.snapshot]
    case 'start':
    case 'restart':
      return []
  }
}

/** What stands in the way of an action is not carried out in either plan. */
export function isSameWork(a: readonly PlannedAction[], b: readonly PlannedAction[]): boolean {
  const keysOf = (actions: readonly PlannedAction[]): string =>
    actions
      .filter((action) => obstaclesOf(action).length === 0)
      .map(actionKey)
      .join('\n')
  return keysOf(a) === keysOf(b)
}
