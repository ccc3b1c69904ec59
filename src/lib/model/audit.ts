// What the audit keeps: every decision of the gate, and what people did to the things it decides by. Nouns only;
// the audit is a signal for people, never what allows or refuses.
import type {Decision} from './approval.ts'

export type AuditEvent =
  | {
      readonly type: 'trust_changed'
      readonly version: number
      /** `sha256:…` of the new trust file. */
      readonly hash: string
      /** People whose signatures made it so. */
      readonly signers: readonly string[]
    }
  | {readonly type: 'clock_reset'; readonly fromMs: number; readonly toMs: number; readonly by: string}
  | {readonly type: 'journal_rearmed'; readonly tasks: readonly string[]; readonly by: string}
  | {
      readonly type: 'approval_rejected'
      readonly nonce: string
      /** `sha256:…` of the signed bytes. */
      readonly statement: string
      readonly action?: string
      readonly reason: string
      readonly by: string
    }
  /** The daemon was told to leave a guest alone; no vmid: all of them. */
  | {
      readonly type: 'suspended'
      readonly vmid?: number
      /** Where it was so before this record could be written. */
      readonly sinceMs?: number
      readonly untilMs?: number
      readonly reason?: string
      readonly by: string
    }
  | {readonly type: 'resumed'; readonly vmid?: number; readonly by: string}
  | {
      readonly type: 'source_accepted'
      /** Of the source, without secrets. */
      readonly place: string
      readonly revision: string
      /** Why it was refused. */
      readonly reason: string
      readonly by: string
    }

export type AuditEntry = ({readonly type: 'decision'} & Decision) | AuditEvent

/** An entry in its place: `at` is epoch milliseconds, `h` seals it and all that is before it. */
export type AuditRecord = AuditEntry & {readonly seq: number; readonly at: number; readonly h: string}

/** Of the last record: who keeps it elsewhere can tell later whether the end was cut off. */
export interface AuditHead {
  readonly seq: number
  readonly h: string
}
