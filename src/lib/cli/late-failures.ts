// A plugin that starts something and waits for it nowhere has Node end the process when that fails, in the middle of a
// run. Here it ends as at SIGTERM: nothing new is begun, what runs is awaited; and it is no success. All of this is in
// force only where a plugin is installed; what fails late elsewhere is a bug of felhom.
import {describeThrown} from '../plugin/describe-thrown.ts'
import {FelhomError} from '../model/felhom-error.ts'
import {EXIT} from './exit-codes.ts'
import {endInOrder, reasonToEnd} from './ordered-end.ts'
import {reportFailure} from './report-failure.ts'
import {allowEnd} from './silent-end.ts'

export function endOnLateFailures(asJson: boolean): void {
  // What was thrown has left work half done, of whoever it was: nothing more is begun, nor waited for.
  process.on('uncaughtException', (thrown) => {
    // Of output that is lost a plugin's copy of oclif throws the error once more.
    if (isCauseOfEnd(thrown)) return
    end(report(thrown, 'The process has ended at once.'))
  })
  process.on('unhandledRejection', (reason) => {
    // A command that only reads may end at once.
    const error = report(reason, 'Nothing new is begun.')
    if (!endInOrder(error)) end(error)
  })
  const end = (error: FelhomError): void => {
    allowEnd()
    if (asJson) reportFailure(error, {asJson})
    process.exit(EXIT.invalid)
  }
}

function report(cause: unknown, doubt: string): FelhomError {
  const message = `something failed that nobody waits for, and that a plugin may have started: ${describeThrown(cause)}`
  const error = new FelhomError('plugin_failed', message, {
    cause,
    hint: 'A function of a plugin has to return or await what it starts. Mend or remove it: felhom plugins list',
    doubt: `${doubt} What was sent is in the journal: felhom journal inflight`,
  })
  // At once, and not as the one envelope of --json: what runs may be awaited before that is due.
  reportFailure(error, {asJson: false})
  return error
}

function isCauseOfEnd(thrown: unknown): boolean {
  const why = reasonToEnd()
  return why !== undefined && why.cause === thrown
}
