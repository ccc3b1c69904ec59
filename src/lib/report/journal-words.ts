// The words for what the journal holds, shared by its lists and stories.
import {formatGuestId} from '../model/guest.ts'
import type {Intent, Operation, OperationBody, OperationState} from '../model/operation.ts'
import type {CreateOrigin} from '../model/plan.ts'
import type {Palette} from './palette.ts'
import {showBytes} from './show-bytes.ts'
import type {Paint} from './text-table.ts'

/** `set cores, memory; remove swap`: in the words in which it was asked of Proxmox. */
export function describeBody(body: OperationBody): string {
  switch (body.type) {
    case 'set-config':
      return describeConfig(body)
    case 'resize':
      return `grow ${body.disk} to ${showBytes(body.toBytes)}`
    case 'create':
      return `create ${describeOrigin(body.from)}`
    case 'shutdown':
      return body.force ? 'shut down, or stop hard' : 'shut down'
    case 'snapshot-delete':
      return `delete snapshot ${body.snapshot}`
    case 'snapshot-rollback':
      return `roll back to snapshot ${body.snapshot}`
    case 'job':
      return body.of === undefined ? body.job : `${body.job} of a ${body.of}`
    default:
      return body.type
  }
}

function describeConfig(body: Extract<OperationBody, {type: 'set-config'}>): string {
  const parts: [string, readonly string[]][] = [
    ['set', [...Object.keys(body.set), ...(body.secrets ?? [])]],
    ['remove', body.delete],
    ['take back', body.revert ?? []],
  ]
  const said = parts.filter(([, options]) => options.length > 0)
  return said.map(([verb, options]) => `${verb} ${options.join(', ')}`).join('; ') || 'set nothing'
}

function describeOrigin(from: CreateOrigin): string {
  if ('template' in from) return `from ${from.template}`
  if ('restore' in from) return `from backup ${from.restore}`
  return 'clone' in from ? `as a ${from.full ? 'full ' : ''}clone of ${from.clone}` : 'empty'
}

/** `lxc/101 web-1 on pve1`, not yet escaped. */
export function nameTarget({target, name}: Pick<Intent, 'target' | 'name'>): string {
  return `${formatGuestId(target)}${name === undefined ? '' : ` ${name}`} on ${target.node}`
}

/** Green for what is as wanted, red for what is not, yellow for what is open. */
export function paintState(state: OperationState, palette: Palette): Paint {
  switch (state) {
    case 'succeeded':
    case 'satisfied':
      return palette.good
    case 'failed':
    case 'quarantined':
      return palette.bad
    case 'started':
    case 'task_running':
      return palette.warn
    default:
      return palette.dim
  }
}

/** What each state says to somebody who meets it for the first time. */
export const STATE_WORDS: Readonly<Record<OperationState, string>> = {
  started: 'the request may have left; its answer was never recorded',
  task_running: 'Proxmox was at it when it was last heard of',
  quarantined: 'how it ended cannot be known; the guest is frozen until somebody decides',
  succeeded: 'done',
  satisfied: 'it is as wanted, though not provably by this operation',
  failed: 'not done',
  superseded: 'put aside for a later one',
  abandoned: 'never started',
}

/** `by recover: the guest runs`, or nothing for a plain success. */
export function describeEnding({by, reason}: Pick<Operation, 'by' | 'reason'>): string {
  const who = by === undefined || by === 'engine' ? '' : `by ${by}`
  return [who, reason ?? ''].filter((part) => part !== '').join(': ')
}
