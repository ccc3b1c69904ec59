// /access/users: the accounts.
import {flag, optionalText, text, type Call, type Route} from '../call.ts'
import {die} from '../pve-error.ts'
import type {Access} from '../state.ts'
import {hasPrivs} from './permissions.ts'
import {changeUserConfig, requireUser, listItems, type User} from './user-config.ts'

const TEXT_FIELDS = ['firstname', 'lastname', 'email', 'comment', 'keys'] as const

const groupsOf = (call: Call, userid: string): string[] =>
  call.cluster.state.access.groups.filter((g) => g.users.includes(userid)).map((g) => g.groupid)

const tokensOf = (call: Call, userid: string): {name: string; info: Record<string, unknown>}[] =>
  call.cluster.state.access.tokens
    .filter((t) => t.tokenid.startsWith(`${userid}!`))
    .map(({tokenid, privsep, expire, comment}) => ({
      name: tokenid.slice(userid.length + 1),
      info: {privsep, expire, ...(comment !== undefined && {comment})},
    }))
    .sort((a, b) => (a.name < b.name ? -1 : 1))

function fieldsOf(user: User): Record<string, unknown> {
  const fields: Record<string, unknown> = {enable: user.enable, expire: user.expire}
  for (const name of TEXT_FIELDS) if (user[name] !== undefined) fields[name] = user[name]
  return fields
}

function listUsers(call: Call): unknown {
  const privs = ['User.Modify', 'Sys.Audit']
  const {users, groups} = call.cluster.state.access
  const seesAll = hasPrivs(call, '/access/groups', privs, true)
  const seen = groups
    .filter((g) => hasPrivs(call, `/access/groups/${g.groupid}`, privs, true))
    .flatMap((g) => g.users)
  const visible = new Set([call.principal.authid, ...seen])
  const enabled = optionalText(call, 'enabled')
  return users
    .filter((u) => seesAll || visible.has(u.userid))
    .filter((u) => enabled === undefined || (enabled === '1') === (u.enable === 1))
    .map((u) => ({
      userid: u.userid,
      ...fieldsOf(u),
      'realm-type': u.realmType,
      ...(flag(call, 'full') && fullFields(call, u.userid)),
    }))
}

function fullFields(call: Call, userid: string): Record<string, unknown> {
  const tokens = tokensOf(call, userid).map(({name, info}) => ({tokenid: name, ...info}))
  return {groups: groupsOf(call, userid).join(','), tokens: tokens.length > 0 ? tokens : null}
}

function readUser(call: Call): unknown {
  const user = requireUser(call.cluster, text(call, 'userid'))
  const tokens = tokensOf(call, user.userid)
  return {
    ...fieldsOf(user),
    groups: groupsOf(call, user.userid),
    tokens: tokens.length > 0 ? Object.fromEntries(tokens.map(({name, info}) => [name, info])) : null,
  }
}

function createUser(call: Call): void {
  const {cluster} = call
  const userid = text(call, 'userid')
  changeUserConfig(cluster, 'create user failed', () => {
    const {access} = cluster.state
    if (access.users.some((u) => u.userid === userid)) die(`user '${userid}' already exists`)
    const realm = userid.slice(userid.lastIndexOf('@') + 1)
    const realmType = access.realms.find((r) => r.realm === realm)?.type
    const password = optionalText(call, 'password')
    if (password !== undefined) {
      if (realmType === undefined) die(`auth domain '${realm}' does not exist`)
      access.passwords[userid] = password
    }
    const user: User = {
      userid,
      enable: Number(optionalText(call, 'enable') ?? 1),
      expire: 0,
      realmType: realmType ?? '',
    }
    user.expire = Number(optionalText(call, 'expire') ?? 0)
    joinGroups(namedGroups(call), userid)
    for (const name of TEXT_FIELDS) if (optionalText(call, name)) user[name] = text(call, name)
    access.users.push(user)
  })
}

type Group = Access['groups'][number]

function namedGroups(call: Call): Group[] {
  const {groups} = call.cluster.state.access
  return listItems(optionalText(call, 'groups')).map((id) => {
    const group = groups.find((g) => g.groupid === id)
    if (!group) die(`no such group '${id}'`)
    return group
  })
}

function joinGroups(groups: Group[], userid: string): void {
  for (const group of groups) if (!group.users.includes(userid)) group.users.push(userid)
}

function updateUser(call: Call): void {
  const {cluster} = call
  changeUserConfig(cluster, 'update user failed', () => {
    const user = requireUser(cluster, text(call, 'userid'))
    const groups = namedGroups(call)
    const leaves = optionalText(call, 'groups') !== undefined && !flag(call, 'append')
    if (leaves) leaveGroups(call, user.userid)
    joinGroups(groups, user.userid)
    user.enable = Number(optionalText(call, 'enable') ?? user.enable)
    user.expire = Number(optionalText(call, 'expire') ?? user.expire)
    for (const name of TEXT_FIELDS) if (optionalText(call, name) !== undefined) user[name] = text(call, name)
  })
}

function leaveGroups(call: Call, userid: string): void {
  for (const group of call.cluster.state.access.groups) group.users = group.users.filter((u) => u !== userid)
}

function deleteUser(call: Call): void {
  const {cluster} = call
  const userid = text(call, 'userid')
  changeUserConfig(cluster, 'delete user failed', () => {
    const {access} = cluster.state
    access.users = access.users.filter((u) => u.userid !== userid)
    access.tokens = access.tokens.filter((t) => !t.tokenid.startsWith(`${userid}!`))
    access.acl = access.acl.filter((e) => e.ugid !== userid && !e.ugid.startsWith(`${userid}!`))
    leaveGroups(call, userid)
    Reflect.deleteProperty(access.passwords, userid)
  })
}

function readTfa(call: Call): unknown {
  requireUser(call.cluster, text(call, 'userid'))
  return flag(call, 'multiple') ? {user: []} : {}
}

const user = '/access/users/{userid}'

export const routes: Route[] = [
  {method: 'GET', path: '/access/users', handler: listUsers},
  {method: 'POST', path: '/access/users', handler: createUser},
  {method: 'GET', path: user, handler: readUser},
  {method: 'PUT', path: user, handler: updateUser},
  {method: 'DELETE', path: user, handler: deleteUser},
  {method: 'GET', path: `${user}/tfa`, handler: readTfa},
  {method: 'PUT', path: `${user}/unlock-tfa`, handler: (): unknown => 0},
]
