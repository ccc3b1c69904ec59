// One API call as a handler sees it: who calls, with which validated parameters, on which cluster.
import type {Cluster} from './cluster.ts'
import type {MethodSchema} from './schema/types.ts'

export type Method = 'GET' | 'POST' | 'PUT' | 'DELETE'

/** Parameters are text, as Perl's scalars are; lists come from JSON bodies and repeated keys; null from JSON. */
export type ParamValue = string | string[] | null
export type Params = Record<string, ParamValue>

/** The authenticated caller. `userid` without, `authid` with the token: root@pam, root@pam!felhom. */
export interface Principal {
  userid: string
  authid: string
  tokenName?: string
}

export interface Call {
  cluster: Cluster
  principal: Principal
  method: Method
  /** Pattern of the route, /nodes/{node}/lxc/{vmid}/config. */
  route: string
  /** Path and body parameters together, already validated against the schema. */
  params: Params
  /** Further top-level keys of the answer beside `data`, for example `total`. */
  meta: Record<string, unknown>
}

/** Returns what stands under `data`; throws a PveError. */
export type Handler = (call: Call) => unknown

export interface Route {
  method: Method
  path: string
  handler: Handler
  /** Where the recorded schema has none. */
  schema?: MethodSchema
  /** In place of the schema's permission check, where Proxmox checks in code. */
  check?: (call: Call) => void
}

/** A text parameter that the schema has already required. */
export function text(call: Call, name: string): string {
  const value = call.params[name]
  return typeof value === 'string' ? value : ''
}

export function optionalText(call: Call, name: string): string | undefined {
  const value = call.params[name]
  return typeof value === 'string' ? value : undefined
}

export function flag(call: Call, name: string): boolean {
  return optionalText(call, name) === '1'
}

export const vmidOf = (call: Call): number => Number(text(call, 'vmid'))
export const nodeOf = (call: Call): string => text(call, 'node')
