// A JSON file from outside, or why it cannot be used; `refuse` words the error of whoever asked for it.
import {readFileSync} from 'node:fs'
import type {FelhomError} from '../model/felhom-error.ts'

export type Refuse = (path: string, why: string, cause?: unknown) => FelhomError

export function readJsonFile(path: string, refuse: Refuse): unknown {
  try {
    return JSON.parse(readFileSync(path, 'utf8'))
  } catch (error) {
    throw refuse(path, (error as Error).message, error)
  }
}
