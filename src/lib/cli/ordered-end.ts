// An end that no signal asks for, because something failed besides the command: nothing new is begun, and what runs is
// awaited. It is none of the user's signals, so that the first of these still counts as the first.
import type {FelhomError} from '../model/felhom-error.ts'
import {exitCodeFor} from './describe-error.ts'

type Stop = (why: FelhomError) => void

let reason: FelhomError | undefined
const stops = new Set<Stop>()

/** Why the process ends, whatever becomes of its command; undefined: it need not. */
export const reasonToEnd = (): FelhomError | undefined => reason

/** For who can end in order; until the returned function is called. */
export function onOrderedEnd(stop: Stop): () => void {
  stops.add(stop)
  return () => {
    stops.delete(stop)
  }
}

/** The first reason counts, for the exit code too. False: nobody is there who would end in order. */
export function endInOrder(why: FelhomError): boolean {
  if (reason === undefined) {
    reason = why
    process.on('exit', () => {
      process.exitCode = exitCodeFor(why)
    })
  }
  for (const stop of stops) stop(reason)
  return stops.size > 0
}
