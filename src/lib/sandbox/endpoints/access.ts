// /access: users, tokens, roles, ACLs, login; and the two lists that a login page reads.
import {createHash} from 'node:crypto'
import {text, type Call, type Route} from '../call.ts'
import {routes as acl} from '../access/acl.ts'
import {routes as permissions} from '../access/effective-permissions.ts'
import {routes as login} from '../access/login.ts'
import {routes as password} from '../access/password.ts'
import {hasPrivs} from '../access/permissions.ts'
import {routes as roles} from '../access/roles.ts'
import {routes as tokens} from '../access/tokens.ts'
import {routes as users} from '../access/users.ts'
import {die} from '../pve-error.ts'
import {having, readMethod} from '../schema/read-method.ts'

const listRealms = (call: Call): unknown => call.cluster.state.access.realms.map((realm) => ({...realm}))

function readRealm(call: Call): unknown {
  const name = text(call, 'realm')
  const found = call.cluster.state.access.realms.find(({realm}) => realm === name)
  if (!found) die(`domain '${name}' does not exist`)
  const {type, comment} = found
  const digest = createHash('sha1').update(JSON.stringify(call.cluster.state.access.realms)).digest('hex')
  return {type, ...(comment !== undefined && {comment}), digest}
}

function readGroup(call: Call): unknown {
  const id = text(call, 'groupid')
  const group = call.cluster.state.access.groups.find(({groupid}) => groupid === id)
  if (!group) die(`group '${id}' does not exist`)
  const {users: members, comment} = group
  return {members: [...members], ...(comment !== undefined && {comment})}
}

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

const REALM = '/access/domains/{realm}'
const GROUP = '/access/groups/{groupid}'
const world = {user: 'world'}
const auditsRealms = having('/access/realm', 'Realm.Allocate', 'Sys.Audit')
const auditsGroups = having('/access/groups', 'Sys.Audit', 'Group.Allocate')

export const routes: Route[] = [
  {method: 'GET', path: '/access/domains', schema: readMethod('', {permissions: world}), handler: listRealms},
  {method: 'GET', path: REALM, schema: readMethod(REALM, {permissions: auditsRealms}), handler: readRealm},
  {method: 'GET', path: '/access/groups', schema: readMethod(''), handler: listGroups},
  {method: 'GET', path: GROUP, schema: readMethod(GROUP, {permissions: auditsGroups}), handler: readGroup},
  // Nobody in the sandbox has a second factor.
  {method: 'GET', path: '/access/tfa', schema: readMethod(''), handler: (): unknown => []},
  ...login,
  ...password,
  ...permissions,
  ...users,
  ...tokens,
  ...roles,
  ...acl,
]
