// Who may do what. Privileges come from roles granted on ACL paths, are inherited downwards where they
// propagate, reach guests and storages through pools, and end at NoAccess; a token with privilege separation
// has what both it and its user have.
import type {Cluster} from '../cluster.ts'
import type {Principal} from '../call.ts'
import {permissionDenied} from '../pve-error.ts'
import type {Pool} from '../state.ts'

/** A privilege → whether it propagates below the path. Presence alone grants. */
export type Privileges = Map<string, boolean>

/** Whoever asks; a Call is one. */
export interface Subject {
  cluster: Cluster
  principal: Principal
}

type Roles = Map<string, boolean>
type AclEntry = Cluster['state']['access']['acl'][number]

export const ROOT = 'root@pam'

/** Answers for one request; Proxmox, too, compiles its ACLs anew for each. */
class Permissions {
  readonly #acl = new Map<string, AclEntry[]>()
  readonly #groups: Map<string, Set<string>>
  readonly #privsByRole: Map<string, string[]>
  readonly #compiled = new Map<string, Privileges>()
  readonly #pools: Pool[]
  #poolsOf: Map<string, string[]> | undefined
  readonly #isSeparated: Map<string, boolean>
  readonly #administrator: Privileges

  constructor(cluster: Cluster) {
    const {access, pools} = cluster.state
    for (const entry of access.acl) append(this.#acl, entry.path, entry)
    this.#groups = new Map(access.groups.map((g) => [g.groupid, new Set(g.users)]))
    this.#privsByRole = new Map(access.roles.map((r) => [r.roleid, r.privs]))
    this.#administrator = new Map((this.#privsByRole.get('Administrator') ?? []).map((p) => [p, true]))
    this.#isSeparated = new Map(access.tokens.map((t) => [t.tokenid, t.privsep === 1]))
    this.#pools = pools
  }

  of(authid: string, path: string): Privileges {
    if (authid === ROOT) return this.#administrator
    const [userid = '', tokenName] = authid.split('!')
    if (tokenName !== undefined) {
      const isSeparated = this.#isSeparated.get(authid)
      if (isSeparated === undefined) return new Map()
      if (!isSeparated) return this.of(userid, path)
    }
    const key = `${authid} ${path}`
    let privileges = this.#compiled.get(key)
    if (!privileges) {
      privileges = this.#compile(authid, path)
      if (tokenName !== undefined && userid !== ROOT)
        privileges = intersect(privileges, this.of(userid, path))
      this.#compiled.set(key, privileges)
    }
    return privileges
  }

  #compile(authid: string, path: string): Privileges {
    const privileges: Privileges = new Map()
    for (const [role, propagate] of this.#rolesWithPools(authid, path)) {
      for (const priv of this.#privsByRole.get(role) ?? []) {
        privileges.set(priv, (privileges.get(priv) ?? false) || propagate)
      }
    }
    return privileges
  }

  /** Roles on the path itself, then those of its pools; NoAccess wins on either side. */
  #rolesWithPools(authid: string, path: string): Roles {
    const roles = this.#roles(authid, path)
    this.#poolsOf ??= poolsByMember(this.#pools)
    const pools = this.#poolsOf.get(path)
    if (!pools || roles.has('NoAccess')) return roles
    const fromPools = new Set(pools.flatMap((pool) => [...this.#roles(authid, `/pool/${pool}`).keys()]))
    if (fromPools.has('NoAccess')) return new Map([['NoAccess', false]])
    for (const role of fromPools) if (!roles.has(role)) roles.set(role, false)
    return roles
  }

  #roles(authid: string, path: string): Roles {
    let roles: Roles = new Map()
    for (const {folder, isFinal} of foldersOf(path)) {
      const entries = (this.#acl.get(folder) ?? []).filter((e) => isFinal || e.propagate)
      roles = this.#grantedAt(entries, authid) ?? roles
    }
    const noAccess = roles.get('NoAccess')
    return noAccess === undefined ? roles : new Map([['NoAccess', noAccess]])
  }

  /** What one folder grants: the entry for the token or user itself overrides those of its groups. */
  #grantedAt(entries: AclEntry[], authid: string): Roles | undefined {
    const own = entries.filter((e) => e.type !== 'group' && e.ugid === authid)
    const chosen =
      own.length > 0
        ? own
        : entries.filter((e) => e.type === 'group' && this.#groups.get(e.ugid)?.has(authid))
    if (chosen.length === 0) return undefined
    const roles: Roles = new Map()
    for (const e of chosen) roles.set(e.roleid, (roles.get(e.roleid) ?? false) || e.propagate === 1)
    return roles
  }
}

function poolsByMember(pools: Pool[]): Map<string, string[]> {
  const poolsOf = new Map<string, string[]>()
  for (const {poolid, vmids, storages} of pools) {
    for (const vmid of vmids) append(poolsOf, `/vms/${String(vmid)}`, poolid)
    for (const storage of storages) append(poolsOf, `/storage/${storage}`, poolid)
  }
  return poolsOf
}

function append<T>(map: Map<string, T[]>, key: string, value: T): void {
  const list = map.get(key)
  if (list) list.push(value)
  else map.set(key, [value])
}

function* foldersOf(path: string): Generator<{folder: string; isFinal: boolean}> {
  const parts = path.split('/').filter((p) => p !== '')
  // A path that does not start at the root inherits nothing from it.
  if (path.startsWith('/')) yield {folder: '/', isFinal: parts.length === 0}
  for (let i = 1; i <= parts.length; i++) {
    yield {folder: `/${parts.slice(0, i).join('/')}`, isFinal: i === parts.length}
  }
}

function intersect(a: Privileges, b: Privileges): Privileges {
  const both: Privileges = new Map()
  for (const [priv, propagate] of a) {
    const other = b.get(priv)
    if (other !== undefined) both.set(priv, propagate && other)
  }
  return both
}

const perSubject = new WeakMap<Subject, Permissions>()

function permissionsFor(subject: Subject): Permissions {
  let permissions = perSubject.get(subject)
  if (!permissions) {
    permissions = new Permissions(subject.cluster)
    perSubject.set(subject, permissions)
  }
  return permissions
}

/** Every privilege of the subject on a path; `authid` asks for somebody else. */
export function privilegesOn(subject: Subject, path: string, authid = subject.principal.authid): Privileges {
  return permissionsFor(subject).of(authid, path)
}

/** Whether the subject has all of the privileges on the path, or with `any` one of them. */
export function hasPrivs(subject: Subject, path: string, privs: string[], any = false): boolean {
  if (subject.principal.authid === ROOT) return true
  const granted = privilegesOn(subject, path)
  return any ? privs.some((p) => granted.has(p)) : privs.every((p) => granted.has(p))
}

/** The 403 that names the path and the first missing privilege, or all with `any`. */
export function requirePrivs(subject: Subject, path: string, privs: string[], any = false): void {
  if (hasPrivs(subject, path, privs, any)) return
  const granted = privilegesOn(subject, path)
  const missing = any ? privs.join('|') : (privs.find((p) => !granted.has(p)) ?? '')
  permissionDenied(`${path}, ${missing}`)
}

const GRANTOR_PRIVS: [RegExp, string][] = [
  [/^\/storage\/.+$/, 'Datastore.Allocate'],
  [/^\/vms\/.+$/, 'VM.Allocate'],
  [/^\/pool\/.+$/, 'Pool.Allocate'],
]

/** Any of these lets somebody change the ACL of a path. */
export function grantorPrivs(path: string): string[] {
  const extra = GRANTOR_PRIVS.filter(([pattern]) => pattern.test(path)).map(([, priv]) => priv)
  return ['Permissions.Modify', ...extra]
}
