// What a pass is told when it is to end: a reason of our own, so that whatever it breaks off with says that it was
// interrupted and is not taken for a bug.
import {FelhomError} from '../../model/felhom-error.ts'

/** Follows `stop`. */
export function withReason(stop: AbortSignal): AbortSignal {
  const own = new AbortController()
  const pass = (): void => own.abort(new FelhomError('interrupted', `told to end by ${String(stop.reason)}`))
  if (stop.aborted) pass()
  else stop.addEventListener('abort', pass, {once: true})
  return own.signal
}
