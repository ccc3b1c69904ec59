// Faults on demand: what a network and a server do to a client on a bad day, once or several times, for the
// requests that match.
//
// `path` is a pattern over the path of the API without its query: `/nodes/pve/lxc/101/config`, with or without
// the leading `/api2/json`. `*` stands for anything and `{name}` for one part of the path; a pattern with
// `\`, `^`, `$`, `(`, `[`, `|`, `+`, `?` or `.*` is a JavaScript regular expression instead, found anywhere.
import {
  asObject,
  choiceField,
  ControlError,
  integerField,
  refuseUnknownFields,
  textField,
} from './json-fields.ts'

const KINDS = ['status', 'reset', 'stall', 'cut', 'delay'] as const
const METHODS = ['GET', 'POST', 'PUT', 'DELETE', '*'] as const
const FIELDS = ['method', 'path', 'kind', 'status', 'ms', 'afterBytes', 'when', 'times'] as const
const NEEDED: Partial<Record<(typeof KINDS)[number], 'status' | 'ms'>> = {status: 'status', delay: 'ms'}
const TAKEN: Record<(typeof KINDS)[number], readonly string[]> = {
  status: ['status'],
  reset: [],
  stall: ['ms'],
  cut: ['afterBytes'],
  delay: ['ms'],
}

export interface Fault {
  method: string
  path: string
  pattern: RegExp
  kind: (typeof KINDS)[number]
  /** The effect of the request: not yet, or done although the client never learns it. */
  when: 'before' | 'after'
  status?: number
  ms?: number
  afterBytes?: number
  /** How many more requests it strikes. */
  times: number
}

export class Faults {
  #armed: Fault[] = []

  add(fault: Fault): void {
    this.#armed.push(fault)
  }

  clear(): void {
    this.#armed = []
  }

  /** The first armed fault that matches; it counts as used. */
  take(method: string, url: string): Fault | undefined {
    if (this.#armed.length === 0) return undefined
    const full = decode(url.split('?', 1)[0] ?? '')
    const path = full.replace(/^\/api2\/[a-z0-9]+/, '')
    const fault = this.#armed.find(
      (f) => (f.method === '*' || f.method === method) && (f.pattern.test(path) || f.pattern.test(full)),
    )
    if (fault && --fault.times === 0) this.#armed = this.#armed.filter((f) => f !== fault)
    return fault
  }
}

function decode(path: string): string {
  try {
    return decodeURIComponent(path)
  } catch {
    return path
  }
}

export function parseFault(value: unknown): Fault {
  const json = asObject(value, '"fault"')
  refuseUnknownFields(json, FIELDS, '"fault"')
  const kind = choiceField(json, 'kind', KINDS)
  const needed = NEEDED[kind]
  if (needed && json[needed] === undefined)
    throw new ControlError(`a fault of kind ${kind} needs "${needed}"`)
  for (const field of ['status', 'ms', 'afterBytes']) {
    if (json[field] !== undefined && !TAKEN[kind].includes(field)) {
      throw new ControlError(`a fault of kind ${kind} takes no "${field}"`)
    }
  }
  const path = json['path'] === undefined ? '*' : textField(json, 'path')
  return {
    kind,
    path,
    pattern: compilePattern(path),
    method: json['method'] === undefined ? '*' : choiceField(json, 'method', METHODS),
    when: json['when'] === undefined ? 'before' : choiceField(json, 'when', ['before', 'after']),
    times: json['times'] === undefined ? 1 : integerField(json, 'times', 1),
    ...(json['status'] !== undefined && {status: integerField(json, 'status', 200, 599)}),
    ...(json['ms'] !== undefined && {ms: integerField(json, 'ms', 0, 3_600_000)}),
    ...(json['afterBytes'] !== undefined && {afterBytes: integerField(json, 'afterBytes', 0)}),
  }
}

function compilePattern(pattern: string): RegExp {
  if (/[\\^$([|+?]|\.\*/.test(pattern)) {
    try {
      return new RegExp(pattern)
    } catch {
      throw new ControlError(`"path" is not a valid regular expression: ${pattern}`)
    }
  }
  const parts = pattern.split(/(\*+|\{[^}/]*\})/).map((part) => {
    if (part.startsWith('*')) return '.*'
    return /^\{.*\}$/.test(part) ? '[^/]+' : part.replace(/[.*+?^${}()|[\]\\]/g, '\\$&')
  })
  return new RegExp(`^${parts.join('')}$`)
}
