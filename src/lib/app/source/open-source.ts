// Which source the setting `desired` means, with what it may read on this machine.
import {readFileSync} from 'node:fs'
import {join} from 'node:path'
import type {Extensions} from '../../plugin/extensions.ts'
import type {DesiredSource} from '../../settings/settings.ts'
import {FilesSource} from '../../source/files-source.ts'
import {GitSource} from '../../source/git-source.ts'
import {HttpsSource, type FileReading} from '../../source/https-source.ts'
import type {Source} from '../../source/source.ts'
import {readPrivateFile} from '../../store/private-file.ts'
import {openProvider} from './plugin-source.ts'
import {systemClock} from '../system-clock.ts'

export interface SourceRequest {
  readonly setting: DesiredSource
  readonly cwd: string
  /** For the copy of a git repository; made when it is needed. */
  readonly cacheDir: string
  readonly env: NodeJS.ProcessEnv
  readonly extensions?: Extensions
  /** Told now and then by what takes long in several steps. */
  readonly progress?: () => void
}

const MAX_TOKEN_BYTES = 16 * 1024

export function openSource({setting, cwd, cacheDir, env, extensions, progress}: SourceRequest): Source {
  if ('provider' in setting) return openProvider(setting, extensions)
  if ('paths' in setting) return new FilesSource(setting.paths, cwd)
  if ('git' in setting) {
    const {git: address, ...choice} = setting
    const place = {cwd, cacheDir: join(cacheDir, 'git'), env, clock: systemClock}
    return new GitSource({address, ...choice, ...place, ...(progress && {progress})})
  }
  const {https: url, ca, token} = setting
  return new HttpsSource({
    url,
    clock: systemClock,
    ...(ca !== undefined && {readCa: () => readText(ca)}),
    ...(token !== undefined && {readToken: () => readSecret(token)}),
  })
}

function readText(path: string): FileReading {
  try {
    return {text: readFileSync(path, 'utf8')}
  } catch (error) {
    return {problem: `${path} cannot be read (${(error as NodeJS.ErrnoException).code ?? String(error)})`}
  }
}

function readSecret(path: string): FileReading {
  const file = readPrivateFile(path, {maxBytes: MAX_TOKEN_BYTES, mayGroupRead: true})
  return 'bytes' in file ? {text: Buffer.from(file.bytes).toString('utf8')} : file
}
