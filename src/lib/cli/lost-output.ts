// Output that nobody gets. Whoever closed the pipe does not want to read on; that is no failure. A disk that is full is
// one: nobody would see what was done, so that nothing more is begun.
import {FelhomError} from '../model/felhom-error.ts'
import {EXIT} from './exit-codes.ts'
import {endInOrder} from './ordered-end.ts'
import {reportFailure} from './report-failure.ts'
import {allowEnd} from './silent-end.ts'

export function watchOutput(): void {
  let isLost = false
  // oclif's own listener throws in the middle of its code.
  process.stdout.removeAllListeners('error')
  for (const stream of [process.stdout, process.stderr])
    stream.on('error', (error: NodeJS.ErrnoException) => {
      if (error.code === 'EPIPE' || isLost) return
      isLost = true
      endWithout(error)
    })
}

function endWithout(cause: Error): void {
  const error = new FelhomError('unexpected', `the output could not be written: ${cause.message}`, {
    cause,
    doubt: 'Nothing new is begun. What was sent is in the journal: felhom journal inflight',
    hint: 'Make room, or send the output elsewhere.',
  })
  reportFailure(error, {asJson: false})
  if (endInOrder(error)) return
  allowEnd()
  process.exit(EXIT.unexpected)
}
