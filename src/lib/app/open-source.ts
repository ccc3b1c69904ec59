// Which source the setting `desired` means. The packages and programs behind it are loaded only when it is asked.
import type {Source} from '../source/source.ts'
import type {DesiredSource} from '../settings/settings.ts'
import {FilesSource} from '../source/files-source.ts'
import {FelhomError} from '../model/felhom-error.ts'

export interface SourceRequest {
  readonly setting: DesiredSource
  readonly cwd: string
  /** For the copy of a git repository; made when it is needed. */
  readonly cacheDir: string
  readonly env: NodeJS.ProcessEnv
}

export function openSource({setting, cwd}: SourceRequest): Source {
  if ('paths' in setting) return new FilesSource(setting.paths, cwd)
  throw new FelhomError('settings_invalid', 'a desired state from git or https cannot be read yet')
}
