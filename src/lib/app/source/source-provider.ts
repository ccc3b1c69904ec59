// The desired state of a command from a git repository or an address: fetched anew, and without the daemon's memory.
// What was good yesterday is no answer to who asks today.
import {mkdtempSync, rmSync} from 'node:fs'
import {tmpdir} from 'node:os'
import {join} from 'node:path'
import type {DesiredReading} from '../../model/desired.ts'
import {FelhomError} from '../../model/felhom-error.ts'
import type {Extensions} from '../../plugin/extensions.ts'
import type {DesiredSource} from '../../settings/settings.ts'
import {readBundle} from '../../source/read-bundle.ts'
import type {CarriedEnvelope, Fetched, Source} from '../../source/source.ts'
import {openSource} from './open-source.ts'
import type {DesiredProvider} from '../ports.ts'

export interface ProviderRequest {
  readonly setting: DesiredSource
  readonly cwd: string
  /** The setting `secrets`. */
  readonly secretsDir: string | undefined
  readonly env: NodeJS.ProcessEnv
  readonly extensions?: Extensions
  readonly signal?: AbortSignal
}

export class SourceProvider implements DesiredProvider {
  readonly #request: ProviderRequest
  #approvals: readonly CarriedEnvelope[] = []

  constructor(request: ProviderRequest) {
    this.#request = request
  }

  async load(): Promise<DesiredReading> {
    const {setting, cwd, env, secretsDir, extensions, signal} = this.#request
    // Not the daemon's copy: whoever plans may be another user, and must not wait for it.
    const cacheDir = mkdtempSync(join(tmpdir(), 'felhom-source-'))
    try {
      const source = openSource({
        ...{setting: newestOnly(setting), cwd, cacheDir, env},
        ...(extensions && {extensions}),
      })
      const fetched = await source.fetch(undefined, signal ?? new AbortController().signal)
      if (fetched.kind !== 'bundle') throw refuse(source, fetched)
      this.#approvals = fetched.bundle.approvals
      return readBundle(fetched.bundle.texts, {kind: source.kind, secretsDir})
    } finally {
      rmSync(cacheDir, {recursive: true, force: true})
    }
  }

  approvals(): Promise<readonly CarriedEnvelope[]> {
    return Promise.resolve(this.#approvals)
  }
}

/** Nothing is compared with what was seen, so that no history is needed. */
const newestOnly = (setting: DesiredSource): DesiredSource =>
  'git' in setting ? {...setting, depth: 1} : setting

function refuse({place}: Source, fetched: Exclude<Fetched, {kind: 'bundle'}>): FelhomError {
  const problem = 'problem' in fetched ? fetched.problem : 'it says that nothing has changed'
  const doubt = 'Nothing was changed.'
  if (fetched.kind === 'away')
    return new FelhomError('source_away', `the desired state cannot be fetched from ${place}: ${problem}`, {
      hint: 'Try again when it can be reached, or name files with --desired.',
      doubt,
    })
  return new FelhomError('source_refused', `what ${place} gives cannot be used: ${problem}`, {
    hint: 'Mend it there, or name files with --desired.',
    doubt,
  })
}
