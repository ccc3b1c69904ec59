// Whether a token holds a privilege, from what Proxmox says of its permissions: a path counts as it is listed,
// else as its nearest listed parent hands down.
import type {Privileges} from '../model/actual.ts'
import type {Held} from './find-blockers.ts'

export function heldPrivileges(privileges: Privileges): Held {
  // A pool hands its privileges to its members, and who is a member is not known here.
  const fromPools = new Set(
    Object.entries(privileges).flatMap(([path, held]) =>
      path.startsWith('/pool/') ? Object.keys(held) : [],
    ),
  )
  return (path, anyOf) => {
    if (anyOf.some((privilege) => holds(privileges, path, privilege))) return true
    return anyOf.some((privilege) => fromPools.has(privilege)) ? undefined : false
  }
}

function holds(privileges: Privileges, path: string, privilege: string): boolean {
  const own = privileges[path]
  if (own) return privilege in own
  for (let parent = parentOf(path); parent !== undefined; parent = parentOf(parent)) {
    const held = privileges[parent]
    if (held) return held[privilege] === true
  }
  return false
}

function parentOf(path: string): string | undefined {
  if (path === '/') return undefined
  const cut = path.lastIndexOf('/')
  return cut <= 0 ? '/' : path.slice(0, cut)
}
