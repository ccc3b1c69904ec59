// Users, tokens, roles and grants of a compact seed.
import {readAclEntry} from './recorded-seed.ts'
import {standardRoles} from './standard-roles.ts'
import type {SeedObject} from './seed-reader.ts'
import type {Access} from '../state.ts'

export function readAccess(seed: SeedObject): Access {
  const ownRoles = seed
    .objects('roles')
    .map((r) => ({roleid: r.text('roleid'), special: 0, privs: r.texts('privs')}))
  const access: Access = {
    users: [readRoot(), ...seed.objects('users').map(readUser)],
    tokens: seed.objects('tokens').map(readToken),
    roles: [...standardRoles.map((r) => ({...r, privs: [...r.privs]})), ...ownRoles],
    acl: seed.objects('acl').map(readAclEntry),
    groups: seed.objects('groups').map((g) => ({groupid: g.text('groupid'), users: g.texts('users')})),
    realms: [
      {realm: 'pam', type: 'pam', comment: 'Linux PAM standard authentication'},
      {realm: 'pve', type: 'pve', comment: 'Proxmox VE authentication server'},
    ],
    passwords: seed.options('passwords'),
  }
  checkNames(seed, access)
  return access
}

const readRoot = (): Access['users'][number] => ({userid: 'root@pam', enable: 1, expire: 0, realmType: 'pam'})

function readUser(from: SeedObject): Access['users'][number] {
  from.allowOnly(['userid', 'comment', 'enable', 'expire'])
  const userid = from.text('userid')
  const realm = /^[^@\s]+@(\S+)$/.exec(userid)?.[1] ?? from.fail('userid', `is not user@realm: ${userid}`)
  const comment = from.optionalText('comment')
  return {
    userid,
    enable: from.number('enable', 1),
    expire: from.number('expire', 0),
    realmType: realm,
    ...(comment !== undefined && {comment}),
  }
}

function readToken(from: SeedObject): Access['tokens'][number] {
  from.allowOnly(['auth', 'tokenid', 'secret', 'privsep', 'expire', 'comment'])
  const comment = from.optionalText('comment')
  return {
    tokenid: from.text('tokenid'),
    secret: from.text('secret'),
    privsep: from.number('privsep', 1),
    expire: from.number('expire', 0),
    ...(comment !== undefined && {comment}),
  }
}

/** A grant to nobody, or of no role, is most often a typing error. */
function checkNames(seed: SeedObject, access: Access): void {
  const users = new Set(access.users.map((u) => u.userid))
  for (const [i, {tokenid}] of access.tokens.entries()) {
    const owner = tokenid.split('!')[0] ?? ''
    if (!users.has(owner)) seed.fail(`tokens[${String(i)}].tokenid`, `there is no user ${owner}`)
  }
  const known = new Set([
    ...users,
    ...access.tokens.map((t) => t.tokenid),
    ...access.groups.map((g) => g.groupid),
  ])
  const roles = new Set(access.roles.map((r) => r.roleid))
  for (const [i, {ugid, roleid}] of access.acl.entries()) {
    if (!known.has(ugid)) seed.fail(`acl[${String(i)}].ugid`, `there is no user, token or group ${ugid}`)
    if (!roles.has(roleid)) seed.fail(`acl[${String(i)}].roleid`, `there is no role ${roleid}`)
  }
}
