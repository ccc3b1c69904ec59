// The whole truth of the sandbox as plain data: what a seed describes, what `--state FILE` keeps, and what
// every handler reads and changes. No behaviour lives here.

export type Kind = 'lxc' | 'qemu'

/** One section of a guest's config file: option → text exactly as stored. `description` is kept decoded. */
export type Section = Record<string, string>

export interface Snapshot {
  config: Section
  /** Epoch seconds. */
  snaptime: number
  parent?: string
  description?: string
  vmstate?: string
  snapstate?: string
}

export interface Guest {
  kind: Kind
  vmid: number
  node: string
  /** The current section, `lock`, `parent` (snapshot) and `template` among its options. */
  config: Section
  /** Values waiting for the next start. */
  pending: Section
  /** Options whose deletion waits for the next start. */
  pendingDelete: Record<string, {force: boolean}>
  snapshots: Record<string, Snapshot>
  /** QEMU only: what the cloud-init drive was made from, where the config has changed since. */
  cloudinit?: Section
  runtime: GuestRuntime
  knobs: GuestKnobs
}

export interface GuestRuntime {
  status: 'running' | 'stopped'
  pid?: number
  /** Epoch milliseconds of the last start. */
  startedMs?: number
  /** QEMU: paused by suspend; LXC: frozen. */
  paused?: boolean
  /** QEMU only: what the running machine was started with, for hotplug rules. */
  machine?: string
}

export interface GuestKnobs {
  /** The guest ignores shutdown. */
  hang?: boolean
  /** Starts fail. */
  failStart?: boolean
  /** An LXC start ends in `WARNINGS: 1`. */
  warnStart?: boolean
  /** Somebody else holds the config file lock until then (epoch milliseconds). */
  configLockHeldUntilMs?: number
}

export interface Node {
  name: string
  ip: string
  online: boolean
  cpus: number
  memoryBytes: number
  bridges: {iface: string; address?: string}[]
  bootedMs: number
}

export interface Storage {
  storage: string
  type: string
  /** The options of storage.cfg, `content` and `path` among them. */
  config: Record<string, string>
  /** Absent: on every node. */
  nodes?: string[]
  shared: boolean
  totalBytes: number
  usedBytes: number
  volumes: Volume[]
}

export interface Volume {
  volid: string
  /** The node that holds it; absent on shared storage. */
  node?: string
  vmid?: number
  format: string
  content: string
  size: number
  used?: number
  ctime?: number
  parent?: string | null
  notes?: string
  protected?: boolean
  /** Of a backup archive: what a restore brings back. */
  backup?: {kind: Kind; config: Section; volumes: {option: string; size: number}[]}
}

export interface Pool {
  poolid: string
  comment?: string
  vmids: number[]
  storages: string[]
}

export interface Access {
  users: {
    userid: string
    enable: number
    expire: number
    realmType: string
    email?: string
    comment?: string
    firstname?: string
    lastname?: string
    keys?: string
  }[]
  /** `tokenid` is the full id, user@realm!name. */
  tokens: {tokenid: string; secret: string; privsep: number; expire: number; comment?: string}[]
  roles: {roleid: string; special: number; privs: string[]}[]
  acl: {path: string; type: 'user' | 'group' | 'token'; ugid: string; propagate: number; roleid: string}[]
  groups: {groupid: string; users: string[]; comment?: string}[]
  realms: {realm: string; type: string; comment?: string}[]
  passwords: Record<string, string>
}

export interface Task {
  upid: string
  node: string
  pid: number
  pstart: number
  /** Epoch seconds. */
  starttime: number
  type: string
  id: string
  /** user@realm or user@realm!token. */
  user: string
  /** Absent while running. */
  exitstatus?: string
  endtime?: number
  log: string[]
  /** The log was rotated away, or a control lost the task: Proxmox answers "no such task". */
  lost?: boolean
}

export interface HaResource {
  /** `ct:101` or `vm:200`. */
  sid: string
  state: string
  /** Nobody has said so: the state is what it is by default. */
  isStateImplied?: boolean
  comment?: string
  failback?: number
  max_relocate?: number
  max_restart?: number
}

/** An affinity of HA resources to nodes or to one another; `options` as text. */
export interface HaRule {
  rule: string
  type: string
  options: Record<string, string>
}

/** A scheduled vzdump, as jobs.cfg keeps it: option → text. */
export interface ScheduledBackup {
  id: string
  options: Record<string, string | string[]>
}

export interface Knobs {
  startDelaySeconds: number
  stopDelaySeconds: number
  /**
   * The recorded node ran its machines without a real hypervisor: nothing starts a machine again after a
   * reboot, every balloon says 512 MiB, and a machine's backup fails.
   */
  isHypervisorFaked?: boolean
}

export interface ClusterState {
  /** null: a standalone node. */
  clusterName: string | null
  quorate: boolean
  /** The node that answers; requests for others are proxied to them. */
  localNode: string
  version: {release: string; repoid: string; version: string}
  /** datacenter.cfg: mac_prefix, tags, … as `/cluster/options` returns them. */
  options: Record<string, unknown>
  nodes: Node[]
  /** Names that resolve but cannot be reached (595 with that reason); any other unknown name does not resolve (500). */
  unreachableNodes: {name: string; reason: string}[]
  storages: Storage[]
  guests: Map<number, Guest>
  pools: Pool[]
  access: Access
  tasks: Task[]
  ha: HaResource[]
  haRules: HaRule[]
  backupJobs: ScheduledBackup[]
  knobs: Knobs
}
