// The units that run felhom under systemd, as text. Pure: it knows what a unit must say, touches nothing, and gives
// the same text for the same facts, so that what is installed can be compared with what would be.

/** Tested by `systemd-analyze security`; what is beyond it is a finding of doctor. */
export const MOST_EXPOSURE = 1.5

export const UNIT_USER = 'felhom'
export const STATE_DIRECTORY = '/var/lib/felhom'
export const CONFIG_DIRECTORY = '/etc/felhom'

/**
 * The loop shows progress several times as often, however long a pass takes: after each request to Proxmox, each command
 * of git, each look at a task or a lock, and while it waits. None of these may take half as long.
 */
export const WATCHDOG_MS = 300_000
/** Of the deadline of one request, where that is set higher than usual. */
const WATCHDOG_SHARE = 3

export interface UnitFacts {
  /** The program and its arguments before the name of a command; each an absolute path. */
  readonly program: readonly string[]
  /** The settings file, absolute. */
  readonly config: string
  /** Name of the credential that holds the token; absent: the settings name another place. */
  readonly credential: string | undefined
  /** Directories beside the state directory that are written to; absolute. */
  readonly writable: readonly string[]
  /** The one among these that the group of the unit's user may look into. */
  readonly outcomes?: string
  readonly stopTimeoutMs: number
  /** Deadline of one request. */
  readonly requestTimeoutMs: number
  readonly intervalMs: number
  /** Share of the interval. */
  readonly jitter: number
}

export interface UnitFile {
  /** Absolute, below no prefix. */
  readonly path: string
  readonly text: string
}

export type UnitKind = 'daemon' | 'timer'

export const SERVICE_PATH = '/etc/systemd/system/felhom.service'
export const ONCE_PATH = '/etc/systemd/system/felhom-once.service'
export const TIMER_PATH = '/etc/systemd/system/felhom-once.timer'
export const USERS_PATH = '/etc/sysusers.d/felhom.conf'

export function renderUnits(kind: UnitKind, facts: UnitFacts): readonly UnitFile[] {
  const users = {path: USERS_PATH, text: renderUsers()}
  if (kind === 'daemon') return [users, {path: SERVICE_PATH, text: renderService(facts)}]
  return [users, {path: ONCE_PATH, text: renderOnce(facts)}, {path: TIMER_PATH, text: renderTimer(facts)}]
}

const HEAD = '# Written by: felhom daemon install. Your own lines go into a drop-in: systemctl edit'

const renderUsers = (): string => `${HEAD.split('. ')[0] ?? ''}
u ${UNIT_USER} - "felhom daemon" ${STATE_DIRECTORY}
`

function renderService(facts: UnitFacts): string {
  return `${HEAD} felhom
[Unit]
Description=felhom: makes Proxmox match the desired state
Wants=network-online.target
After=network-online.target time-sync.target

[Service]
Type=notify
# Node cannot send the datagrams itself: systemd-notify does, as a process of its own.
NotifyAccess=all
ExecStart=${commandLine(facts, 'daemon')}
ExecReload=/bin/kill -HUP $MAINPID
# Fed by the progress of the loop alone: one that hangs is started again, and recovers what was open.
WatchdogSec=${seconds(Math.max(WATCHDOG_MS, WATCHDOG_SHARE * facts.requestTimeoutMs))}
TimeoutStartSec=300s
Restart=on-failure
RestartSec=10s
# Not for what a new start cannot mend: the journal (7), wrong usage or no token (64), wrong settings (65).
RestartPreventExitStatus=7 64 65
# The daemon itself waits for running tasks first, for daemon.stop_timeout.
TimeoutStopSec=${seconds(facts.stopTimeoutMs + STOP_MARGIN_MS)}
KillMode=mixed

${renderPlace(facts)}
${HARDENING}
[Install]
WantedBy=multi-user.target
`
}

/** For what is left to do after the tasks: the journal, a last word to the webhook. */
const STOP_MARGIN_MS = 30_000

function renderOnce(facts: UnitFacts): string {
  return `${HEAD} felhom-once
[Unit]
Description=felhom: one pass to make Proxmox match the desired state
Wants=network-online.target
After=network-online.target time-sync.target

[Service]
Type=oneshot
ExecStart=${commandLine(facts, 'daemon', '--once')}
# What waits for a signature (3) waits for people, who are told by other ways: the pass itself did not fail.
SuccessExitStatus=3
TimeoutStopSec=${seconds(facts.stopTimeoutMs + STOP_MARGIN_MS)}
KillMode=mixed

${renderPlace(facts)}
${HARDENING}`
}

function renderTimer({intervalMs, jitter}: UnitFacts): string {
  return `${HEAD} felhom-once.timer
[Unit]
Description=felhom: a pass now and then

[Timer]
# At once, then after each pass has ended: two never overlap, and none has to be made up for after an outage.
OnActiveSec=1s
OnUnitInactiveSec=${seconds(intervalMs)}
RandomizedDelaySec=${seconds(Math.round(intervalMs * jitter))}
AccuracySec=1s

[Install]
WantedBy=timers.target
`
}

function renderPlace({credential, writable}: UnitFacts): string {
  const lines = [
    `User=${UNIT_USER}`,
    `Group=${UNIT_USER}`,
    'StateDirectory=felhom',
    'StateDirectoryMode=0700',
    'ConfigurationDirectory=felhom',
    'WorkingDirectory=%S/felhom',
    ...(credential === undefined ? [] : [`LoadCredential=${credential}:${CONFIG_DIRECTORY}/${credential}`]),
    ...writable.map((path) => `ReadWritePaths=${quoteWord(path)}`),
  ]
  return `${lines.join('\n')}\n`
}

/**
 * What it needs beside reading files: the internet, its state directory, and programs of its own (flock, git,
 * ssh-keygen, systemd-notify).
 */
const HARDENING = `# systemd-analyze security felhom.service
UMask=0077
LimitCORE=0
NoNewPrivileges=yes
CapabilityBoundingSet=
AmbientCapabilities=
ProtectSystem=strict
ProtectHome=yes
PrivateTmp=yes
PrivateDevices=yes
PrivateUsers=yes
PrivateMounts=yes
PrivateIPC=yes
ProtectKernelTunables=yes
ProtectKernelModules=yes
ProtectKernelLogs=yes
ProtectControlGroups=yes
ProtectClock=yes
ProtectHostname=yes
ProtectProc=invisible
ProcSubset=pid
DevicePolicy=closed
KeyringMode=private
RestrictAddressFamilies=AF_UNIX AF_INET AF_INET6
RestrictNamespaces=yes
RestrictRealtime=yes
RestrictSUIDSGID=yes
RemoveIPC=yes
LockPersonality=yes
SystemCallArchitectures=native
SystemCallFilter=@system-service
SystemCallFilter=~@privileged @resources
SystemCallErrorNumber=EPERM
# No MemoryDenyWriteExecute: Node compiles what it runs.
`

const commandLine = ({program, config}: UnitFacts, ...words: readonly string[]): string =>
  [...program, ...words, '--config', config].map((word) => quoteWord(word.replaceAll('$', '$$$$'))).join(' ')

/** systemd takes % for a specifier, in a command $ for a variable too, and unquotes as a shell does. */
function quoteWord(word: string): string {
  const plain = word.replaceAll('%', '%%')
  return /^[\w@%+=:,./$-]+$/.test(plain) ? plain : `"${plain.replaceAll(/["\\]/g, String.raw`\$&`)}"`
}

const seconds = (ms: number): string => `${Math.max(1, Math.ceil(ms / 1000))}s`
