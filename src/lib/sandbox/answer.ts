// Answers as Proxmox's formatters write them. `json` carries the error in the status line and in the body,
// `extjs` answers 200 whatever happened and tells the truth in the body alone.

export interface ApiAnswer {
  status: number
  reason: string
  /** Absent: no header. */
  contentType?: string
  text: string
  /** Whether the connection ends with this answer, as it does where the daemon behind the proxy answered. */
  closes: boolean
  /** Pattern of the route that answered. */
  route?: string
}

export type Outcome =
  | {plain: ApiAnswer}
  | {status: 200; data: unknown; meta: Record<string, unknown>; isProtected: boolean; route?: string}
  | {
      status: number
      message: string
      errors?: Record<string, string>
      /** Thrown as an exception with a code, which turns the code into text in extjs answers. */
      isException: boolean
      isProtected: boolean
      route?: string
    }

const STATUS_TEXTS: Record<number, string> = {
  200: 'OK',
  400: 'Bad Request',
  401: 'Unauthorized',
  403: 'Forbidden',
  500: 'Internal Server Error',
  501: 'Not Implemented',
}

const JSON_TYPE = 'application/json;charset=UTF-8'

export const isFormat = (format: string): format is 'json' | 'extjs' =>
  format === 'json' || format === 'extjs'

/** An error of the HTTP server itself: no content type, the message as text unless `text` says otherwise. */
export function plainAnswer(status: number, message: string, text = message): ApiAnswer {
  return withReason({status, reason: message, text, closes: status >= 400})
}

/** The reason phrase is the first line of the message; a carriage return in it spoils the whole answer. */
function withReason(answer: ApiAnswer): ApiAnswer {
  const reason = (answer.reason || STATUS_TEXTS[answer.status] || 'Unknown').split('\n', 1)[0] ?? ''
  if (!reason.includes('\r')) return {...answer, reason}
  return {...answer, status: 400, reason: 'Bad Request', text: '', closes: true}
}

export function formatAnswer(format: 'json' | 'extjs', outcome: Outcome): ApiAnswer {
  if ('plain' in outcome) return outcome.plain
  const isExtjs = format === 'extjs'
  const route = outcome.route === undefined ? {} : {route: outcome.route}
  if ('data' in outcome) {
    const body = {data: outcome.data, ...outcome.meta, ...(isExtjs && {success: 1})}
    return {...jsonAnswer(200, 'OK', body, outcome.isProtected), ...route}
  }
  const {status, message, errors, isException} = outcome
  const body = {data: null, message, ...(errors && {errors})}
  if (!isExtjs) return {...jsonAnswer(status, message, body, true), ...route}
  const told = {...body, status: isException ? String(status) : status, success: 0}
  return {...jsonAnswer(200, 'OK', told, outcome.isProtected), ...route}
}

function jsonAnswer(status: number, reason: string, body: unknown, closes: boolean): ApiAnswer {
  return withReason({status, reason, contentType: JSON_TYPE, text: JSON.stringify(body), closes})
}
