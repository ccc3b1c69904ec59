// The recorded API schema: which methods exist, what they take and who may call them. It touches nothing but
// the data file. It guarantees one shared object per method, so that compiled validators can be cached on it.
import apiSchema from '../../catalog/data/api-schema.json' with {type: 'json'}
import {extraMethods} from './extra-methods.ts'
import type {Method} from '../call.ts'
import type {MethodSchema} from './types.ts'

export type {MethodSchema, ObjectFormat, Permissions, Schema} from './types.ts'

const paths = {...apiSchema.paths, ...extraMethods} as unknown as Record<
  string,
  Partial<Record<Method, MethodSchema>>
>

/** `path` is the pattern of the route, /nodes/{node}/lxc/{vmid}/config. */
export function methodSchema(path: string, method: string): MethodSchema | undefined {
  return paths[path]?.[method as Method]
}

/** Every path pattern, in the order of the data file. */
export function schemaPaths(): string[] {
  return Object.keys(paths)
}

/** Every method of every path. */
export function schemaMethods(): {path: string; method: Method}[] {
  return Object.entries(paths).flatMap(([path, methods]) =>
    Object.keys(methods).map((method) => ({path, method: method as Method})),
  )
}
