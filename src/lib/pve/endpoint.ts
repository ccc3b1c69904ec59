// The addresses under which the cluster answers. Reads move on to the next one when an address fails; they
// all move together, and what works is kept.
import {FelhomError} from '../model/felhom-error.ts'

const DEFAULT_PORT = '8006'

/** The origin of an endpoint, `https://host:port`, or a settings error that says what is wrong with it. */
export function parseEndpoint(text: string): string {
  const url = URL.canParse(text) ? new URL(text) : undefined
  if (!url) throw invalidEndpoint(text, 'it is not a URL')
  if (url.protocol !== 'https:') throw invalidEndpoint(text, 'it does not begin with https://')
  if (url.username !== '' || url.password !== '') throw invalidEndpoint('', 'it holds credentials')
  if (url.pathname !== '/' || url.search !== '' || url.hash !== '') {
    throw invalidEndpoint(text, 'it has more than a host and a port')
  }
  const explicit443 = /:443\/?$/.test(text.trim())
  const port = url.port !== '' ? url.port : explicit443 ? '443' : DEFAULT_PORT
  return `https://${url.hostname}:${port}`
}

function invalidEndpoint(text: string, why: string): FelhomError {
  const shown = text === '' ? '' : ` ${JSON.stringify(text)}`
  return new FelhomError('settings_invalid', `the endpoint${shown} cannot be used: ${why}`, {
    hint: 'Write it as https://host:8006.',
    doubt: 'No request was sent.',
  })
}

export class Endpoints {
  readonly origins: readonly string[]
  #current = 0

  constructor(texts: readonly string[]) {
    if (texts.length === 0) throw invalidEndpoint('', 'there is none in the settings')
    this.origins = [...new Set(texts.map(parseEndpoint))]
  }

  get current(): string {
    return this.origins[this.#current] ?? ''
  }

  /** Moves on, unless another request has already moved away from `origin`. */
  moveOnFrom(origin: string): void {
    if (this.current === origin) this.#current = (this.#current + 1) % this.origins.length
  }
}
