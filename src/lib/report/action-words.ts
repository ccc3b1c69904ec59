// The words for one action before, during and after it, shared by progress and final report.
import type {OperationType} from '../model/operation.ts'
import type {PlannedAction} from '../model/plan.ts'
import {showBytes} from './show-bytes.ts'

const DOING: Record<OperationType, string> = {
  'set-config': 'changing options',
  resize: 'growing a disk',
  create: 'creating',
  destroy: 'destroying',
  job: 'carrying out a signed job',
  start: 'starting',
  shutdown: 'shutting down',
  restart: 'restarting',
  'snapshot-delete': 'deleting a snapshot',
  'snapshot-rollback': 'rolling back',
}

export const describeDoing = (type: OperationType): string => DOING[type]

/** `changed memory, tags`. Not yet escaped. */
export function describeDone(action: PlannedAction): string {
  switch (action.type) {
    case 'set-config':
      return describeChanges(action, 'changed', 'removed')
    case 'resize':
      return `grew ${action.disk} to ${showBytes(action.toBytes)}`
    case 'create':
      return 'created'
    case 'destroy':
      return 'destroyed'
    case 'migrate':
      return 'moved'
    case 'start':
      return 'started'
    case 'shutdown':
      return 'stopped'
    case 'restart':
      return 'restarted'
    case 'snapshot-delete':
      return `deleted snapshot ${action.snapshot}`
    case 'snapshot-rollback':
      return `rolled back to snapshot ${action.snapshot}`
  }
}

/** `change memory, tags`: what was to be done. Not yet escaped. */
export function describeWish(action: PlannedAction): string {
  switch (action.type) {
    case 'set-config':
      return describeChanges(action, 'change', 'remove')
    case 'resize':
      return `grow ${action.disk} to ${showBytes(action.toBytes)}`
    case 'migrate':
      return `move to ${action.to.join(' or ')}`
    case 'shutdown':
      return 'stop'
    case 'snapshot-delete':
      return `delete snapshot ${action.snapshot}`
    case 'snapshot-rollback':
      return `roll back to snapshot ${action.snapshot}`
    default:
      return action.type
  }
}

function describeChanges(
  {changes}: Extract<PlannedAction, {type: 'set-config'}>,
  change: string,
  remove: string,
): string {
  const names = (isRemoved: boolean): string =>
    changes
      .filter(({after, secret}) => (after === undefined && !secret) === isRemoved)
      .map(({option}) => option)
      .join(', ')
  const [set, removed] = [names(false), names(true)]
  const parts = [
    ...(set === '' ? [] : [`${change} ${set}`]),
    ...(removed === '' ? [] : [`${remove} ${removed}`]),
  ]
  return parts.join('; ')
}
