// /access/users/{userid}/token: API tokens. The secret is told once, when it is made.
import {flag, optionalText, text, type Call, type Route} from '../call.ts'
import {paramError} from '../pve-error.ts'
import {changeUserConfig, findToken, requireToken, requireUser, listItems, type Token} from './user-config.ts'

const infoOf = ({privsep, expire, comment}: Token): Record<string, unknown> => ({
  privsep,
  expire,
  ...(comment !== undefined && {comment}),
})

function listTokens(call: Call): unknown {
  const {userid} = requireUser(call.cluster, text(call, 'userid'))
  return call.cluster.state.access.tokens
    .filter((t) => t.tokenid.startsWith(`${userid}!`))
    .map((t) => ({tokenid: t.tokenid.slice(userid.length + 1), ...infoOf(t)}))
}

const named = (call: Call): Token => requireToken(call.cluster, text(call, 'userid'), text(call, 'tokenid'))

/** What was given comes back as it was given: text, where what is read from the file is a number. */
function givenInfo(call: Call): Record<string, unknown> {
  const info: Record<string, unknown> = {}
  for (const name of ['privsep', 'expire', 'comment']) {
    const value = optionalText(call, name)
    if (value !== undefined) info[name] = value
  }
  return info
}

function generateToken(call: Call): unknown {
  const {cluster} = call
  const userid = text(call, 'userid')
  const name = text(call, 'tokenid')
  requireUser(cluster, userid)
  if (findToken(cluster, userid, name)) paramError({tokenid: 'Token already exists.'})
  return changeUserConfig(cluster, 'generating token failed', () => {
    const tokenid = `${userid}!${name}`
    const secret = cluster.randomUuid()
    const token: Token = {
      tokenid,
      secret,
      privsep: Number(optionalText(call, 'privsep') ?? 1),
      expire: Number(optionalText(call, 'expire') ?? 0),
    }
    const comment = optionalText(call, 'comment')
    if (comment) token.comment = comment
    cluster.state.access.tokens.push(token)
    const info: Record<string, unknown> = {privsep: 1, ...givenInfo(call)}
    if (!comment) delete info['comment']
    return {info, value: secret, 'full-tokenid': tokenid}
  })
}

function updateToken(call: Call): unknown {
  const {cluster} = call
  named(call)
  return changeUserConfig(cluster, 'updating token info failed', () => {
    const token = named(call)
    const deleted = listItems(optionalText(call, 'delete'))
    for (const option of deleted) if (option !== 'comment') paramError({delete: `unknown option '${option}'`})
    token.privsep = Number(optionalText(call, 'privsep') ?? token.privsep)
    token.expire = Number(optionalText(call, 'expire') ?? token.expire)
    const comment = deleted.length > 0 ? '' : optionalText(call, 'comment')
    if (comment) token.comment = comment
    else if (comment === '') delete token.comment
    const info: Record<string, unknown> = {...infoOf(token), ...givenInfo(call)}
    if (comment === '') delete info['comment']
    if (!flag(call, 'regenerate')) return info
    token.secret = cluster.randomUuid()
    return {...info, value: token.secret, 'full-tokenid': token.tokenid}
  })
}

function removeToken(call: Call): void {
  const {tokenid} = named(call)
  changeUserConfig(call.cluster, 'deleting token failed', () => {
    const {access} = call.cluster.state
    access.tokens = access.tokens.filter((t) => t.tokenid !== tokenid)
  })
}

const token = '/access/users/{userid}/token/{tokenid}'

export const routes: Route[] = [
  {method: 'GET', path: '/access/users/{userid}/token', handler: listTokens},
  {method: 'GET', path: token, handler: (call): unknown => infoOf(named(call))},
  {method: 'POST', path: token, handler: generateToken},
  {method: 'PUT', path: token, handler: updateToken},
  {method: 'DELETE', path: token, handler: removeToken},
]
