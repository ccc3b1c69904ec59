// Loads the desired state for a command, or refuses with every mistake in it.
import {DiagnosticsError} from '../../model/diagnostics-error.ts'
import type {DesiredReading, DesiredState} from '../../model/desired.ts'
import type {DesiredProvider} from '../ports.ts'

export async function useDesired(provider: DesiredProvider): Promise<DesiredState> {
  return requireValid(await provider.load())
}

export function requireValid(reading: DesiredReading): DesiredState {
  if (reading.valid) return reading.state
  const count = reading.mistakeCount
  throw new DiagnosticsError(
    'desired_invalid',
    count === 1 ? 'The desired state holds a mistake.' : `The desired state holds ${count} mistakes.`,
    reading.diagnostics,
    {doubt: 'Nothing was changed.'},
  )
}
