// Finds out who calls: ticket in the cookie or in the Authorization header, else an API token. Every fault
// of a credential gives the same answer, as the real one does.
import type {Cluster} from '../cluster.ts'
import type {Principal} from '../call.ts'
import {PveError} from '../pve-error.ts'
import {isCsrfToken, readTicket} from './ticket.ts'

export interface Credentials {
  authorization?: string | undefined
  cookie?: string | undefined
  csrfToken?: string | undefined
}

export interface Authentication {
  /** Absent on the few calls that need none. */
  principal: Principal | undefined
  isApiToken: boolean
}

const OPEN_CALLS = new Set([
  'GET /access/domains',
  'GET /access/ticket',
  'POST /access/ticket',
  'POST /access/vncticket',
  'POST /access/openid/login',
  'POST /access/openid/auth-url',
])

export function authenticate(
  cluster: Cluster,
  method: string,
  path: string,
  credentials: Credentials,
): Authentication {
  const {authorization, cookie} = credentials
  const ticket = authValue(cookie, 'PVEAuthCookie') || authValue(authorization, 'PVEAuthCookie')
  const apiToken = ticket ? undefined : authValue(authorization, 'PVEAPIToken')
  const isApiToken = Boolean(apiToken)
  if (OPEN_CALLS.has(`${method} ${path}`)) return {principal: undefined, isApiToken}
  if (apiToken) return {principal: verifyApiToken(cluster, apiToken), isApiToken}
  if (!ticket) unauthorized('No ticket')
  const userid = readTicket(ticket, cluster.nowSeconds())
  if (userid === undefined || !isUserEnabled(cluster, userid)) unauthorized('Authentication failed!')
  if (method !== 'GET' && !isCsrfToken(credentials.csrfToken ?? '', userid, cluster.nowSeconds())) {
    unauthorized('Permission denied - invalid csrf token')
  }
  return {principal: {userid, authid: userid}, isApiToken}
}

function unauthorized(message: string): never {
  throw new PveError(401, `${message}\n`)
}

function authValue(header: string | undefined, key: string): string | undefined {
  const value = new RegExp(`(?:^|\\s)${key}(?:=| )([^;]*)`).exec(header ?? '')?.[1]
  return value?.replace(/%([0-9a-fA-F]{2})/g, (_, hex: string) =>
    String.fromCharCode(Number.parseInt(hex, 16)),
  )
}

function verifyApiToken(cluster: Cluster, apiToken: string): Principal {
  const [, tokenid = '', secret = ''] = /^(.*)=(.*)$/.exec(apiToken) ?? []
  const token = cluster.state.access.tokens.find((t) => t.tokenid === tokenid)
  const [userid = '', tokenName = ''] = tokenid.split('!')
  const isExpired = token !== undefined && token.expire !== 0 && token.expire < cluster.nowSeconds()
  if (!token || isExpired || token.secret !== secret || !isUserEnabled(cluster, userid)) {
    unauthorized('Authentication failed!')
  }
  return {userid, authid: tokenid, tokenName}
}

/** The user exists, is enabled and has not expired. */
export function isUserEnabled(cluster: Cluster, userid: string): boolean {
  const user = cluster.state.access.users.find((u) => u.userid === userid)
  if (!user?.enable) return false
  return user.expire === 0 || user.expire >= cluster.nowSeconds()
}
