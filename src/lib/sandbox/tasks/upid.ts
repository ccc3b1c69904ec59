// The unique id of a task: UPID:node:pid:pstart:starttime:type:id:user: with the numbers in upper-case hex.

export interface Upid {
  node: string
  pid: number
  pstart: number
  /** Epoch seconds. */
  starttime: number
  type: string
  id: string
  /** user@realm or user@realm!token. */
  user: string
}

const FORM =
  /^UPID:([a-zA-Z0-9]([a-zA-Z0-9-]*[a-zA-Z0-9])?):([0-9A-Fa-f]{8}):([0-9A-Fa-f]{8,9}):([0-9A-Fa-f]{8}):([^:\s]+):([^:\s]*):([^:\s]+):$/

export function parseUpid(text: string): Upid | undefined {
  const m = FORM.exec(text)
  if (!m) return undefined
  const [, node = '', , pid = '', pstart = '', starttime = '', type = '', id = '', user = ''] = m
  const hex = (digits: string): number => parseInt(digits, 16)
  return {node, pid: hex(pid), pstart: hex(pstart), starttime: hex(starttime), type, id, user}
}

export function formatUpid(u: Upid): string {
  const hex = (n: number): string => n.toString(16).toUpperCase().padStart(8, '0')
  return `UPID:${u.node}:${hex(u.pid)}:${hex(u.pstart)}:${hex(u.starttime)}:${u.type}:${u.id}:${u.user}:`
}
