// A task's identity, UPID:node:pid:pstart:starttime:type:id:user: with its numbers in hex. The text is the
// identity: it is kept as it came, since some of its fields may be written in more than one way.
import {FelhomError} from './felhom-error.ts'

export interface Upid {
  /** The whole UPID exactly as Proxmox gave it. */
  readonly text: string
  readonly node: string
  readonly pid: number
  readonly pstart: number
  /** Epoch seconds. */
  readonly starttime: number
  readonly type: string
  /** Often a vmid, of a clone the source's; may be empty. */
  readonly id: string
  /** user@realm, or user@realm!name of a token. */
  readonly user: string
}

// pstart counts in hundredths of a second since boot and outgrows eight digits after 497 days.
const UPID =
  /^UPID:([a-zA-Z0-9](?:[a-zA-Z0-9-]{0,61}[a-zA-Z0-9])?):([0-9A-Fa-f]{8}):([0-9A-Fa-f]{8,9}):([0-9A-Fa-f]{8}):([^:\s/]+):([^:\s/]*):([^:\s/]+@[A-Za-z][A-Za-z0-9._-]+(?:![A-Za-z][A-Za-z0-9._-]+)?):$/

/** The fields of a UPID, or undefined if the text is none. */
export function readUpid(text: string): Upid | undefined {
  const match = UPID.exec(text)
  if (!match) return undefined
  const [, node = '', pid = '', pstart = '', starttime = '', type = '', id = '', user = ''] = match
  const hex = (digits: string): number => Number.parseInt(digits, 16)
  return {text, node, pid: hex(pid), pstart: hex(pstart), starttime: hex(starttime), type, id, user}
}

export function parseUpid(text: string): Upid {
  const upid = readUpid(text)
  if (upid) return upid
  throw new FelhomError('bad_answer', `not a task id: ${JSON.stringify(text.slice(0, 200))}`)
}

export function formatUpid(upid: Omit<Upid, 'text'>): string {
  const hex = (value: number): string => value.toString(16).toUpperCase().padStart(8, '0')
  const numbers = [upid.pid, upid.pstart, upid.starttime].map(hex).join(':')
  return `UPID:${upid.node}:${numbers}:${upid.type}:${upid.id}:${upid.user}:`
}
