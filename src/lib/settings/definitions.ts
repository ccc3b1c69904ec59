// The table of all settings: one row per key that can be written. Names, defaults, variables of the
// environment, documentation and validation all come from here.
import {
  readChoice,
  readDesired,
  readDurationMs,
  readDurationWithin,
  readFingerprint,
  readGenesis,
  readList,
  readListen,
  readPath,
  readShare,
  readText,
  readUrl,
  readWebUrl,
  readWhole,
  readWindows,
  type Reader,
} from './values.ts'

export interface SettingDefinition {
  /** Dotted, as written in the file: `tls.ca`. */
  key: string
  read: Reader<unknown>
  /** Written as in a file; undefined: there is none. */
  default?: unknown
  /** Keys that exclude each other: a layer that sets one puts aside the others of lower layers. */
  oneOf?: string
  summary: string
}

export const definitions: readonly SettingDefinition[] = [
  {
    key: 'endpoint',
    read: readList(readUrl),
    summary: 'address of the Proxmox API, or a list for fail-over of reads',
  },
  {key: 'token.file', read: readPath, oneOf: 'token', summary: 'file that holds user@realm!id=secret'},
  {key: 'token.credential', read: readText, oneOf: 'token', summary: 'name of a systemd credential'},
  {
    key: 'token.env',
    read: readText,
    oneOf: 'token',
    summary: 'variable of the environment that holds the token',
  },
  {key: 'tls.ca', read: readPath, oneOf: 'tls', summary: "the cluster's pve-root-ca.pem"},
  {
    key: 'tls.fingerprints',
    read: readList(readFingerprint),
    oneOf: 'tls',
    summary: 'pinned SHA-256 fingerprints',
  },
  {key: 'desired', read: readDesired, summary: 'desired state: file, directory, {git: …} or {https: …}'},
  {
    key: 'state',
    read: readPath,
    default: '.felhom/',
    summary: 'directory of journal, nonces, audit and lock',
  },
  {key: 'trust.dir', read: readPath, summary: 'directory of the trust store'},
  {key: 'trust.genesis', read: readGenesis, summary: 'hash of version 1 of the trust store'},
  {key: 'approvals', read: readPath, summary: 'directory of signed approvals'},
  {
    key: 'secrets',
    read: readPath,
    summary: 'the one directory that a desired state from git or https may take secrets from',
  },
  {
    key: 'gate.max_destroy',
    read: readWhole(0, 1000),
    default: 1,
    summary: 'guests that one apply may destroy',
  },
  {key: 'limits.reads', read: readWhole(1, 16), default: 8, summary: 'connections for reading'},
  {key: 'limits.writes_per_node', read: readWhole(1, 16), default: 4, summary: 'changes at once on one node'},
  {
    key: 'limits.timeout',
    read: readDurationWithin({most: '1d'}),
    default: '40s',
    summary: 'deadline of one read; Proxmox gives its own daemons 30 s',
  },
  {
    key: 'limits.task_timeout',
    read: readDurationMs,
    default: '1h',
    summary: 'how long to wait for one task; it then goes on by itself, and felhom recover settles it',
  },
  {
    key: 'recover.settle',
    read: readDurationMs,
    default: '45s',
    summary: 'wait before an orphan search is final',
  },
  {
    key: 'daemon.interval',
    read: readDurationWithin({least: '1s'}),
    default: '60s',
    summary: 'time between two passes, 1s or more',
  },
  {
    key: 'daemon.jitter',
    read: readShare,
    default: 0.1,
    summary: 'share by which each pause may be longer or shorter',
  },
  {
    key: 'daemon.mode',
    read: readChoice(['observe', 'benign', 'full']),
    default: 'observe',
    summary: 'what the daemon may do',
  },
  {key: 'daemon.windows', read: readWindows, default: [], summary: 'maintenance windows'},
  {
    key: 'daemon.outside',
    read: readChoice(['observe', 'live', 'benign']),
    default: 'observe',
    summary: 'what it may do outside of them; live: what interrupts nothing',
  },
  {
    key: 'daemon.max_shrink',
    read: readShare,
    default: 0.2,
    summary: 'share of guests a source may lose at once',
  },
  {
    key: 'daemon.stale_after',
    read: readDurationMs,
    default: '1h',
    summary: 'how long a source may be away before people are told',
  },
  {
    key: 'daemon.back_off_max',
    read: readDurationMs,
    default: '1h',
    summary: 'longest pause before a guest that keeps failing is tried again',
  },
  {
    key: 'daemon.stop_timeout',
    read: readDurationMs,
    default: '75s',
    summary: 'how long running tasks are waited for when it is told to end',
  },
  {
    key: 'daemon.trust_warning',
    read: readDurationMs,
    default: '14d',
    summary: 'how long before the trust store expires people are told',
  },
  {
    key: 'daemon.keep',
    read: readDurationMs,
    default: '90d',
    summary: 'how long the history of ended operations is kept',
  },
  {key: 'daemon.outcomes', read: readPath, summary: 'directory for what became of signed jobs'},
  {key: 'daemon.listen', read: readListen, summary: 'address of metrics and health'},
  {
    key: 'daemon.listen_token',
    read: readPath,
    summary: 'file of the bearer token that is asked for; needed where the address is not loopback',
  },
  {key: 'daemon.webhook.url', read: readWebUrl, summary: 'where events are posted'},
  {key: 'daemon.webhook.token', read: readPath, summary: 'file of a bearer token to show there'},
  {key: 'plugins.allow', read: readList(readText), summary: 'plugins that the daemon may load'},
]

export const definitionOf = new Map(definitions.map((d) => [d.key, d]))

/** FELHOM_TLS__CA for tls.ca: two underscores go one level down. */
export const variableOf = (key: string): string => `FELHOM_${key.replaceAll('.', '__').toUpperCase()}`

/** Every proper prefix of a key: `tls`, `daemon`, `daemon.webhook`. */
export const groups: ReadonlySet<string> = new Set(
  definitions.flatMap(({key}) => {
    const parts = key.split('.')
    return parts.slice(1).map((_, i) => parts.slice(0, i + 1).join('.'))
  }),
)
