// The only place that knows exit numbers. Everything else speaks in error codes.
import type {ErrorCode} from '../model/error-codes.ts'

export const EXIT = {
  ok: 0,
  unexpected: 1,
  changesPresent: 2,
  gateRefused: 3,
  appliedWithFailures: 4,
  needsRecover: 5,
  proxmox: 6,
  journal: 7,
  stalePlan: 8,
  doctor: 9,
  usage: 64,
  invalid: 65,
  interrupted: 130,
  terminated: 143,
} as const

const EXIT_OF: Record<ErrorCode, number> = {
  usage: EXIT.usage,
  declined: EXIT.usage,
  token_missing: EXIT.usage,
  token_invalid: EXIT.usage,
  settings_invalid: EXIT.invalid,
  desired_invalid: EXIT.invalid,
  interrupted: EXIT.interrupted,
  unexpected: EXIT.unexpected,
  unreachable: EXIT.proxmox,
  connection_lost: EXIT.proxmox,
  timeout: EXIT.proxmox,
  tls_untrusted: EXIT.proxmox,
  tls_pin_mismatch: EXIT.proxmox,
  tls_failed: EXIT.proxmox,
  unauthorized: EXIT.proxmox,
  forbidden: EXIT.proxmox,
  parameters_refused: EXIT.proxmox,
  not_implemented: EXIT.proxmox,
  guest_missing: EXIT.proxmox,
  guest_locked: EXIT.proxmox,
  config_locked: EXIT.proxmox,
  config_changed: EXIT.proxmox,
  no_such_task: EXIT.proxmox,
  no_quorum: EXIT.proxmox,
  node_unreachable: EXIT.proxmox,
  gateway_timeout: EXIT.proxmox,
  gateway_failed: EXIT.proxmox,
  proxmox_error: EXIT.proxmox,
  bad_answer: EXIT.proxmox,
}

export const exitCodeOf = (code: ErrorCode): number => EXIT_OF[code]
