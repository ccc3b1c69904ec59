// The use case behind `felhom validate`: reads the desired state and tells what is wrong with it. It needs no
// token, no network and, when paths are named, no settings.
import type {DesiredReading} from '../../model/desired.ts'
import type {Diagnostic} from '../../model/diagnostic.ts'
import type {DesiredProvider} from '../ports.ts'

export interface ValidationOutcome {
  reading: DesiredReading
  files: readonly string[]
  guestCount: number
  mistakeCount: number
  diagnostics: readonly Diagnostic[]
}

export async function validateDesired(provider: DesiredProvider): Promise<ValidationOutcome> {
  const reading = await provider.load()
  if (!reading.valid) return {reading, ...reading}
  const {files, guests} = reading.state
  return {reading, files, guestCount: guests.length, mistakeCount: 0, diagnostics: []}
}
