// Why a task failed, in its own words: the exit status, and the last lines of its log before it.
import type {TaskLog} from '../model/task.ts'
import type {Upid} from '../model/upid.ts'
import type {TaskReader} from './ports.ts'

const LINES = 5
/** Most logs are shorter: then one question is enough. */
const PAGE = 500

export async function describeTaskFailure(
  upid: Upid,
  exit: string,
  reader: Pick<TaskReader, 'taskLog'>,
): Promise<string> {
  const lines = await lastLines(upid, reader)
  const told = lines.filter((line) => line.trim() !== '' && !line.startsWith('TASK ERROR:')).slice(-LINES)
  const summary = `the task ended with: ${exit}`
  return told.length === 0 ? summary : `${summary}; its log before that: ${told.join(' | ')}`
}

/** A log that cannot be read is no reason to say nothing. */
async function lastLines(upid: Upid, reader: Pick<TaskReader, 'taskLog'>): Promise<string[]> {
  try {
    const first = await reader.taskLog(upid, {limit: PAGE})
    if (first.total <= PAGE) return textsOf(first)
    return textsOf(await reader.taskLog(upid, {start: first.total - LINES - 1, limit: LINES + 1}))
  } catch {
    return []
  }
}

const textsOf = ({lines}: TaskLog): string[] => lines.map(({text}) => text)
