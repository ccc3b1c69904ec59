// /access: users, tokens, roles, ACLs, login; and the two lists that a login page reads.
import type {Call, Route} from '../call.ts'
import {routes as acl} from '../access/acl.ts'
import {routes as permissions} from '../access/effective-permissions.ts'
import {routes as login} from '../access/login.ts'
import {hasPrivs} from '../access/permissions.ts'
import {routes as roles} from '../access/roles.ts'
import {routes as tokens} from '../access/tokens.ts'
import {routes as users} from '../access/users.ts'

const listRealms = (call: Call): unknown => call.cluster.state.access.realms.map((realm) => ({...realm}))

function listGroups(call: Call): unknown {
  const privs = ['User.Modify', 'Sys.Audit', 'Group.Allocate']
  return call.cluster.state.access.groups
    .filter((g) => hasPrivs(call, `/access/groups/${g.groupid}`, privs, true))
    .map(({groupid, comment, users: members}) => ({
      groupid,
      users: [...members].sort().join(','),
      ...(comment !== undefined && {comment}),
    }))
}

export const routes: Route[] = [
  {method: 'GET', path: '/access/domains', handler: listRealms},
  {method: 'GET', path: '/access/groups', handler: listGroups},
  ...login,
  ...permissions,
  ...users,
  ...tokens,
  ...roles,
  ...acl,
]
