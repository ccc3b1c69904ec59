// Reads a saved plan back, or says what is wrong with the file.
import {resolve} from 'node:path'
import {FelhomError} from '../../model/felhom-error.ts'
import type {Plan} from '../../model/plan.ts'
import {decodePlan} from '../../report/decode-plan.ts'
import {readJsonFile, type Refuse} from '../read-json-file.ts'

export function readPlan(cwd: string, file: string): Plan {
  const path = resolve(cwd, file)
  const decoded = decodePlan(readJsonFile(path, refuse))
  if ('plan' in decoded) return decoded.plan
  throw refuse(path, decoded.problem)
}

const refuse: Refuse = (path, why, cause) =>
  new FelhomError('usage', `the saved plan ${path} cannot be used: ${why}`, {
    cause,
    hint: 'Make one with: felhom plan --out FILE',
  })
