// Finds what somebody means by the beginning or the end of a name: an operation, `…-ab12.3`, or a run, `…-ab12`.
import {FelhomError} from '../../model/felhom-error.ts'
import type {Operation} from '../../model/operation.ts'
import type {OperationStory, StoryRecord} from '../../report/journal-story.ts'
import type {JournalRecord} from '../../store/read-journal.ts'
import type {JournalView} from './journal-view.ts'

export type Found =
  | {readonly kind: 'operation'; readonly story: OperationStory}
  /** Its operations, first to last. */
  | {readonly kind: 'run'; readonly run: string; readonly operations: readonly Operation[]}

export async function findInJournal(
  view: Pick<JournalView, 'operations' | 'records'>,
  name: string,
): Promise<Found> {
  const isOperation = name.includes('.')
  const matches = new Map<string, Operation[]>()
  for await (const operation of view.operations()) {
    const {op, run} = operation.intent
    const whole = isOperation ? op : run
    if (isMeant(whole, name)) matches.set(whole, [...(matches.get(whole) ?? []), operation])
  }
  const whole = chooseName([...matches.keys()], name)
  const operations = matches.get(whole) ?? []
  const [operation] = operations
  if (!isOperation || !operation) return {kind: 'run', run: whole, operations: operations.sort(byOrder)}
  return {kind: 'operation', story: {operation, records: await readStory(view, whole)}}
}

/** The open operation that is meant. */
export function findOpen(open: readonly Operation[], name: string): Operation {
  const matching = open.filter(({intent}) => isMeant(intent.op, name))
  const op = chooseName(
    matching.map(({intent}) => intent.op),
    name,
    'no open operation',
  )
  const found = matching.find(({intent}) => intent.op === op)
  if (!found) throw new FelhomError('unexpected', `${op} is lost among the open operations`)
  return found
}

const isMeant = (whole: string, name: string): boolean =>
  name !== '' && (whole.startsWith(name) || whole.endsWith(name))

/** A name that is given in full means itself, though another may begin with it. */
function chooseName(names: readonly string[], name: string, none = 'no operation or run'): string {
  const [first] = names
  if (names.includes(name)) return name
  if (first !== undefined && names.length === 1) return first
  const doubt = 'Nothing was changed.'
  if (first === undefined) {
    throw new FelhomError('usage', `the journal has ${none} ${JSON.stringify(name)}`, {
      hint: 'See them with: felhom journal list',
      doubt,
    })
  }
  const shown = names.slice(0, 5).join(', ')
  throw new FelhomError('usage', `${JSON.stringify(name)} may mean any of ${names.length}: ${shown}`, {
    hint: 'Name more of it, from its beginning or from its end.',
    doubt,
  })
}

function byOrder({intent: a}: Operation, {intent: b}: Operation): number {
  return a.atMs - b.atMs || a.op.length - b.op.length || (a.op < b.op ? -1 : 1)
}

async function readStory(view: Pick<JournalView, 'records'>, op: string): Promise<StoryRecord[]> {
  const records: StoryRecord[] = []
  for await (const record of view.records({op})) {
    const told = tell(record)
    if (told) records.push(told)
  }
  return records
}

/** Of the records that are about an operation, those that change its state. */
function tell(record: JournalRecord): StoryRecord | undefined {
  switch (record.type) {
    case 'started':
      return {atMs: record.at, state: 'started'}
    case 'task_running':
      return {atMs: record.at, state: 'task_running', upid: record.upid}
    case 'succeeded':
    case 'failed':
    case 'satisfied':
    case 'superseded':
    case 'abandoned':
    case 'quarantined':
      return {atMs: record.at, state: record.type, by: record.by, reason: record.reason}
    default:
      return undefined
  }
}
