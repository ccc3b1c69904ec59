// Ends of the process that say nothing of what was left undone: a promise that nothing is left to settle, and code of a
// plugin that ends the process by itself, under whatever code.
import {FelhomError} from '../model/felhom-error.ts'
import {reportFailure} from './report-failure.ts'

let mayEnd = false

/** For who ends the process by itself and means it: felhom, where it says so, and a plugin's own command. */
export function allowEnd(): void {
  mayEnd = true
}

/** Until the returned function is called, such an end is reported and is no success. */
export function refuseSilentEnd(asJson: boolean): () => void {
  const onIdle = (): void => {
    const message = 'the command waits for something that nothing is left to bring about'
    const hint = 'This is a bug, in felhom or in a plugin: felhom plugins list. Please report it.'
    report(new FelhomError('unexpected', message, {hint, doubt: DOUBT}))
  }
  const onExit = (): void => {
    if (mayEnd) return
    const message = 'something ended the process before the command had come to its end'
    const hint = 'Only code of a plugin can have done that. Mend or remove it: felhom plugins list'
    report(new FelhomError('plugin_failed', message, {hint, doubt: DOUBT}))
  }
  const report = (error: FelhomError): void => {
    hasEnded()
    reportFailure(error, {asJson})
  }
  const hasEnded = (): void => {
    process.off('beforeExit', onIdle).off('exit', onExit)
  }
  process.on('beforeExit', onIdle).on('exit', onExit)
  // Node itself ends the process then, and says why.
  process.once('uncaughtExceptionMonitor', allowEnd)
  return hasEnded
}

const DOUBT =
  'What it was about to do next was not done. What was sent is in the journal: felhom journal inflight'
