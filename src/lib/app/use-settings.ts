// Loads the settings for a command, or refuses with every mistake in them.
import {DiagnosticsError} from '../model/diagnostics-error.ts'
import {loadSettings, type LoadedSettings, type SettingsRequest} from '../settings/load-settings.ts'

export {loadSettings}
export type {LoadedSettings, SettingsRequest}

export async function useSettings(request: SettingsRequest): Promise<LoadedSettings> {
  const loaded = await loadSettings(request)
  const count = loaded.diagnostics.length
  if (count === 0) return loaded
  throw new DiagnosticsError(
    'settings_invalid',
    count === 1 ? 'The settings hold a mistake.' : `The settings hold ${count} mistakes.`,
    loaded.diagnostics,
    {doubt: 'Nothing was read from Proxmox and nothing was changed.'},
  )
}
