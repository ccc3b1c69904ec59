// Operations of a journal, as tests need them: one line where nothing special is asked for.
import type {Intent, Operation, OperationBody} from '../../src/lib/model/operation.ts'

/** 2026-11-18T06:03:11Z */
export const RUN_MS = Date.UTC(2026, 10, 18, 6, 3, 11)
export const RUN = '20261118T060311-ab12'
export const UPID = 'UPID:pve1:0000C3A1:0012F5B4:691BF0FF:vzstart:101:root@pam!felhom:'

export function intentOf(n: number, body: OperationBody, more: Partial<Intent> = {}): Intent {
  return {
    op: `${RUN}.${n}`,
    run: RUN,
    target: {kind: 'lxc', vmid: 101, node: 'pve1'},
    name: 'web-1',
    body,
    class: 'benign',
    before: {run: 'running', options: {}},
    identity: {kind: 'lxc', vmid: 101, ids: ['hwaddr:BC:24:11:00:00:01', 'rootfs:local-lvm:vm-101-disk-0']},
    digest: '9a8b7c6d5e4f39a8b7c6d5e4f39a8b7c6d5e4f3a',
    knownTasks: [],
    atMs: RUN_MS + n * 1000,
    ...more,
  }
}

export function operationOf(intent: Intent, more: Partial<Operation> = {}): Operation {
  return {intent, state: 'succeeded', sinceMs: intent.atMs + 1500, by: 'engine', reason: '', ...more}
}

/** Without an end. */
export function openOf(intent: Intent, state: 'started' | 'task_running', upid?: string): Operation {
  return {intent, state, sinceMs: intent.atMs + 100, ...(upid !== undefined && {upid})}
}
