// A request as those who count requests know it: which call it was, not of which guest, and how it ended.
import type {ErrorCode} from '../model/error-codes.ts'
import type {HttpMethod} from './send-request.ts'

export interface ObservedRequest {
  readonly method: HttpMethod
  /** `/nodes/{node}/lxc/{vmid}/config`: there are as many as there are calls. */
  readonly route: string
  /** Absent: no answer came. */
  readonly status?: number
  /** Absent: it was a success. */
  readonly errorCode?: ErrorCode
  readonly ms: number
}

/** Must not throw. */
export type RequestObserver = (request: ObservedRequest) => void

/** The segment after each of these is a name. */
const NAMED_BY: Readonly<Record<string, string>> = {
  nodes: '{node}',
  lxc: '{vmid}',
  qemu: '{vmid}',
  tasks: '{upid}',
  snapshot: '{snapname}',
  storage: '{storage}',
  content: '{volume}',
  users: '{userid}',
  token: '{tokenid}',
}

/** The path without `/api2/json` and its query, with every name in it replaced by what it names. */
export function routeOf(path: string): string {
  const guest = MOST_ASKED.exec(path)
  if (guest) return `/nodes/{node}/${String(guest[1])}/{vmid}/${String(guest[2])}`
  return spellOut(path)
}

/** One for each guest of a pass; all others are few. A node or kind of an odd name is spelled out like them. */
const MOST_ASKED = /^\/api2\/json\/nodes\/[^/?]+\/(lxc|qemu)\/\d+\/(config|pending)(?:\?|$)/

function spellOut(path: string): string {
  const [, ...segments] = (path.split('?', 1)[0] ?? '').replace(/^\/api2\/json/, '').split('/')
  let route = ''
  let name: string | undefined
  for (const segment of segments) {
    route += `/${name ?? segment}`
    // A node may be called `lxc`: what is a name itself says nothing about what follows.
    name = name === undefined && Object.hasOwn(NAMED_BY, segment) ? NAMED_BY[segment] : undefined
  }
  return route
}
