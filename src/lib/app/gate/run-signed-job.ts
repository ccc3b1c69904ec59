// What an operator signs for and no file asks for, as work for an apply: the same lock, recovery, gate, journal and
// queue. The approval's nonce is its key in the journal, so that it is carried out at most once whatever happens.
import {findOption} from '../../catalog/option.ts'
import {operationOfChange} from '../../catalog/operation-of-change.ts'
import type {ActualCluster, ActualGuest} from '../../model/actual.ts'
import type {DesiredGuest, DesiredOption} from '../../model/desired.ts'
import {FelhomError} from '../../model/felhom-error.ts'
import {formatGuestId} from '../../model/guest.ts'
import type {GuestPlan} from '../../model/plan.ts'
import type {Snapshot} from '../../model/snapshot.ts'
import {heldPrivileges} from '../../plan/held-privileges.ts'
import {planGuest} from '../../plan/plan-changes.ts'
import {planSnapshot} from '../../plan/plan-snapshot.ts'
import {parseTarget} from '../../plan/select-targets.ts'
import type {ApplyWork, WorkReader} from '../apply/apply-work.ts'

/** `guest`: lxc/101 or 101. Other operations that can be signed for are carried out by whoever brings the means. */
export type GuestJob = {readonly guest: string} & (
  | {readonly op: 'guest.destroy'}
  | {readonly op: 'snapshot.delete' | 'snapshot.rollback'; readonly snapshot: string}
  | {readonly op: 'volume.detach' | 'volume.remove'; readonly option: string}
)

export const workFromJob = (job: GuestJob): ApplyWork => ({
  // The signature is the word of the operator: nobody is asked, and nothing else is carried out.
  isSaved: true,
  readSecrets: () => ({}),
  async plan(actual, reader) {
    const guests = [await planJob(job, actual, reader)].filter(({actions}) => actions.length > 0)
    return {
      plan: {guests, unmanaged: 0, unchanged: 0, problems: []},
      planAgain: () => undefined,
    }
  },
})

/** The guest's part of a plan; throws usage for what is not there. */
export async function planJob(job: GuestJob, actual: ActualCluster, reader: WorkReader): Promise<GuestPlan> {
  const guest = findGuest(job.guest, actual)
  const held = actual.privileges && heldPrivileges(actual.privileges)
  const wished = (wish: Partial<DesiredGuest>): GuestPlan =>
    planGuest({...nothing(guest), ...wish}, guest, actual, held && {held})
  switch (job.op) {
    case 'guest.destroy':
      return wished({ensure: 'absent'})
    case 'volume.detach':
    case 'volume.remove':
      requireVolume(job, guest)
      return wished({options: new Map([[job.option, removed(job.option)]])})
    case 'snapshot.delete':
    case 'snapshot.rollback': {
      requireSnapshot(job.snapshot, guest, await reader.readSnapshots(guest))
      const type = job.op === 'snapshot.delete' ? 'snapshot-delete' : 'snapshot-rollback'
      return planSnapshot({type, snapshot: job.snapshot}, guest, actual, held)
    }
  }
}

export function findGuest(text: string, {guests, completeness}: ActualCluster): ActualGuest {
  const target = parseTarget(text)
  const guest = guests.find(
    ({kind, vmid}) => vmid === target?.vmid && (target.kind === undefined || target.kind === kind),
  )
  if (guest) return guest
  if (!target) throw refused(`${JSON.stringify(text)} is no guest`, 'Write it as lxc/101 or 101.')
  const hint = completeness.complete
    ? 'See those that are there with: felhom guests'
    : 'The list of guests is not complete: see felhom guests'
  throw refused(`there is no guest ${text}`, hint)
}

function requireSnapshot(name: string, guest: ActualGuest, snapshots: readonly Snapshot[]): void {
  if (snapshots.some((snapshot) => snapshot.name === name)) return
  const names = snapshots.map((snapshot) => snapshot.name).join(', ')
  throw refused(
    `${formatGuestId(guest)} has no snapshot ${JSON.stringify(name)}`,
    names === '' ? 'It has no snapshots at all.' : `It has: ${names}`,
  )
}

/** Removing anything else is no such operation: it may need no signature, and then nobody would have signed for it. */
function requireVolume({op, option: name}: Extract<GuestJob, {option: string}>, guest: ActualGuest): void {
  const {kind, config} = guest
  const option = findOption(kind, name)
  const hint = 'See its volumes with: felhom show'
  if (config.known && !(option && Object.hasOwn(config.current, name)))
    throw refused(`${formatGuestId(guest)} has no ${name}`, hint)
  if (option && operationOfChange(option, 'removed') === op) return
  throw refused(`${op} is not what removes ${JSON.stringify(name)} from ${formatGuestId(guest)}`, hint)
}

const refused = (message: string, hint: string): FelhomError =>
  new FelhomError('usage', message, {hint, doubt: 'Nothing was changed.'})

const PLACE = {file: '', line: 1, column: 1}

const removed = (name: string): DesiredOption => ({name, value: {is: 'removed'}, place: PLACE})

const nothing = ({kind, vmid}: ActualGuest): DesiredGuest => ({
  kind,
  vmid,
  ensure: 'present',
  options: new Map(),
  restart: 'never',
  stop: {timeoutMs: 60_000, force: false},
  place: PLACE,
})

const WORDS: Readonly<Record<GuestJob['op'], string | undefined>> = {
  'guest.destroy': undefined,
  'snapshot.delete': 'the snapshot',
  'snapshot.rollback': 'the snapshot',
  'volume.detach': 'the option',
  'volume.remove': 'the option',
}

/** As `--job` takes it. */
export function formatJob(job: GuestJob): string {
  const object = 'snapshot' in job ? job.snapshot : 'option' in job ? job.option : undefined
  return [job.op, job.guest, ...(object === undefined ? [] : [object])].join(' ')
}

/** `snapshot.delete lxc/101 before-upgrade`; throws usage. */
export function parseJob(text: string): GuestJob {
  const [name = '', guest = '', object, ...rest] = text.trim().split(/\s+/)
  const op = (Object.keys(WORDS) as GuestJob['op'][]).find((one) => one === name)
  const needs = op && WORDS[op]
  if (!op || guest === '' || rest.length > 0 || (object === undefined) !== (needs === undefined))
    throw refused(
      `${JSON.stringify(text)} is no job`,
      `Write it as OPERATION GUEST, and what it is about: 'snapshot.delete lxc/101 NAME'. Operations: ${Object.keys(WORDS).join(', ')}.`,
    )
  if (op === 'guest.destroy') return {op, guest}
  return op === 'snapshot.delete' || op === 'snapshot.rollback'
    ? {op, guest, snapshot: object ?? ''}
    : {op, guest, option: object ?? ''}
}
