// Reads a saved plan back, or says what is wrong with the file.
import {readFileSync} from 'node:fs'
import {resolve} from 'node:path'
import {FelhomError} from '../model/felhom-error.ts'
import type {Plan} from '../model/plan.ts'
import {decodePlan} from '../report/decode-plan.ts'

export function readPlan(cwd: string, file: string): Plan {
  const path = resolve(cwd, file)
  const decoded = decodePlan(parse(path))
  if ('plan' in decoded) return decoded.plan
  throw refuse(path, decoded.problem)
}

function parse(path: string): unknown {
  try {
    return JSON.parse(readFileSync(path, 'utf8'))
  } catch (error) {
    throw refuse(path, (error as Error).message, error)
  }
}

const refuse = (path: string, why: string, cause?: unknown): FelhomError =>
  new FelhomError('usage', `the saved plan ${path} cannot be used: ${why}`, {
    cause,
    hint: 'Make one with: felhom plan --out FILE',
  })
