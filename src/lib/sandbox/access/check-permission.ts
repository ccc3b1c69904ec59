// Evaluates the `permissions` of a method's schema: the check expressions of Proxmox over the caller's
// privileges and the request's parameters.
import {PveError, die, permissionDenied} from '../pve-error.ts'
import type {Call} from '../call.ts'
import {ROOT, grantorPrivs, hasPrivs, requirePrivs} from './permissions.ts'
import {normalizeAclPath} from './acl-path.ts'
import {listItems} from './user-config.ts'

export interface PermissionRule {
  user?: string
  check?: unknown[]
}

/** Throws the 403 unless the rule lets the caller through. */
export function checkPermission(rule: PermissionRule | undefined, call: Call): void {
  if (call.principal.authid === ROOT) return
  if (!rule) permissionDenied('user != root@pam')
  if (rule.user === 'all') return
  if (!rule.check) deny()
  requireCheck(rule.check, call)
}

/** Counts as a denial inside `or`. */
class NoSuchUser extends PveError {
  constructor(message: string) {
    super(500, `${message}\n`)
  }
}

function requireExisting(call: Call, userid: string): void {
  if (call.cluster.state.access.users.some((u) => u.userid === userid)) return
  throw new NoSuchUser(wrongName(userid) ?? `no such user ('${userid}')`)
}

/** Why nobody can have that name; undefined where somebody could. */
function wrongName(userid: string): string | undefined {
  if (userid.length < 3) return `user name '${userid}' is too short`
  if (userid.length > 64) return `user name '${userid}' is too long (${String(userid.length)} > 64)`
  return realmOf(userid) === undefined ? `value '${userid}' does not look like a valid user name` : undefined
}

const realmOf = (userid: string): string | undefined =>
  /^[^\s:/]+@([A-Za-z][A-Za-z0-9.\-_]+)$/.exec(userid)?.[1]

function deny(): never {
  throw new PveError(403, 'Permission check failed\n')
}

const textOf = (call: Call, name: string): string => {
  const value = call.params[name]
  return typeof value === 'string' ? value : ''
}

function requireCheck(check: unknown[], call: Call): void {
  const [test, ...rest] = check
  switch (test) {
    case 'and':
      for (const sub of rest) requireCheck(sub as unknown[], call)
      return
    case 'or':
      if (!rest.some((sub) => passes(sub as unknown[], call))) deny()
      return
    case 'perm':
      requirePerm(rest, call)
      return
    case 'userid-group':
      requireUserGroup(rest, call)
      return
    case 'userid-param':
      requireUserParam(String(rest[0]), call)
      return
    case 'perm-modify':
      requirePermModify(normalizeAclPath(fillTemplate(String(rest[0]), call)), call)
      return
    default:
      die('unknown permission test')
  }
}

/** One branch of `or`; where that is an `and`, its refusal is final. */
function passes(check: unknown[], call: Call): boolean {
  if (check[0] === 'and') {
    requireCheck(check, call)
    return true
  }
  try {
    requireCheck(check, call)
    return true
  } catch (error) {
    if (error instanceof NoSuchUser || (error instanceof PveError && error.status === 403)) return false
    throw error
  }
}

function optionsOf(list: unknown[]): Record<string, unknown> {
  const options: Record<string, unknown> = {}
  for (let i = 0; i + 1 < list.length; i += 2) options[String(list[i])] = list[i + 1]
  return options
}

/** Parameters that are missing, empty or 0 become a dash. */
function fillTemplate(template: string, call: Call): string {
  return template.replace(/\{([^}]+)\}/g, (_, name: string) => {
    const value = textOf(call, name)
    return value === '' || value === '0' ? '-' : value
  })
}

function requirePerm([template, privs, ...rest]: unknown[], call: Call): void {
  const options = optionsOf(rest)
  const needed = options['require_param']
  if (typeof needed === 'string' && call.params[needed] === undefined) deny()
  const any = options['any'] === 1
  const path = normalizeAclPath(fillTemplate(String(template), call))
  if (path !== undefined) requirePrivs(call, path, privs as string[], any)
  else permissionDenied(`, ${any ? (privs as string[]).join('|') : String((privs as string[])[0])}`)
}

function requireUserGroup([privs, ...rest]: unknown[], call: Call): void {
  const wanted = privs as string[]
  const mode = optionsOf(rest)['groups_param']
  const checksExisting = mode !== 'create'
  const userid = textOf(call, 'userid')
  const {access} = call.cluster.state
  if (checksExisting) requireExisting(call, userid)
  if (hasPrivs(call, '/access/groups', wanted, true)) return
  const allowed = access.groups.filter((g) => hasPrivs(call, `/access/groups/${g.groupid}`, wanted, true))
  if (mode !== undefined) requireNamedGroups(call, wanted, new Set(allowed.map((g) => g.groupid)))
  if (checksExisting && !allowed.some((g) => g.users.includes(userid))) deny()
}

function requireNamedGroups(call: Call, privs: string[], allowed: Set<string>): void {
  const named = listItems(textOf(call, 'groups'))
  if (named.length === 0) permissionDenied(`/access/groups, ${privs.join('|')}`)
  for (const group of named) {
    if (!allowed.has(group)) permissionDenied(`/access/groups/${group}, ${privs.join('|')}`)
  }
}

function requireUserParam(test: string, call: Call): void {
  const userid = textOf(call, 'userid')
  const mistake = wrongName(userid)
  if (mistake !== undefined) die(mistake)
  if (test === 'Realm.AllocateUser') {
    requirePrivs(call, `/access/realm/${realmOf(userid) ?? ''}`, ['Realm.AllocateUser'])
    return
  }
  requireExisting(call, userid)
  if (call.principal.authid !== userid) deny()
}

function requirePermModify(path: string | undefined, call: Call): void {
  if (path !== undefined) requirePrivs(call, path, grantorPrivs(path), true)
}
