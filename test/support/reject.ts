// Awaits a rejection and hands back the error, so that a test can look at all of it.
import {FelhomError} from '../../src/lib/model/felhom-error.ts'

export async function rejection(work: Promise<unknown>): Promise<FelhomError> {
  try {
    await work
  } catch (error) {
    if (error instanceof FelhomError) return error
    throw error
  }
  throw new Error('expected a rejection, but the work succeeded')
}
