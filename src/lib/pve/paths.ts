// Paths and parameters of the API. Every segment is checked by its grammar and encoded before it becomes part
// of a path, so that no name from a file or an answer can reach another path than the one meant.
import {isNodeName, isVmid, type GuestAddress} from '../model/guest.ts'
import {FelhomError} from '../model/felhom-error.ts'
import type {Upid} from '../model/upid.ts'

declare const apiPath: unique symbol
/** A path below /api2/json whose segments are encoded. */
export type ApiPath = string & {readonly [apiPath]: true}

export type Params = Readonly<Record<string, string | number | undefined>>

/** Joins segments, each of them encoded. Dots alone would climb, and encoding leaves them as they are. */
export function joinPath(...segments: string[]): ApiPath {
  const climbing = segments.find((segment) => /^\.{0,2}$/.test(segment))
  if (climbing !== undefined) throw malformedPart('path segment', climbing)
  return `/api2/json/${segments.map(encodeURIComponent).join('/')}` as ApiPath
}

export function nodePath(node: string, ...tail: string[]): ApiPath {
  if (!isNodeName(node)) throw malformedPart('node name', node)
  return joinPath('nodes', node, ...tail)
}

export function guestPath({node, kind, vmid}: GuestAddress, ...tail: string[]): ApiPath {
  if (!isVmid(vmid)) throw malformedPart('guest number', String(vmid))
  return nodePath(node, kind, String(vmid), ...tail)
}

export function taskPath(upid: Upid, tail: 'status' | 'log'): ApiPath {
  return nodePath(upid.node, 'tasks', upid.text, tail)
}

export function pathWithQuery(path: ApiPath, query: Params | undefined): string {
  if (query === undefined) return path
  const encoded = formEncode(query)
  return encoded === '' ? path : `${path}?${encoded}`
}

export function formEncode(params: Params): string {
  const form = new URLSearchParams()
  for (const [name, value] of Object.entries(params)) {
    if (value !== undefined) form.append(name, String(value))
  }
  return form.toString()
}

export function malformedPart(what: string, text: string): FelhomError {
  return new FelhomError('usage', `not a ${what}: ${JSON.stringify(text.slice(0, 100))}`, {
    doubt: 'No request was sent.',
  })
}
