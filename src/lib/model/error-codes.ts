// The one registry of error codes, each with a one-line meaning; the error-code page of the docs is made
// from it. Callers match on the code, never on a message. Exit numbers are no business of this room.

export const ERROR_CODES = {
  // the command line, the settings, the person
  usage: 'The command line is wrong, or asks for something that does not exist.',
  declined: 'The question was answered with no, or there was no terminal to ask on.',
  settings_invalid: 'A settings file, environment variable or flag holds a value that cannot be used.',
  desired_invalid: 'The desired state is not valid; every place is listed.',
  token_missing: 'No API token was found where the settings point to.',
  token_invalid: 'The API token does not have the form user@realm!name=secret.',
  secret_missing: 'A secret that a new guest needs was not found where the desired state points to.',
  plugin_failed:
    'A plugin could not be loaded, failed, or did not answer in time; nothing was done without it.',
  interrupted: 'The run was interrupted before it ended.',
  unexpected: 'A bug in felhom: something happened that the program holds to be impossible.',

  // what felhom keeps, and what it left open
  journal_locked: 'Another felhom holds the lock of the state directory.',
  journal_corrupt: 'A record of the journal is not what was written; nothing is done until it is looked at.',
  journal_failed: 'The disk of the journal failed to write or to sync; nothing more is sent.',
  journal_mismatch: 'The journal has open operations of another endpoint or token than the settings name.',
  state_unsafe:
    'The state directory or a file in it may be read or changed by others, or is no regular file.',
  guest_frozen: 'An earlier operation of this guest is still open; it must be settled first.',
  key_used: 'The operation was already started once under the same key; it never runs twice.',
  needs_recover: 'Operations are open or quarantined; felhom recover or the operator must settle them.',
  plan_stale: 'The live state that the saved plan was made from has changed.',
  apply_failed: 'Some of the plan could not be carried out; the rest was.',
  signature_pending: 'Some of the plan can lose data and waits for a signature; the rest was carried out.',
  nonce_used: 'The approval was used or rejected before; an approval allows one thing, once.',
  trust_unsafe:
    'The files that say whose signatures count may be changed by others, or are not what was signed.',
  signing_failed: 'ssh-keygen did not make the signature that was asked for.',

  // where the desired state comes from
  source_away:
    'The source of the desired state could not be reached, and there is no earlier state to go by.',
  source_refused:
    'What the source of the desired state says is not used: it is wrong, older, or lost too much.',

  // the way to Proxmox
  unreachable: 'No connection to the Proxmox endpoint could be made.',
  connection_lost: 'The connection broke before the whole answer was in.',
  timeout: 'The answer did not come within the time allowed.',
  tls_untrusted: 'The server certificate is not vouched for by the configured CA, or is for another host.',
  tls_pin_mismatch: 'The server certificate is not one of the pinned fingerprints.',
  tls_failed: 'The TLS handshake failed before a certificate could be judged.',

  // what Proxmox answered
  unauthorized: 'Proxmox does not accept the API token: unknown, wrong secret, expired or disabled.',
  forbidden: 'The API token lacks a privilege for this call.',
  parameters_refused: 'Proxmox refused one or more parameters.',
  not_implemented: 'Proxmox does not know this path or method.',
  guest_missing: 'Proxmox has no config file of this guest on this node.',
  guest_locked: 'The guest is locked by a backup, a migration or another operation.',
  config_locked: 'Somebody else held the lock on the guest config for too long.',
  config_changed: 'The guest config was changed by others since it was read.',
  no_such_task: 'Proxmox no longer knows the task; its log was rotated away or lost.',
  no_quorum: 'The cluster has no quorum and takes no writes.',
  node_unreachable: 'The endpoint cannot reach the node that was asked for (595).',
  gateway_timeout: 'The endpoint gave up waiting for the node or its daemon; the work may go on (596).',
  gateway_failed: 'The endpoint could not pass the call on, or its daemon did not answer.',
  proxmox_error: 'Proxmox answered with an error of its own; its text is in the message.',
  bad_answer: 'An answer was cut short, or does not have the shape that Proxmox answers have.',
} as const satisfies Record<string, string>

export type ErrorCode = keyof typeof ERROR_CODES
