// An API token that cannot be printed: its secret lives in a private field, which neither inspect nor
// JSON.stringify shows. The header line is built once, for there is one per request.
import {FelhomError} from '../model/felhom-error.ts'

const TOKEN = /^(?<id>[^\s:/]+@[A-Za-z][A-Za-z0-9._-]+![A-Za-z][A-Za-z0-9._-]+)=(?<secret>[\x21-\x7e]+)$/

export class ApiToken {
  /** user@realm!name, as tasks and logs carry it. */
  readonly id: string
  readonly #secret: string
  readonly #header: string

  private constructor(id: string, secret: string) {
    this.id = id
    this.#secret = secret
    this.#header = `PVEAPIToken=${id}=${secret}`
  }

  /** From `user@realm!name=secret`, surrounding white space allowed. The text itself is never repeated. */
  static parse(text: string): ApiToken {
    const groups = TOKEN.exec(text.trim())?.groups
    if (groups?.['id'] === undefined || groups['secret'] === undefined) {
      throw new FelhomError('token_invalid', 'the API token does not have the form user@realm!name=secret', {
        hint: 'Put the token id and its secret on one line, joined by "=", as Proxmox showed them on creation.',
        doubt: 'No request was sent.',
      })
    }
    return new ApiToken(groups['id'], groups['secret'])
  }

  /** A method, not a property: nothing that walks over properties comes across it. */
  authorization(): string {
    return this.#header
  }

  /** For whoever must keep it out of a text; a method for the same reason. */
  secret(): string {
    return this.#secret
  }

  /** Takes the secret out of a text of others, in case a server repeats what it was sent. */
  scrub(text: string): string {
    return text.includes(this.#secret) ? text.replaceAll(this.#secret, '***') : text
  }
}
