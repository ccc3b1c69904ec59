// What the texts of a bundle say, under the rules for where it came from.
import type {DesiredText} from '../desired/desired-text.ts'
import {DesiredReader, MAX_DIAGNOSTICS} from '../desired/read-desired.ts'
import type {SourceKind} from '../model/daemon.ts'
import type {DesiredReading} from '../model/desired.ts'
import {checkSecrets} from './check-secrets.ts'

export interface ReadingRules {
  readonly kind: SourceKind
  /** The setting `secrets`. */
  readonly secretsDir: string | undefined
}

/** Paths in what comes from elsewhere are relative to the one directory that it may name, whatever it says. */
export function readBundle(texts: readonly DesiredText[], {kind, secretsDir}: ReadingRules): DesiredReading {
  const isRemote = kind === 'git' || kind === 'https' || kind === 'plugin'
  const reader = new DesiredReader()
  for (const text of texts) reader.add(isRemote ? {...text, dir: secretsDir ?? '/'} : text)
  const reading = reader.finish()
  if (!reading.valid || !isRemote) return reading
  const {state} = reading
  const mistakes = checkSecrets(state, secretsDir)
  if (mistakes.length === 0) return reading
  return {
    valid: false,
    diagnostics: mistakes.slice(0, MAX_DIAGNOSTICS),
    mistakeCount: mistakes.length,
    files: state.files,
    guestCount: state.guests.length,
  }
}
