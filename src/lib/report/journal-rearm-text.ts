// Why destructive work is refused, for somebody who has to say whether it may go on: tasks of our own token that the
// journal does not know, or a repair that may have lost some.
import {readUpid, type Upid} from '../model/upid.ts'
import {escapeText} from './escape-text.ts'
import {showAge, showTime} from './journal-times.ts'
import type {Palette} from './palette.ts'
import {renderColumns, wrapText, type Cell} from './text-table.ts'

export interface RearmOptions {
  readonly palette: Palette
  readonly width: number
  readonly nowMs: number
}

/** An alarm is a task id, or a sentence about the journal itself. */
export function renderAlarms(alarms: readonly string[], options: RearmOptions): string {
  if (alarms.length === 0) return 'Nothing is disarmed.'
  const {tasks, notes} = separate(alarms)
  const {width} = options
  return [
    ...notes.map((note) => wrapText(escapeText(`Destructive work is refused: ${note}.`), width)),
    ...(tasks.length > 0 ? [renderTasks(tasks, options)] : []),
  ].join('\n\n')
}

/** Said as a warning: it concerns what comes, not what was recovered. */
export function describeAlarms(alarms: readonly string[]): string | undefined {
  if (alarms.length === 0) return undefined
  const {tasks, notes} = separate(alarms)
  const count = tasks.length === 1 ? '1 task' : `${tasks.length} tasks`
  const causes = [
    ...notes,
    ...(tasks.length > 0 ? [`Proxmox shows ${count} of this token that the journal does not know`] : []),
  ]
  return `Nothing destructive is done until you have looked into this with felhom journal rearm: ${causes.join('; ')}.`
}

function separate(alarms: readonly string[]): {tasks: Upid[]; notes: string[]} {
  const tasks = alarms.map(readUpid).filter((upid) => upid !== undefined)
  return {tasks, notes: alarms.filter((alarm) => readUpid(alarm) === undefined)}
}

function renderTasks(tasks: readonly Upid[], {palette, width, nowMs}: RearmOptions): string {
  const intro = `Proxmox has shown ${tasks.length === 1 ? 'this task' : 'these tasks'} of felhom's own token, which the journal does not know. Either the state directory is older than they are, or somebody else uses the token.`
  const header = ['STARTED', 'AGE', 'NODE', 'TYPE', 'GUEST'].map((text): Cell => ({text, paint: palette.dim}))
  const rows = tasks.map(({starttime, node, type, id}) => {
    const startMs = starttime * 1000
    const cells = [showTime(startMs), showAge(startMs, nowMs), node, type, id || '-']
    return cells.map((text): Cell => ({text}))
  })
  return [wrapText(intro, width), '', ...renderColumns([header, ...rows])].join('\n')
}
