// What a request carries: parameters from the query and, for POST and PUT, from the body; and the bodies
// that Proxmox refuses before it looks at the path.
import type {ApiRequest} from './api-request.ts'
import {plainAnswer, type ApiAnswer} from './answer.ts'
import {readTarget} from './request-target.ts'
import {decodeForm, decodeJson} from './schema/decode-body.ts'
import type {RawParams} from './schema/validate.ts'

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
export function readParams({method, url, headers, body}: ApiRequest): RawParams {
  const query = decodeForm(readTarget(url).query)
  const takesBody = method === 'PUT' || method === 'POST'
  const params = takesBody ? Object.assign(readFields(headers['content-type'], body ?? ''), query) : query
  // Browsers add it against caches.
  delete params['_dc']
  return params
}

function readFields(type: string | undefined, body: Uint8Array | string): RawParams {
  if (mediaType(type) !== 'application/json') return decodeForm(body)
  return decodeJson(typeof body === 'string' ? body : Buffer.from(body).toString('utf8'))
}
