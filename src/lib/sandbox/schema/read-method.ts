// Reading methods that the recorded schema leaves out, described by their path and by who may call them.
import type {MethodSchema, Permissions, Schema} from './types.ts'

const PATH_PARAMETERS: Record<string, Schema> = {
  node: {format: 'pve-node', type: 'string'},
  vmid: {format: 'pve-vmid', maximum: 999_999_999, minimum: 100, type: 'integer'},
  realm: {format: 'pve-realm', maxLength: 32, type: 'string'},
  groupid: {format: 'pve-groupid', type: 'string'},
}

export const ANYONE: Permissions = {user: 'all'}

/** Whoever has the privilege there, with several any of them. */
export const having = (path: string, ...privileges: string[]): Permissions => ({
  check: ['perm', path, privileges, ...(privileges.length > 1 ? ['any', 1] : [])],
})

interface Options {
  permissions?: Permissions
  /** The node in the path answers, not the one that was asked. */
  onNode?: boolean
  properties?: Record<string, Schema>
}

export function readMethod(path: string, options: Options = {}): MethodSchema {
  const {permissions = ANYONE, onNode = false, properties} = options
  const names = [...path.matchAll(/\{(\w+)\}/g)].map(([, name = '']) => name)
  const inPath = Object.fromEntries(
    names.map((name): [string, Schema] => [name, PATH_PARAMETERS[name] ?? {type: 'string'}]),
  )
  return {
    name: 'index',
    permissions,
    parameters: {additionalProperties: 0, properties: {...inPath, ...properties}},
    ...(onNode && {proxyto: 'node'}),
  }
}
