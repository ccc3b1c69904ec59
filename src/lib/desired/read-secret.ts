// A secret is written as the place where it is kept, never as itself.
import {resolve} from 'node:path'
import type {SecretSource} from '../model/desired.ts'
import {isMap, type Section} from './section.ts'

const EXPECTED = '{fromFile: PATH} or {fromEnv: NAME}'
const VARIABLE = /^[A-Za-z_][A-Za-z0-9_]*$/

export const isReference = (value: unknown): boolean =>
  isMap(value) && Object.keys(value).length > 0 && Object.keys(value).every((key) => /^from/i.test(key))

export function readSecret(section: Section, key: string): SecretSource | undefined {
  const value = section.map[key]
  if (value === undefined) return undefined
  if (!isMap(value)) {
    section.complainOfValue(key, {
      code: 'secret_in_text',
      message: `'${key}' is a secret, and a secret is never written into the file itself`,
      expected: EXPECTED,
    })
    return undefined
  }
  const {fromFile, fromEnv, ...rest} = value
  if (Object.keys(rest).length === 0 && isPath(fromFile) && fromEnv === undefined)
    return {file: resolve(section.context.dir, fromFile)}
  if (Object.keys(rest).length === 0 && isVariable(fromEnv) && fromFile === undefined) return {env: fromEnv}
  section.complainOfValue(key, {
    code: 'wrong_value',
    message: `'${key}' does not say where the secret is kept`,
    expected: EXPECTED,
  })
  return undefined
}

const isPath = (value: unknown): value is string => typeof value === 'string' && value.trim() !== ''
const isVariable = (value: unknown): value is string => typeof value === 'string' && VARIABLE.test(value)
