// Reading and changing user.cfg: who is there, and the prefix that Proxmox puts before what goes wrong while
// it holds the file's lock.
import type {Cluster} from '../cluster.ts'
import type {Access} from '../state.ts'
import {PveError, die} from '../pve-error.ts'
import {splitList} from '../schema/split-list.ts'

export type User = Access['users'][number]
export type Token = Access['tokens'][number]

export function requireUser(cluster: Cluster, userid: string): User {
  const user = cluster.state.access.users.find((u) => u.userid === userid)
  if (!user) die(`no such user ('${userid}')`)
  return user
}

export function findToken(cluster: Cluster, userid: string, name: string): Token | undefined {
  return cluster.state.access.tokens.find((t) => t.tokenid === `${userid}!${name}`)
}

export function requireToken(cluster: Cluster, userid: string, name: string): Token {
  requireUser(cluster, userid)
  const token = findToken(cluster, userid, name)
  if (!token) die(`no such token '${name}' for user '${userid}'`)
  return token
}

export function changeUserConfig<T>(cluster: Cluster, failure: string, change: () => T): T {
  try {
    if (!cluster.state.quorate) die("cfs-lock 'file-user_cfg' error: no quorum!")
    return change()
  } catch (error) {
    if (!(error instanceof PveError)) throw error
    die(`${failure}: ${error.asText()}`)
  }
}

/** The items of a list parameter, none when it is absent. */
export const listItems = (text: string | undefined): string[] =>
  splitList(text ?? '').filter((item) => item !== '')
