// Finds out who calls: ticket in the cookie or in the Authorization header, else an API token. Every fault
// of a credential gives the same answer, as the real one does.
import type {Cluster} from '../cluster.ts'
import type {Principal} from '../call.ts'
import {PveError} from '../pve-error.ts'
import {unescapeBytes} from '../request-target.ts'
import {requirePrivs} from './permissions.ts'
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
  const principal = apiToken ? verifyApiToken(cluster, apiToken) : verifyTicket(cluster, ticket)
  const isUpload = requireUploadPrivilege(cluster, principal, method, path)
  if (method !== 'GET' && !isApiToken && !isUpload) requireCsrfToken(cluster, principal, credentials)
  return {principal, isApiToken}
}

/** Nobody has shown who he is, as opposed to a known user who is refused. */
export class NotLoggedIn extends PveError {
  constructor(message: string) {
    super(401, `${message}\n`)
  }
}

function verifyTicket(cluster: Cluster, ticket: string | undefined): Principal {
  if (!ticket) throw new NotLoggedIn('No ticket')
  const userid = readTicket(ticket, cluster.nowSeconds())
  if (userid === undefined || !isUserEnabled(cluster, userid)) throw new NotLoggedIn('Authentication failed!')
  return {userid, authid: userid}
}

/** A form in a browser cannot send the token against forgery, so that uploads are checked at the door. */
function requireUploadPrivilege(
  cluster: Cluster,
  principal: Principal,
  method: string,
  path: string,
): boolean {
  const storage = /^\/nodes\/[^/]+\/storage\/([^/]+)\/upload$/.exec(path)?.[1]
  if (method !== 'POST' || storage === undefined) return false
  requirePrivs({cluster, principal}, `/storage/${storage}`, ['Datastore.AllocateTemplate'])
  return true
}

function requireCsrfToken(cluster: Cluster, {userid}: Principal, {csrfToken}: Credentials): void {
  if (isCsrfToken(csrfToken ?? '', userid, cluster.nowSeconds())) return
  throw new PveError(401, 'Permission denied - invalid csrf token\n')
}

function authValue(header: string | undefined, key: string): string | undefined {
  const value = new RegExp(`(?:^|\\s)${key}(?:=| )([^;]*)`).exec(header ?? '')?.[1]
  return value === undefined ? undefined : unescapeBytes(value)
}

function verifyApiToken(cluster: Cluster, apiToken: string): Principal {
  const [, tokenid = '', secret = ''] = /^(.*)=(.*)$/.exec(apiToken) ?? []
  const token = cluster.state.access.tokens.find((t) => t.tokenid === tokenid)
  const [userid = '', tokenName = ''] = tokenid.split('!')
  const isExpired = token !== undefined && token.expire !== 0 && token.expire < cluster.nowSeconds()
  if (!token || isExpired || token.secret !== secret || !isUserEnabled(cluster, userid)) {
    throw new NotLoggedIn('Authentication failed!')
  }
  return {userid, authid: tokenid, tokenName}
}

/** The user exists, is enabled and has not expired. */
export function isUserEnabled(cluster: Cluster, userid: string): boolean {
  const user = cluster.state.access.users.find((u) => u.userid === userid)
  if (!user?.enable) return false
  return user.expire === 0 || user.expire >= cluster.nowSeconds()
}
