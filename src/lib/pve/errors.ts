// Knows what an answer of Proxmox that is no success means: which code it gets, which text it carries, and
// whether a mutation that met it can have been executed. Pure; texts are handed on as they are, for escaping
// is the task of whoever prints them.
import {FelhomError} from '../model/felhom-error.ts'
import type {Executed} from '../model/dispatch-error.ts'
import type {ErrorCode} from '../model/error-codes.ts'
import type {HttpAnswer} from './send-request.ts'

/** Longer texts are cut: Proxmox repeats whole parameter values in some errors. */
const MAX_TEXT = 2000

/** An answer with a status other than 2xx. */
export class ProxmoxError extends FelhomError {
  readonly status: number
  /** Proxmox's own words, trimmed. */
  readonly text: string
  /** Per-parameter texts, trimmed. */
  readonly parameters: Readonly<Record<string, string>>

  constructor(code: ErrorCode, message: string, refusal: Refusal, hint: string | undefined) {
    super(code, message, hint === undefined ? {} : {hint})
    this.name = 'ProxmoxError'
    this.status = refusal.status
    this.text = refusal.text
    this.parameters = refusal.parameters
  }
}

/** What an error answer says, wherever in it Proxmox put that. */
export interface Refusal {
  readonly status: number
  readonly text: string
  readonly parameters: Readonly<Record<string, string>>
}

export function proxmoxError(
  answer: HttpAnswer,
  what: string,
  scrub: (text: string) => string,
): ProxmoxError {
  const refusal = readRefusal(answer, scrub)
  const code = refusalCode(refusal)
  const details = Object.entries(refusal.parameters).map(([name, text]) => `${name}: ${text}`)
  const message = [`${what}: ${String(refusal.status)} ${refusal.text}`.trimEnd(), ...details].join('; ')
  return new ProxmoxError(code, message, refusal, HINTS[code])
}

/** The text is in the reason phrase and, longer, in `message`; some answers are plain text or empty. */
function readRefusal(answer: HttpAnswer, scrub: (text: string) => string): Refusal {
  const clean = (text: string): string => scrub(text.trim()).slice(0, MAX_TEXT)
  const body = parseObject(answer.body)
  const message = typeof body?.['message'] === 'string' ? body['message'].trim() : ''
  const errors = body?.['errors']
  const parameters: Record<string, string> = Object.create(null) as Record<string, string>
  if (isObject(errors)) {
    for (const [name, text] of Object.entries(errors)) {
      if (typeof text === 'string') parameters[scrub(name)] = clean(text)
    }
  }
  return {status: answer.status, text: clean(message === '' ? answer.reason : message), parameters}
}

const isObject = (value: unknown): value is Record<string, unknown> =>
  typeof value === 'object' && value !== null && !Array.isArray(value)

function parseObject(text: string): Record<string, unknown> | undefined {
  try {
    const value: unknown = JSON.parse(text)
    return isObject(value) ? value : undefined
  } catch {
    return undefined
  }
}

const CODE_OF_STATUS: Readonly<Record<number, ErrorCode>> = {
  401: 'unauthorized',
  403: 'forbidden',
  501: 'not_implemented',
  502: 'gateway_failed',
  503: 'gateway_failed',
  504: 'gateway_timeout',
  595: 'node_unreachable',
  596: 'gateway_timeout',
  597: 'gateway_failed',
  598: 'gateway_failed',
  599: 'gateway_failed',
}

const CONFIG_LOCK_TIMEOUT =
  /^can't lock file '(?:\/run\/lock\/lxc\/pve-config-\d+\.lock|\/var\/lock\/qemu-server\/lock-\d+\.conf)' - got timeout/

const CODE_OF_TEXT: readonly (readonly [RegExp, ErrorCode])[] = [
  [/^Configuration file '.*' does not exist/, 'guest_missing'],
  [/^(?:CT|VM) is locked \(/, 'guest_locked'],
  [CONFIG_LOCK_TIMEOUT, 'config_locked'],
  [/^detected modified configuration - /, 'config_changed'],
  [/^checksum mismatch \(file change by other user\?\)/, 'config_changed'],
  [/\bno quorum[?!]/, 'no_quorum'],
  // The cluster's file system is read-only without quorum.
  [/^unable to open file '\/etc\/pve\/[^']*' - Permission denied/, 'no_quorum'],
]

function refusalCode(refusal: Refusal): ErrorCode {
  if (refusal.status === 400) {
    return refusal.parameters['upid'] === 'no such task' ? 'no_such_task' : 'parameters_refused'
  }
  if (refusal.status === 500) {
    return CODE_OF_TEXT.find(([pattern]) => pattern.test(refusal.text))?.[1] ?? 'proxmox_error'
  }
  return CODE_OF_STATUS[refusal.status] ?? 'proxmox_error'
}

const HINTS: Partial<Record<ErrorCode, string>> = {
  unauthorized:
    'Check that the token exists, is enabled and has not expired, and that the secret is the one Proxmox showed on its creation.',
  forbidden:
    'Grant the token (and, unless privilege separation is off, its user too) the privilege named above.',
  guest_locked: 'Wait until the operation that holds the lock has ended, then try again.',
  config_locked: 'Wait until the operation that holds the lock has ended, then try again.',
  config_changed: 'Read the guest again and plan again.',
  no_quorum: 'Bring back enough nodes of the cluster, then try again.',
  node_unreachable: 'Check that the node is up and that the endpoint can reach it.',
  gateway_timeout: 'Look at the tasks of the node before trying again: the work may still be going on.',
}

export interface FailedDispatch {
  /** Whether a byte of the request can have left. */
  readonly sent: boolean
  /** The answer, if a whole one came. */
  readonly refusal?: Refusal
  /** Whether the call does its work before it answers, and starts no task. */
  readonly synchronous: boolean
}

const SURELY_NOT = new Set([401, 403, 501, 595])
const NO_WORKER = /got no worker upid|starting worker failed/

/** Whether a mutation that failed in this way can have been executed. In doubt, it can. */
export function dispatchOutcome(failed: FailedDispatch): Executed {
  if (!failed.sent) return 'no'
  const {refusal} = failed
  if (!refusal) return 'ambiguous'
  if (SURELY_NOT.has(refusal.status)) return 'no'
  if (refusal.status === 400) return hasHotplugError(refusal) ? 'ambiguous' : 'no'
  if (refusal.status !== 500) return 'ambiguous'
  if (NO_WORKER.test(refusal.text)) return 'no'
  return failed.synchronous && CONFIG_LOCK_TIMEOUT.test(refusal.text) ? 'no' : 'ambiguous'
}

/** A virtual machine keeps a change that could not be hot-plugged as pending, though it answers 400. */
function hasHotplugError(refusal: Refusal): boolean {
  return Object.values(refusal.parameters).some((text) => text.includes('hotplug'))
}
