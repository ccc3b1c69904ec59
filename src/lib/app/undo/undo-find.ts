// Which run is to be undone: the one that is named, or the latest that changed something that can be brought back.
import {FelhomError} from '../../model/felhom-error.ts'
import type {Operation} from '../../model/operation.ts'
import {isUndoable} from '../../plan/plan-undo.ts'
import {findInJournal} from '../journal/journal-find.ts'
import type {JournalView} from '../journal/journal-view.ts'

type History = Pick<JournalView, 'operations' | 'records'>

/** Throws `usage` unless the name means one run. */
export async function findNamedRun(view: History, name: string): Promise<string> {
  const found = await findInJournal(view, name)
  if (found.kind === 'run') return found.run
  throw new FelhomError('usage', `${found.story.operation.intent.op} is an operation, not a run`, {
    hint: `A run is undone as a whole: felhom undo ${found.story.operation.intent.run}`,
    doubt: 'Nothing was changed.',
  })
}

export interface LatestRun {
  /** Undefined: no run of the journal has anything to undo. */
  readonly run: string | undefined
  /** A newer one that has nothing to undo. */
  readonly newer: string | undefined
}

interface Traces {
  readonly run: string
  atMs: number
  readonly created: Set<number>
  /** Guests with something that can be brought back. */
  readonly changed: Set<number>
}

/** A run ends before another begins, but for what recover settles later: this many are kept in mind at a time. */
const MOST_RUNS = 64

/** However long the history is, it is read once and not kept. */
export async function findLatestRun(view: Pick<History, 'operations'>): Promise<LatestRun> {
  const recent = new Map<string, Traces>()
  let newest: Traces | undefined
  let best: Traces | undefined
  const conclude = (traces: Traces): void => {
    if (isNewer(traces, newest)) newest = traces
    if (hasWayBack(traces) && isNewer(traces, best)) best = traces
  }
  for await (const operation of view.operations()) {
    const {run} = operation.intent
    const traces = recent.get(run) ?? {run, atMs: 0, created: new Set(), changed: new Set()}
    recent.set(run, traces)
    note(traces, operation)
    const [oldest] = recent.values()
    if (recent.size <= MOST_RUNS || !oldest) continue
    recent.delete(oldest.run)
    conclude(oldest)
  }
  for (const traces of recent.values()) conclude(traces)
  return {run: best?.run, newer: newest?.run === best?.run ? undefined : newest?.run}
}

const isNewer = (traces: Traces, than: Traces | undefined): boolean => !than || traces.atMs > than.atMs

function note(traces: Traces, operation: Operation): void {
  const {target, body, atMs} = operation.intent
  traces.atMs = Math.max(traces.atMs, atMs)
  if (body.type === 'create') traces.created.add(target.vmid)
  else if (isUndoable(operation)) traces.changed.add(target.vmid)
}

/** What was done to a guest after the run created it goes with the guest. */
const hasWayBack = ({changed, created}: Traces): boolean => [...changed].some((vmid) => !created.has(vmid))
