// A worker task of Proxmox: what it is, how far it is, and what its end means.
import type {Upid} from './upid.ts'

/** `lost`: Proxmox no longer knows the task, which says nothing about how it ended. */
export type TaskStatus =
  | {readonly state: 'running'}
  | {readonly state: 'stopped'; readonly exit: string; readonly verdict: TaskVerdict}
  | {readonly state: 'lost'}

/** `unexpected`: killed or rebooted before it could write its verdict; the guest has to be looked at. */
export type TaskVerdict = 'ok' | 'warnings' | 'failed' | 'unexpected'

/** A task in a list; running ones have no end yet. */
export interface TaskEntry {
  readonly upid: Upid
  readonly status: TaskStatus
  /** Epoch seconds. */
  readonly endtime: number | undefined
}

export interface TaskLog {
  readonly lines: readonly {readonly n: number; readonly text: string}[]
  /** How many lines the whole log has. */
  readonly total: number
}

/** The verdict in a task's exit status. `OK` and `WARNINGS: n` are successes, whatever else is none. */
export function taskVerdict(exit: string): TaskVerdict {
  if (exit === 'OK') return 'ok'
  if (/^WARNINGS: \d+$/.test(exit)) return 'warnings'
  return exit === 'unexpected status' ? 'unexpected' : 'failed'
}

export function hasSucceeded(status: TaskStatus): boolean {
  return status.state === 'stopped' && (status.verdict === 'ok' || status.verdict === 'warnings')
}
