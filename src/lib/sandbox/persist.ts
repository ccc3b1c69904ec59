// The cluster's state as text and back, for a sandbox that outlives its process. It touches nothing but its
// argument. What was running when the text was written died with its process, and reads back so.
import type {ClusterState, Guest} from './state.ts'

interface SavedState extends Omit<ClusterState, 'guests'> {
  guests: Guest[]
}

export function encodeState(state: ClusterState): string {
  const saved: SavedState = {...state, guests: [...state.guests.values()]}
  return `${JSON.stringify(saved)}\n`
}

export function decodeState(text: string): ClusterState {
  const saved = JSON.parse(text) as SavedState
  for (const task of saved.tasks) {
    if (task.endtime !== undefined) continue
    task.exitstatus = 'unexpected status'
    task.endtime = task.starttime
  }
  return {...saved, guests: new Map(saved.guests.map((g) => [g.vmid, g]))}
}
