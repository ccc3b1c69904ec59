// The cluster's state as text and back, for a sandbox that outlives its process. It touches nothing but its
// argument. What was running when the text was written died with its process, and reads back so.
import type {ClusterState, Guest, Task} from './state.ts'

const FORMAT = 'felhom-sandbox-state/1'

/** What states of earlier versions lack. */
const NEWER_FIELDS = {backupJobs: [], haRules: []}

interface SavedState {
  format: string
  state: Omit<ClusterState, 'guests'> & {guests: Guest[]}
}

export function encodeState(state: ClusterState): string {
  const saved: SavedState = {format: FORMAT, state: {...state, guests: [...state.guests.values()]}}
  return `${JSON.stringify(saved)}\n`
}

/** Throws an Error that says what is wrong with the text. */
export function decodeState(text: string): ClusterState {
  const saved = JSON.parse(text) as Partial<SavedState> | null
  if (saved?.format !== FORMAT || !saved.state) {
    throw new Error(
      `not a state of this sandbox: expected the format ${FORMAT}, got ${String(saved?.format)}`,
    )
  }
  const state: SavedState['state'] = {...NEWER_FIELDS, ...saved.state}
  for (const task of state.tasks) if (task.exitstatus === undefined) markKilled(task)
  return {...state, guests: new Map(state.guests.map((g) => [g.vmid, g]))}
}

/** Its log has no verdict, as after a power cut; the last line tells why. */
function markKilled(task: Task): void {
  task.exitstatus = 'unexpected status'
  task.endtime = task.starttime
  task.log.push('the sandbox ended while this task was running')
}
