// Options and secrets as parameters of a request. Whatever cannot have been meant is refused here, before anything
// leaves: an option that no change may touch, a value that Proxmox would read as another, a secret that is missing.
import {findOption} from '../catalog/option.ts'
import {encodeSshKeys, readSshKeys} from '../catalog/ssh-keys.ts'
import {FelhomError} from '../model/felhom-error.ts'
import type {GuestKind} from '../model/guest.ts'

/** Values of the secrets that an operation names, by option. Kept nowhere. */
export type Secrets = Readonly<Record<string, string>>

export type Texts = Readonly<Record<string, string>>

export const refused = (what: string): FelhomError =>
  new FelhomError('unexpected', `${what} was about to be sent`, {doubt: 'No request was sent.'})

/** `more`: names that this request takes beside the options of a config. */
export function optionParams(kind: GuestKind, options: Texts, more: readonly string[] = []): Texts {
  for (const [name, text] of Object.entries(options)) {
    if (!more.includes(name)) checkOption(kind, name)
    // Stored as a blank and read back as one, which is neither set nor removed.
    if (text.trim() === '') throw refused(`an empty ${name}`)
  }
  return mapTexts(options, (name, text) => textToSend(kind, name, text))
}

export function checkOption(kind: GuestKind, name: string, verb: 'set' | 'remove' = 'set'): void {
  const option = findOption(kind, name)
  if (!option) throw refused(`'${name}', which is no option of ${kind}`)
  if (option.isReadOnly && !(option.isRemovalOnly && verb === 'remove'))
    throw refused(`a change of ${name}, which felhom does not write,`)
}

/** The values of the secrets that are named, each as Proxmox takes it. */
export function secretParams(
  kind: GuestKind,
  names: readonly string[],
  secrets: Secrets,
  more: readonly string[] = [],
): Texts {
  const given = names.map((name): [string, string] => {
    if (!more.includes(name)) checkOption(kind, name)
    const value = Object.hasOwn(secrets, name) ? secrets[name] : undefined
    if (value === undefined || value === '') throw refused(`a request without the secret for ${name}`)
    return [name, textToSend(kind, name, value)]
  })
  return Object.fromEntries(given)
}

/** Every text that an error must not repeat: as it was given and as it was sent. */
export const secretTexts = (params: Texts, secrets: Secrets): string[] => [
  ...new Set(Object.entries(params).flatMap(([name, sent]) => [sent, secrets[name] ?? sent])),
]

/** The keys for cloud-init are kept URL-encoded: encoded here, and once more like every parameter. */
const textToSend = (kind: GuestKind, name: string, text: string): string =>
  kind === 'qemu' && name === 'sshkeys' ? encodeSshKeys(readSshKeys(text)) : text

const mapTexts = (texts: Texts, change: (name: string, text: string) => string): Texts =>
  Object.fromEntries(Object.entries(texts).map(([name, text]) => [name, change(name, text)]))
