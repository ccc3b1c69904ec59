// A settings file holds no secrets, but a mistaken one may: a token in the place of its file, a password in an
// address. The lines that a diagnostic shows are masked, sign for sign, so that carets stay where they belong.
import type {Diagnostic} from '../model/diagnostic.ts'

const TOKEN_SECRET = /(?<=![A-Za-z][\w.-]*=)[^\s'",}\]]+/g
const URL_PASSWORD = /(?<=:\/\/[^\s/:@]*:)[^\s/@]+(?=@)/g

export function maskSecrets(diagnostic: Diagnostic): Diagnostic {
  const {sourceLine} = diagnostic
  return {
    ...diagnostic,
    message: mask(diagnostic.message),
    ...(sourceLine !== undefined && {sourceLine: mask(sourceLine)}),
  }
}

const mask = (text: string): string =>
  [TOKEN_SECRET, URL_PASSWORD].reduce(
    (masked, secret) => masked.replace(secret, (found) => '*'.repeat(found.length)),
    text,
  )
