// The words for one action before, during and after it, shared by progress and final report.
import type {PlannedAction} from '../model/plan.ts'
import {showBytes} from './show-bytes.ts'

const DOING: Record<PlannedAction['type'], string> = {
  'set-config': 'changing options',
  resize: 'growing a disk',
  create: 'creating',
  destroy: 'destroying',
  migrate: 'moving',
  start: 'starting',
  shutdown: 'shutting down',
  restart: 'restarting',
}

export const describeDoing = (type: PlannedAction['type']): string => DOING[type]

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
