// POST /access/ticket: a password or an older ticket in, a ticket out. Every refusal reads the same, so that
// nobody learns which users there are.
import {optionalText, text, type Call, type Route} from '../call.ts'
import {PveError} from '../pve-error.ts'
import {isUserEnabled} from './authenticate.ts'
import {normalizeAclPath} from './acl-path.ts'
import {ROOT, hasPrivs, privilegesOn, type Subject} from './permissions.ts'
import {makeCsrfToken, makeTicket, readTicket} from './ticket.ts'
import {listItems} from './user-config.ts'

function createTicket(call: Call): unknown {
  const {cluster} = call
  const realm = optionalText(call, 'realm')
  const username = text(call, 'username') + (realm ? `@${realm}` : '')
  const subject: Subject = {cluster, principal: {userid: username, authid: username}}
  const path = optionalText(call, 'path')
  const verifiesOnly = Boolean(path && optionalText(call, 'privs'))
  if (!isUserEnabled(cluster, username) || !provesIdentity(call, username, !verifiesOnly)) refuse()
  if (verifiesOnly) {
    const wanted = normalizeAclPath(path ?? '')
    const privs = listItems(optionalText(call, 'privs'))
    if (wanted === undefined || privs.length === 0 || !hasPrivs(subject, wanted, privs)) refuse()
    return {username, ...about(subject)}
  }
  const now = cluster.nowSeconds()
  return {
    username,
    ticket: makeTicket(username, now),
    CSRFPreventionToken: makeCsrfToken(username, now),
    ...about(subject),
  }
}

function refuse(): never {
  throw new PveError(401, 'authentication failure\n')
}

/** By password or by a ticket; where `rootMay`, root's ticket opens every door. */
function provesIdentity(call: Call, username: string, rootMay: boolean): boolean {
  const password = text(call, 'password')
  const ticketUser = readTicket(password, call.cluster.nowSeconds())
  if (ticketUser === username || (rootMay && ticketUser === ROOT)) return true
  const {passwords} = call.cluster.state.access
  return password !== '' && Object.hasOwn(passwords, username) && passwords[username] === password
}

function about(subject: Subject): Record<string, unknown> {
  const {clusterName} = subject.cluster.state
  const seesName = clusterName !== null && hasPrivs(subject, '/', ['Sys.Audit'])
  return {cap: capabilitiesOf(subject), ...(seesName && {clustername: clusterName})}
}

const CAPABILITIES: Record<string, RegExp> = {
  vms: /^(VM\.|Permissions\.Modify)/,
  access: /^((User|Group)\.|Permissions\.Modify)/,
  storage: /^(Datastore\.|Permissions\.Modify)/,
  nodes: /^(Sys\.|Permissions\.Modify)/,
  sdn: /^(SDN\.|Permissions\.Modify)/,
  dc: /^(Sys\.Audit|Sys\.Modify|SDN\.)/,
  mapping: /^(Mapping\.|Permissions.Modify)/,
}

/** What a web page would show: privileges by area, wherever the user has them. */
function capabilitiesOf(subject: Subject): Record<string, Record<string, number>> {
  const areas: Record<string, Record<string, number>> = {}
  for (const area of Object.keys(CAPABILITIES)) areas[area] = {}
  const granted = subject.cluster.state.access.acl.map((e) => e.path)
  const paths = ['/', '/nodes', '/access/groups', '/vms', '/storage', '/sdn', '/mapping', ...granted]
  for (const path of new Set(paths)) {
    const top = /^\/(\w+)/.exec(path)?.[1] ?? 'dc'
    for (const priv of privilegesOn(subject, path).keys()) {
      for (const area of top === 'pool' ? ['vms', 'storage'] : [top]) {
        const list = areas[area]
        if (list && CAPABILITIES[area]?.test(priv)) list[priv] = 1
      }
    }
  }
  return areas
}

export const routes: Route[] = [
  {method: 'GET', path: '/access/ticket', handler: (): unknown => null},
  {method: 'POST', path: '/access/ticket', handler: createTicket},
]
