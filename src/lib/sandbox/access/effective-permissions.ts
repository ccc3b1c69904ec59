// GET /access/permissions: what a user or token may do, path by path.
import {optionalText, type Call, type Route} from '../call.ts'
import {privilegesOn, requirePrivs} from './permissions.ts'

const TOP_PATHS = ['/', '/access', '/access/groups', '/nodes', '/pool', '/sdn', '/storage', '/vms']

function readPermissions(call: Call): unknown {
  const {authid} = call.principal
  const asked = optionalText(call, 'userid') ?? authid
  const isOwnToken = asked.split('!')[0] === authid && asked !== authid
  if (asked !== authid && !isOwnToken) requirePrivs(call, '/access', ['Sys.Audit'])
  const path = optionalText(call, 'path')
  if (path) return {[path]: flags(call, path, asked)}
  const all = pathsOf(call).map((p) => [p, flags(call, p, asked)] as const)
  return Object.fromEntries(all.filter(([, privs]) => Object.keys(privs).length > 0))
}

const flags = (call: Call, path: string, authid: string): Record<string, number> =>
  Object.fromEntries(
    [...privilegesOn(call, path, authid)].map(([priv, propagate]) => [priv, propagate ? 1 : 0]),
  )

function pathsOf(call: Call): string[] {
  const {access, pools} = call.cluster.state
  const members = pools.flatMap((p) => [
    ...p.vmids.map((id) => `/vms/${String(id)}`),
    ...p.storages.map((s) => `/storage/${s}`),
  ])
  return [...new Set([...TOP_PATHS, ...access.acl.flatMap((e) => foldersAbove(e.path)), ...members])]
}

/** The ACL is a tree, so the folders above an entry exist, too. */
function foldersAbove(path: string): string[] {
  const parts = path.split('/').filter((p) => p !== '')
  return parts.map((_, i) => `/${parts.slice(0, i + 1).join('/')}`)
}

export const routes: Route[] = [{method: 'GET', path: '/access/permissions', handler: readPermissions}]
