// A provider of a plugin as a source. What it brings is read, checked and kept like what came from anywhere else, and it
// may name no secrets but those of the one directory.
import {FelhomError} from '../../model/felhom-error.ts'
import {callPlugin, type CallOptions} from '../../plugin/call-plugin.ts'
import type {ProvidedFile, Provider} from '../../plugin/contract.ts'
import {describeThrown} from '../../plugin/describe-thrown.ts'
import type {Extension, Extensions} from '../../plugin/extensions.ts'
import {writePlainJson} from '../../plugin/plain-json.ts'
import type {DesiredSource} from '../../settings/settings.ts'
import {MAX_BUNDLE_BYTES, MAX_TEXTS} from '../../source/bundle-limits.ts'
import {digestBundle} from '../../source/digest-bundle.ts'
import {markHidden} from '../../source/mark-hidden.ts'
import {away, unusable, type Fetched, type Seen, type Source} from '../../source/source.ts'

const TIMEOUT_MS = 60_000

type ProviderSetting = Extract<DesiredSource, {provider: string}>

/** Throws settings_invalid if no plugin brings it. */
export function openProvider(
  {provider: name, options, dir}: ProviderSetting,
  extensions: Extensions | undefined,
  timeoutMs = TIMEOUT_MS,
): Source {
  const provider = extensions?.providers.find((one) => one.name === name)
  if (provider) return new PluginSource(provider, options, {dir, timeoutMs})
  const names = extensions?.providers.map((one) => one.name).join(', ') ?? ''
  throw new FelhomError('settings_invalid', `no plugin brings the provider ${JSON.stringify(name)}`, {
    hint:
      names === ''
        ? 'Install its plugin with felhom plugins install; the daemon needs it in plugins.allow too.'
        : `There are: ${names}.`,
    doubt: 'Nothing was read and nothing was changed.',
  })
}

class PluginSource implements Source {
  readonly kind = 'plugin'
  readonly place: string
  readonly mark: string | undefined
  readonly #provider: Extension<Provider>
  readonly #options: ProviderSetting['options']
  readonly #call: Pick<CallOptions, 'dir' | 'timeoutMs'>

  constructor(
    provider: Extension<Provider>,
    options: ProviderSetting['options'],
    call: Pick<CallOptions, 'dir' | 'timeoutMs'>,
  ) {
    this.#provider = provider
    this.#options = options
    this.#call = call
    // Other options are another source; they may hold secrets, and are not shown.
    this.mark = markHidden(options)
    this.place = `${provider.name} (${provider.plugin})${this.mark === undefined ? '' : ', options …'}`
  }

  async fetch(seen: Seen | undefined, signal: AbortSignal): Promise<Fetched> {
    let files: readonly ProvidedFile[]
    try {
      const call = {point: 'provider', ...this.#call, signal}
      const own = structuredClone(this.#options)
      files = await callPlugin(this.#provider, (run, context) => run(own, context), call)
    } catch (error) {
      signal.throwIfAborted()
      return away((error as Error).message)
    }
    const texts = this.#read(files)
    if (typeof texts === 'string') return unusable(`the plugin ${this.#provider.plugin} ${texts}`)
    const content = {texts, approvals: [], jobs: []}
    const revision = digestBundle(content)
    return revision === seen?.revision
      ? {kind: 'unchanged'}
      : {kind: 'bundle', bundle: {revision, ...content}}
  }

  /** What it brings is code of the plugin too: to read a property may throw. */
  #read(files: unknown): Texts | string {
    try {
      return readFiles(files, this.#call.dir)
    } catch (error) {
      return `brings what cannot be read: ${describeThrown(error)}`
    }
  }
}

type Texts = {readonly file: string; readonly dir: string; readonly bytes: Uint8Array}[]

/** JSON is YAML: what was not written as text is. */
function readFiles(files: unknown, dir: string): Texts | string {
  if (!Array.isArray(files)) return 'brings no list of files'
  if (files.length > MAX_TEXTS) return `brings more than ${MAX_TEXTS} files`
  const texts: Texts = []
  let total = 0
  for (const one of files as unknown[]) {
    const {name, content} = (typeof one === 'object' && one !== null ? one : {}) as Partial<ProvidedFile>
    if (typeof name !== 'string' || name === '' || !isContent(content))
      return 'brings a file without name or content'
    const written = typeof content === 'string' ? {text: content} : writePlainJson(content)
    if ('problem' in written)
      return `brings what desired state cannot hold, in the file ${JSON.stringify(name)}: ${written.problem}`
    const bytes = Buffer.from(written.text)
    total += bytes.byteLength
    if (total > MAX_BUNDLE_BYTES) return `brings more than ${MAX_BUNDLE_BYTES} bytes`
    texts.push({file: name, dir, bytes})
  }
  return texts
}

const isContent = (content: unknown): boolean =>
  typeof content === 'string' || (typeof content === 'object' && content !== null)
