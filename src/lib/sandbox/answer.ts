// Answers as Proxmox's formatters write them. `json` carries the error in the status line and in the body,
// `extjs` answers 200 whatever happened and tells the truth in the body alone.

export interface ApiAnswer {
  status: number
  reason: string
  /** Absent: no header. */
  contentType?: string
  text: string
  /** Beyond those of every answer. */
  headers?: Record<string, string>
  /** Whether the connection ends with this answer, as it does where the daemon behind the proxy answered. */
  closes: boolean
  /** Pattern of the route that answered. */
  route?: string
}

/** What came of a request, before it is put into a format. */
export type Outcome =
  | {plain: ApiAnswer}
  | {data: unknown; meta: Record<string, unknown>}
  | {
      status: number
      message: string
      errors?: Record<string, string>
      /** Thrown as an exception with a code, which turns the code into text in extjs answers. */
      isException: boolean
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

export type Format = 'json' | 'extjs'
export const isFormat = (format: string): format is Format => format === 'json' || format === 'extjs'

/** An error of the HTTP server itself: no content type, the message as text unless `text` says otherwise. */
export function plainAnswer(status: number, message: string, text = message): ApiAnswer {
  return withReason({status, reason: message, text, closes: status >= 400})
}

/** The reason phrase is the first line of the message; a carriage return in it spoils the whole answer. */
function withReason(answer: ApiAnswer): ApiAnswer {
  const message = answer.reason || STATUS_TEXTS[answer.status] || 'Unknown'
  const reason = message.split('\n', 1)[0] ?? ''
  if (!reason.includes('\r')) return {...answer, reason}
  return {...answer, status: 400, reason: 'Bad Request', text: '', closes: true}
}

/** `isProtected`: the daemon answers, and its answers end the connection. */
export function formatAnswer(format: Format, outcome: Outcome, isProtected: boolean): ApiAnswer {
  if ('plain' in outcome) return outcome.plain
  if ('data' in outcome) {
    const body = {data: outcome.data, ...truthy(outcome.meta), ...(format === 'extjs' && {success: 1})}
    return jsonAnswer(200, 'OK', body, isProtected)
  }
  const {status, message, errors, isException} = outcome
  const body = {data: null, message, ...(errors && {errors})}
  if (format === 'json') return jsonAnswer(status, message, body, true)
  return jsonAnswer(
    200,
    'OK',
    {...body, status: isException ? String(status) : status, success: 0},
    isProtected,
  )
}

/** A total of 0 is left out, as Perl takes it for nothing. */
function truthy(meta: Record<string, unknown>): Record<string, unknown> {
  return Object.fromEntries(Object.entries(meta).filter(([, value]) => Boolean(value)))
}

function jsonAnswer(status: number, reason: string, body: unknown, closes: boolean): ApiAnswer {
  return withReason({status, reason, contentType: JSON_TYPE, text: JSON.stringify(body), closes})
}
