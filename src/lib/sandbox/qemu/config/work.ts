// Where a change of a machine's config happens, on whose behalf, and who hears of it.
import type {Subject} from '../../access/permissions.ts'
import type {Cluster} from '../../cluster.ts'

export interface Work {
  cluster: Cluster
  node: string
  vmid: number
  /** Who asked. Absent when waiting changes are applied at a start: what was queued was checked then. */
  subject?: Subject
  /** A line of the task's log; a synchronous call has none. */
  log(line: string): void
}
