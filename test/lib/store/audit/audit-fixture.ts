// An audit on the disk in memory, and one record of every kind.
import type {Decision} from '../../../../src/lib/model/approval.ts'
import type {AuditRecord} from '../../../../src/lib/model/audit.ts'
import {openAudit, type OpenAudit, type OpenAuditOptions} from '../../../../src/lib/store/audit/open-audit.ts'
import {readAudit} from '../../../../src/lib/store/audit/read-audit.ts'
import type {MemoryDisk} from '../../../../src/lib/testing/memory-disk.ts'
import {STATE, tickingClock} from '../journal-fixture.ts'

export const AUDIT = `${STATE}/audit`

export interface TestAuditOptions extends Partial<OpenAuditOptions> {
  readonly warnings?: string[]
}

export function openOn(machine: MemoryDisk, more: TestAuditOptions = {}): Promise<OpenAudit> {
  const {warnings = [], ...rest} = more
  return openAudit({
    disk: machine.mount(),
    dir: STATE,
    clock: tickingClock(),
    warn: (text) => warnings.push(text),
    ...rest,
  })
}

export const allowed = (more: Partial<Decision> = {}): Decision => ({
  op: 'start',
  class: 'benign',
  signers: [],
  decision: 'allow',
  ...more,
})

export const signed = allowed({
  op: 'guest.destroy',
  class: 'destructive',
  vmid: 101,
  action: 'sha256:aa',
  statement: 'sha256:bb',
  nonce: 'one',
  signers: [{principal: 'änne', fingerprint: 'SHA256:cc'}],
})

export const refused = allowed({
  op: 'guest.destroy',
  class: 'destructive',
  decision: 'refuse',
  refusal: 'replay',
  message: 'the nonce "one" was burned before',
})

export async function writeEveryKind(audit: OpenAudit, onRecord: () => void): Promise<void> {
  const steps: (() => Promise<void>)[] = [
    () => audit.append(allowed()),
    () => audit.append(signed),
    () => audit.append(refused),
    () => audit.note({type: 'trust_changed', version: 2, hash: 'sha256:dd', signers: ['änne']}),
    () => audit.note({type: 'clock_reset', fromMs: 9, toMs: 5, by: 'root'}),
    () => audit.note({type: 'journal_rearmed', tasks: ['UPID:x'], by: 'operator'}),
    () =>
      audit.note({type: 'approval_rejected', nonce: 'two', statement: 'sha256:ee', reason: 'no', by: 'root'}),
    () => audit.note({type: 'suspended', vmid: 101, untilMs: 9, reason: 'by hand', by: 'root@pve1'}),
    () => audit.note({type: 'resumed', by: 'root@pve1'}),
    () => audit.note({type: 'source_accepted', place: 'hub', revision: 'r2', reason: 'lost 2', by: 'a@b'}),
  ]
  for (const step of steps) {
    await step()
    onRecord()
  }
}

export async function readAll(machine: MemoryDisk): Promise<AuditRecord[]> {
  const records: AuditRecord[] = []
  for await (const record of readAudit({disk: machine.mount(), dir: STATE})) records.push(record)
  return records
}
