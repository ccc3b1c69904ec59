// What a request carries: parameters from the query and, for POST and PUT, from the body; and the bodies
// that Proxmox refuses before it looks at the path.
import type {ParamValue, Params} from './call.ts'
import type {ApiRequest} from './api.ts'
import {plainAnswer, type ApiAnswer} from './answer.ts'

const MAX_BODY_BYTES = 512 * 1024

export function refuseBody({method, headers, body}: ApiRequest): ApiAnswer | undefined {
  const length = Number(headers['content-length'] ?? (body === undefined ? 0 : Buffer.byteLength(body)))
  if (!length) return undefined
  if (method !== 'PUT' && method !== 'POST') {
    return plainAnswer(501, `Unexpected content for method '${method}'`)
  }
  if (length > MAX_BODY_BYTES) return plainAnswer(501, 'for data too large')
  const type = headers['content-type']
  const media = mediaType(type)
  if (!media || media === 'application/x-www-form-urlencoded' || media === 'application/json')
    return undefined
  return plainAnswer(506, `upload 'Content-Type '${type ?? ''}' not implemented`)
}

const mediaType = (type: string | undefined): string | undefined => type?.split(/\s*[;,]\s*/)[0]

/** The parameters of a request; the query wins over the body. */
export function readParams({method, url, headers, body}: ApiRequest): Params {
  const query = decodeForm(url.split('#', 1)[0]?.split(/\?(.*)/s)[1] ?? '')
  if (method !== 'PUT' && method !== 'POST') return withoutCacheBuster(query)
  const text = typeof body === 'string' ? body : Buffer.from(body ?? []).toString('utf8')
  const isJson = mediaType(headers['content-type']) === 'application/json'
  const fields = isJson ? (JSON.parse(text) as Params) : decodeForm(text)
  return withoutCacheBuster({...fields, ...query})
}

function withoutCacheBuster(params: Params): Params {
  delete params['_dc']
  return params
}

function decodeForm(text: string): Params {
  const params: Params = {}
  for (const pair of text.split(/[&;]/)) {
    if (pair === '') continue
    const [name = '', value = ''] = pair.split('=')
    params[decodeURIComponent(name.replaceAll('+', ' '))] = decodeURIComponent(
      value.replaceAll('+', ' '),
    ) as ParamValue
  }
  return params
}
