// /access/acl: who has which role where.
import {flag, optionalText, text, type Call, type Route} from '../call.ts'
import {die, paramError} from '../pve-error.ts'
import type {Access} from '../state.ts'
import {isGrantablePath, normalizeAclPath} from './acl-path.ts'
import {grantorPrivs, hasPrivs, privilegesOn} from './permissions.ts'
import {changeUserConfig, requireToken, listItems} from './user-config.ts'

type Entry = Access['acl'][number]

function listAcl(call: Call): unknown {
  const audits = hasPrivs(call, '/access', ['Sys.Audit'])
  return call.cluster.state.access.acl
    .filter((e) => audits || hasPrivs(call, e.path, grantorPrivs(e.path), true))
    .map(({path, type, ugid, roleid, propagate}) => ({path, type, ugid, roleid, propagate}))
}

function updateAcl(call: Call): void {
  const lists = ['users', 'groups', 'tokens'] as const
  if (lists.every((name) => !optionalText(call, name))) {
    paramError(Object.fromEntries(lists.map((n) => [n, "either 'users', 'groups' or 'tokens' is required."])))
  }
  const path = normalizeAclPath(text(call, 'path'))
  if (path === undefined || (!flag(call, 'delete') && !isGrantablePath(path))) {
    paramError({path: `invalid ACL path '${text(call, 'path')}'`})
  }
  changeUserConfig(call.cluster, 'ACL update failed', () => {
    const {access} = call.cluster.state
    for (const entry of entriesOf(call, path)) {
      access.acl = access.acl.filter(
        (e) =>
          !(e.path === path && e.type === entry.type && e.ugid === entry.ugid && e.roleid === entry.roleid),
      )
      if (!flag(call, 'delete')) access.acl.push(entry)
    }
  })
}

function entriesOf(call: Call, path: string): Entry[] {
  const propagate = optionalText(call, 'propagate') === '0' ? 0 : 1
  return listItems(text(call, 'roles')).flatMap((roleid) => {
    requireGrantable(call, path, roleid, propagate === 1)
    return granteesOf(call).map((grantee): Entry => ({path, ...grantee, roleid, propagate}))
  })
}

function granteesOf(call: Call): Pick<Entry, 'type' | 'ugid'>[] {
  const {users, groups} = call.cluster.state.access
  const named = (name: string): string[] => listItems(optionalText(call, name))
  return [
    ...named('groups').map((ugid) => {
      if (!groups.some((g) => g.groupid === ugid)) die(`group '${ugid}' does not exist`)
      return {type: 'group' as const, ugid}
    }),
    ...named('users').map((ugid) => {
      if (!users.some((u) => u.userid === ugid)) die(`user '${ugid}' does not exist`)
      return {type: 'user' as const, ugid}
    }),
    ...named('tokens').map((ugid) => {
      const [userid = '', name = ''] = ugid.split('!')
      requireToken(call.cluster, userid, name)
      return {type: 'token' as const, ugid}
    }),
  ]
}

/** Without Permissions.Modify nobody hands out more than he has. */
function requireGrantable(call: Call, path: string, roleid: string, propagates: boolean): void {
  const role = call.cluster.state.access.roles.find((r) => r.roleid === roleid)
  if (!role) die(`role '${roleid}' does not exist`)
  const own = privilegesOn(call, path)
  if (own.has('Permissions.Modify')) return
  const verb = flag(call, 'delete') ? 'remove' : 'add'
  for (const priv of role.privs) {
    if (!own.has(priv)) {
      paramError({
        role: `Cannot ${verb} role '${roleid}' - requires 'Permissions.Modify' or superset of privileges.`,
      })
    }
    if (propagates && !own.get(priv) && verb === 'add') {
      paramError({
        role: `Cannot ${verb} role '${roleid}' with propagation - requires 'Permissions.Modify' or propagated superset of privileges.`,
      })
    }
  }
  if (roleid === 'NoAccess')
    paramError({role: `Cannot ${verb} role '${roleid}' - requires 'Permissions.Modify'`})
}

export const routes: Route[] = [
  {method: 'GET', path: '/access/acl', handler: listAcl},
  {method: 'PUT', path: '/access/acl', handler: updateAcl},
]
