// The task of a request whose answer never came. It is found as a set difference, without any clock: tasks of the
// right type, of our token and about this guest, which were not listed before the request and are nobody else's.
import type {GuestKind} from '../model/guest.ts'
import type {Intent} from '../model/operation.ts'
import type {TaskEntry} from '../model/task.ts'
import type {Upid} from '../model/upid.ts'
import type {Journal, TaskReader} from './ports.ts'

const PREFIX: Readonly<Record<GuestKind, string>> = {lxc: 'vz', qemu: 'qm'}

/** The types of task that the request of an operation can start; a config write starts none. */
export function taskTypes({body, target}: Intent): readonly string[] {
  const own = PREFIX[target.kind]
  switch (body.type) {
    case 'start':
      return [`${own}start`, 'hastart']
    case 'shutdown':
      return [`${own}shutdown`, `${own}stop`, 'hastop']
    case 'restart':
      return [`${own}reboot`]
    case 'resize':
      return ['resize']
    case 'destroy':
      return [`${own}destroy`]
    case 'snapshot-delete':
      return [`${own}delsnapshot`]
    case 'snapshot-rollback':
      return [`${own}rollback`]
    case 'create':
      return [`${own}${'clone' in body.from ? 'clone' : 'restore' in body.from ? 'restore' : 'create'}`]
    case 'set-config':
    case 'job':
      return []
  }
}

/** Of a clone the source's number. */
export function taskVmid({body, target}: Intent): number {
  return body.type === 'create' && 'clone' in body.from ? body.from.clone : target.vmid
}

/** Where the request was sent, and so where its task is. */
export function taskNode({body, target}: Intent): string {
  return body.type === 'create' ? (body.sourceNode ?? target.node) : target.node
}

export interface OrphanSearch {
  readonly reader: Pick<TaskReader, 'listTasks'>
  readonly journal: Pick<Journal, 'knowsTask' | 'openOperations'>
  readonly tokenId: string
}

export interface Orphans {
  readonly tasks: readonly TaskEntry[]
  /** Another operation without an answer could have started one of them as well. */
  readonly isContested: boolean
}

export async function findOrphans(
  intent: Intent,
  nodes: readonly string[],
  {reader, journal, tokenId}: OrphanSearch,
): Promise<Orphans> {
  const filter = {vmid: taskVmid(intent), source: 'all', limit: 500} as const
  const lists = await Promise.all([...new Set(nodes)].map((node) => reader.listTasks(node, filter)))
  const tasks = lists
    .flat()
    .filter(({upid}) => couldBe(intent, upid, tokenId) && !journal.knowsTask(upid.text))
  const rivals = journal
    .openOperations()
    .filter((one) => one.upid === undefined && one.intent.op !== intent.op)
  const isContested = tasks.some(({upid}) => rivals.some((one) => couldBe(one.intent, upid, tokenId)))
  return {tasks, isContested}
}

function couldBe(intent: Intent, upid: Upid, tokenId: string): boolean {
  return (
    upid.user === tokenId &&
    upid.id === String(taskVmid(intent)) &&
    taskTypes(intent).includes(upid.type) &&
    !intent.knownTasks.includes(upid.text)
  )
}
