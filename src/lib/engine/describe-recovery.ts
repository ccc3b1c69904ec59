// Why recovery decided as it did, in a sentence.
import type {Intent} from '../model/operation.ts'
import type {Remote} from './recovery-facts.ts'
import type {RecoveryStanding} from './recovery-standing.ts'
import type {TaskEnd} from './recovery-table.ts'

const STANDINGS: Readonly<Record<RecoveryStanding, string>> = {
  reached: 'the guest is as wanted',
  untouched: 'the guest is as it was before',
  changed: 'the guest is neither as wanted nor as it was before, or gone',
  unreadable: 'the config has changed, and a secret in it cannot be read back',
  ours: 'the new guest is there and bears our marker',
  unmarked: 'a guest of that number is there, but nothing tells whether it is ours',
  absent: 'there is no such guest',
  foreign: 'a guest of that number is there that is incomplete, locked or not ours',
  intact: 'the guest is there as it was',
  doubtful: 'a guest of that number is there that may be what remains of it',
  another: 'another guest has that number now',
  gone: 'the snapshot is gone',
  kept: 'the snapshot is there as it was',
  locked: 'the snapshot is there, and the guest is locked',
  blind: 'nothing tells whether it took place',
}

export const describeOutcome = (
  intent: Intent,
  remote: Extract<Remote, {task: TaskEnd}>,
  standing: RecoveryStanding,
): string => `${describeTask(intent, remote)}; ${STANDINGS[standing]}`

function describeTask({body}: Intent, remote: Extract<Remote, {task: TaskEnd}>): string {
  switch (remote.task) {
    case 'ok':
      return `its task ended with ${remote.exit}`
    case 'failed':
      return `its task failed: ${remote.exit}`
    case 'unexpected':
      return 'its task was cut off before it could say how it ended'
    case 'lost':
      return 'Proxmox no longer knows its task'
    case 'none':
      return body.type === 'set-config' ? 'no answer came' : 'no answer came and no task of it is listed'
  }
}
