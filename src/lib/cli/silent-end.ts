// A promise that nothing is left to settle lets the process end as though all had been done.
import {reportFailure} from './report-failure.ts'

/** Until the returned function is called, such an end is reported and is no success. */
export function refuseSilentEnd(asJson: boolean): () => void {
  const onEnd = (): void => {
    const error = new Error('the command waits for something that nothing is left to bring about')
    reportFailure(error, {asJson})
  }
  process.once('beforeExit', onEnd)
  return () => process.off('beforeExit', onEnd)
}
