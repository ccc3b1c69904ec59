// The words of the format, apart from the options, which are the catalog's.

/** What may be written for a guest and as a default for all of its kind. */
export const LAYER_KEYS: readonly string[] = ['config', 'disks', 'run', 'restart', 'stop']

export const GUEST_KEYS: readonly string[] = ['kind', 'node', 'ensure', 'create', ...LAYER_KEYS]

export const FILE_KEYS: readonly string[] = ['felhom', 'defaults', 'guests']

/** The first words of the keys of a settings file, to tell the two kinds of file apart. */
export const SETTINGS_KEYS: readonly string[] = [
  'endpoint',
  'token',
  'tls',
  'desired',
  'state',
  'trust',
  'approvals',
  'secrets',
  'gate',
  'limits',
  'recover',
  'daemon',
  'plugins',
]

export const CREATE_KEYS: readonly string[] = [
  'template',
  'clone',
  'restore',
  'storage',
  'pool',
  'password',
  'sshkeys',
  'full',
  'unprivileged',
]
