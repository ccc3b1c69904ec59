// /access/roles: named sets of privileges.
import {flag, optionalText, text, type Call, type Route} from '../call.ts'
import type {Access} from '../state.ts'
import {die, paramError} from '../pve-error.ts'
import {changeUserConfig, listItems} from './user-config.ts'

type Role = Access['roles'][number]

const find = (call: Call): Role | undefined =>
  call.cluster.state.access.roles.find((r) => r.roleid === text(call, 'roleid'))

function requireRole(call: Call): Role {
  const role = find(call)
  if (!role) die(`role '${text(call, 'roleid')}' does not exist`)
  return role
}

const listRoles = (call: Call): unknown =>
  call.cluster.state.access.roles.map(({roleid, privs, special}) => ({
    roleid,
    privs: [...privs].sort().join(','),
    special,
  }))

const readRole = (call: Call): unknown => Object.fromEntries(requireRole(call).privs.map((p) => [p, 1]))

/** Every privilege is in the Administrator role. */
function knownPrivs(call: Call): string[] {
  const known = call.cluster.state.access.roles.find((r) => r.roleid === 'Administrator')?.privs ?? []
  const privs = listItems(optionalText(call, 'privs'))
  for (const priv of privs) if (!known.includes(priv)) die(`invalid privilege '${priv}'`)
  return privs
}

function createRole(call: Call): void {
  const roleid = text(call, 'roleid')
  if (/^PVE/i.test(roleid)) {
    paramError({roleid: "cannot use role ID starting with the (case-insensitive) 'PVE' namespace"})
  }
  changeUserConfig(call.cluster, 'create role failed', () => {
    if (find(call)) die(`role '${roleid}' already exists`)
    call.cluster.state.access.roles.push({roleid, special: 0, privs: [...new Set(knownPrivs(call))]})
  })
}

function updateRole(call: Call): void {
  if (find(call)?.special) die(`auto-generated role '${text(call, 'roleid')}' cannot be modified`)
  changeUserConfig(call.cluster, 'update role failed', () => {
    const role = requireRole(call)
    const kept = flag(call, 'append') ? role.privs : []
    role.privs = [...new Set([...kept, ...knownPrivs(call)])]
  })
}

function deleteRole(call: Call): void {
  if (find(call)?.special) die(`auto-generated role '${text(call, 'roleid')}' cannot be deleted`)
  changeUserConfig(call.cluster, 'delete role failed', () => {
    const role = requireRole(call)
    const {access} = call.cluster.state
    access.roles = access.roles.filter((r) => r !== role)
  })
}

export const routes: Route[] = [
  {method: 'GET', path: '/access/roles', handler: listRoles},
  {method: 'POST', path: '/access/roles', handler: createRole},
  {method: 'GET', path: '/access/roles/{roleid}', handler: readRole},
  {method: 'PUT', path: '/access/roles/{roleid}', handler: updateRole},
  {method: 'DELETE', path: '/access/roles/{roleid}', handler: deleteRole},
]
