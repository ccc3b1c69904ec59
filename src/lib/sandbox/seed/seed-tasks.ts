// Reads a list of finished tasks, newest first as the API lists them, into the state's order, oldest first.
import {parseUpid} from '../tasks/upid.ts'
import type {SeedObject} from './seed-reader.ts'
import type {Task} from '../state.ts'

export function parseTasks(rows: SeedObject[]): Task[] {
  return rows.map(readTask).reverse()
}

function readTask(row: SeedObject): Task {
  const upid = row.text('upid')
  const parsed = parseUpid(upid) ?? row.fail('upid', `is no UPID: ${upid}`)
  const exitstatus = row.text('status', 'OK')
  const verdict = exitstatus === 'OK' ? 'TASK OK' : `TASK ERROR: ${exitstatus}`
  return {upid, ...parsed, exitstatus, endtime: row.number('endtime', parsed.starttime), log: [verdict]}
}
