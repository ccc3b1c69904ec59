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

export function readBundle(texts: readonly DesiredText[], rules: ReadingRules): DesiredReading {
  const reader = new DesiredReader()
  for (const text of texts) reader.add(place(text, rules))
  return judge(reader.finish(), rules)
}

/** Parsed without letting go, at most; one file may be more. */
const TURN_BYTES = 1 << 18

/** The same, and whoever else has something to do gets their turn between the files, which is told as progress. */
export async function readBundleInTurns(
  texts: readonly DesiredText[],
  rules: ReadingRules,
  progress: () => void = () => undefined,
): Promise<DesiredReading> {
  const reader = new DesiredReader()
  let bytes = 0
  for (const text of texts) {
    bytes += text.bytes.byteLength
    if (bytes > TURN_BYTES) {
      await new Promise((resolve) => setImmediate(resolve))
      progress()
      bytes = text.bytes.byteLength
    }
    reader.add(place(text, rules))
  }
  return judge(reader.finish(), rules)
}

const isRemote = ({kind}: ReadingRules): boolean => kind === 'git' || kind === 'https' || kind === 'plugin'

/** Paths in what comes from elsewhere are relative to the one directory that it may name, whatever it says. */
const place = (text: DesiredText, rules: ReadingRules): DesiredText =>
  isRemote(rules) ? {...text, dir: rules.secretsDir ?? '/'} : text

function judge(reading: DesiredReading, rules: ReadingRules): DesiredReading {
  if (!reading.valid || !isRemote(rules)) return reading
  const {secretsDir} = rules
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
