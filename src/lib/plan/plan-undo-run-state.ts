// Running or stopped, as it was before a run.
import type {ActualGuest, RunState} from '../model/actual.ts'
import type {Operation} from '../model/operation.ts'
import type {OwnRemark} from './plan-undo-remark.ts'

export interface RunStateBack {
  readonly run?: 'running' | 'stopped'
  readonly remarks: readonly OwnRemark[]
}

/** `operations`: those of one guest that had an effect, oldest first. */
export function undoRunState(operations: readonly Operation[], guest: ActualGuest): RunStateBack {
  const power = operations.filter(({intent: {body}}) => body.type === 'start' || body.type === 'shutdown')
  const [first, last] = [power[0], power.at(-1)]
  const restarts = operations.some(({intent}) => intent.body.type === 'restart') ? [RESTARTED] : []
  if (!first || !last) return {remarks: restarts}
  const back = comeBack(stateBefore(first), stateAfter(last), guest.run)
  return {...back, remarks: [...restarts, ...back.remarks]}
}

const RESTARTED: OwnRemark = {
  code: 'restart',
  subject: 'run',
  message: 'it was restarted: that cannot be taken back',
}

const stateAfter = ({intent}: Operation): 'running' | 'stopped' =>
  intent.body.type === 'start' ? 'running' : 'stopped'

const stateBefore = ({intent: {before, body}}: Operation): Exclude<RunState, 'unknown'> => {
  if (before.run !== 'unknown') return before.run
  return body.type === 'start' ? 'stopped' : 'running'
}

function comeBack(was: Exclude<RunState, 'unknown'>, given: RunState, now: RunState): RunStateBack {
  if (was === given || was === now) return {remarks: []}
  if (was === 'paused')
    return remark('paused', 'it was paused before it was shut down, and felhom pauses no guest')
  if (now === given) return {run: was, remarks: []}
  const message =
    now === 'unknown' ? 'whether it runs is not known: left alone' : `it is ${now} now: left alone`
  return remark('changed_since', message)
}

const remark = (code: OwnRemark['code'], message: string): RunStateBack => ({
  remarks: [{code, subject: 'run', message}],
})
