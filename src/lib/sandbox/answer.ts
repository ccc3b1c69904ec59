// Answers as Proxmox's formatters write them. `json` carries the error in the status line and in the body,
// `extjs` answers 200 whatever happened and tells the truth in the body alone; `htmljs` is the same as a page.
// `html` is for people in a browser, and `png` and `spiceconfig` have room for success only.
import {escapeHtml, writePage, writeViewerFile} from './answer-pages.ts'

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
const HTML_TYPE = 'text/html;charset=UTF-8'

const FORMATS = ['json', 'extjs', 'htmljs', 'html', 'png', 'spiceconfig'] as const
export type Format = (typeof FORMATS)[number]
export const isFormat = (format: string): format is Format => FORMATS.some((known) => known === format)

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
  const isHidden = format === 'extjs' || format === 'htmljs'
  const body = 'data' in outcome ? successBody(outcome, isHidden) : failureBody(outcome, isHidden)
  const status = 'data' in outcome || isHidden ? 200 : outcome.status
  const reason = 'data' in outcome || isHidden ? 'OK' : outcome.message
  return withReason({status, reason, ...write(format, body, status), closes: isProtected || status !== 200})
}

type Body = Record<string, unknown>

const successBody = ({data, meta}: Extract<Outcome, {data: unknown}>, isHidden: boolean): Body => ({
  data,
  ...truthy(meta),
  ...(isHidden && {success: 1}),
})

function failureBody(failure: Extract<Outcome, {message: string}>, isHidden: boolean): Body {
  const {status, message, errors, isException} = failure
  const body = {data: null, message, ...(errors && {errors})}
  return isHidden ? {...body, status: isException ? String(status) : status, success: 0} : body
}

/** A total of 0 is left out, as Perl takes it for nothing. */
function truthy(meta: Record<string, unknown>): Record<string, unknown> {
  return Object.fromEntries(Object.entries(meta).filter(([, value]) => Boolean(value)))
}

function write(format: Format, body: Body, status: number): Pick<ApiAnswer, 'contentType' | 'text'> {
  switch (format) {
    case 'json':
    case 'extjs':
      return {contentType: JSON_TYPE, text: JSON.stringify(body)}
    case 'htmljs':
      return {contentType: HTML_TYPE, text: escapeHtml(JSON.stringify(body))}
    case 'html':
      return {contentType: HTML_TYPE, text: writePage(body, status)}
    case 'png':
      return {contentType: 'image/png', text: ''}
    case 'spiceconfig':
      return {contentType: 'application/x-virt-viewer;charset=UTF-8', text: writeViewerFile(body['data'])}
  }
}
