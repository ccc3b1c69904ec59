// The report of a pass while it is being made.
import type {PassReport} from '../../model/daemon.ts'
import {FelhomError} from '../../model/felhom-error.ts'

type Mutable<T> = {-readonly [K in keyof T]: T[K]}
export type Draft = Mutable<PassReport>

export function describeProblem(error: unknown): NonNullable<PassReport['problem']> {
  if (error instanceof FelhomError) return {code: error.code, message: error.message}
  return {code: 'unexpected', message: error instanceof Error ? error.message : String(error)}
}
