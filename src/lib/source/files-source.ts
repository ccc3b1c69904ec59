// Files and directories as a source. Of a directory, approvals/*.json and jobs/*.json beside the YAML are carried too.
// What changes while it is being read is not used: half of an edit is nobody's wish.
import {createReadStream, statSync} from 'node:fs'
import {dirname, resolve} from 'node:path'
import type {DesiredText} from '../desired/desired-text.ts'
import {describeFault, findFiles, type FoundFile} from '../desired/find-files.ts'
import {MAX_FILE_BYTES} from '../desired/read-file.ts'
import type {Diagnostic} from '../model/diagnostic.ts'
import {MAX_BUNDLE_BYTES} from './bundle-limits.ts'
import {digestBundle} from './digest-bundle.ts'
import {readCarried} from './read-carried.ts'
import {away, unusable, type CarriedEnvelope, type Fetched, type Seen, type Source} from './source.ts'

export class FilesSource implements Source {
  readonly kind = 'files'
  readonly place: string
  readonly #paths: readonly string[]
  readonly #cwd: string

  constructor(paths: readonly string[], cwd: string) {
    this.#paths = paths.map((path) => resolve(cwd, path))
    this.#cwd = cwd
    this.place = this.#paths.join(', ')
  }

  async fetch(seen: Seen | undefined, signal: AbortSignal): Promise<Fetched> {
    signal.throwIfAborted()
    const {files, diagnostics} = findFiles(this.#paths, this.#cwd)
    const [first] = diagnostics
    if (first) return describe(first, diagnostics.length)
    try {
      const before = stampOf(files)
      const texts = await readTexts(files, signal)
      if (typeof texts === 'string') return unusable(texts)
      const [approvals, jobs] = [this.#carried('approvals'), this.#carried('jobs')]
      if (typeof approvals === 'string') return unusable(approvals)
      if (typeof jobs === 'string') return unusable(jobs)
      if (sizeOf(texts) + sizeOf(approvals) + sizeOf(jobs) > MAX_BUNDLE_BYTES)
        return unusable(`its files, approvals and jobs hold more than ${MAX_BUNDLE_BYTES} bytes`)
      const after = stampOf(findFiles(this.#paths, this.#cwd).files)
      if (before !== after) return away('the files changed while they were read')
      const content = {texts, approvals, jobs}
      const revision = digestBundle(content)
      if (revision === seen?.revision) return {kind: 'unchanged'}
      return {kind: 'bundle', bundle: {revision, ...content}}
    } catch (error) {
      signal.throwIfAborted()
      return away(describeFault(error))
    }
  }

  #carried(folder: 'approvals' | 'jobs'): CarriedEnvelope[] | string {
    return readCarried(
      this.#paths.filter((path) => statSync(path).isDirectory()),
      folder,
    )
  }
}

/** What cannot be reached may come back; what is there and wrong was put there. */
function describe({code, file, message}: Diagnostic, count: number): Fetched {
  const text = `${file}: ${message}${count > 1 ? `, and ${count - 1} more` : ''}`
  return code === 'unreadable' ? away(text) : unusable(text)
}

/** Another file in its place, another size or another time of change: it is not what was read. */
const stampOf = (files: readonly FoundFile[]): string =>
  files
    .map(({path}) => {
      const {ino, size, mtimeMs, ctimeMs} = statSync(path)
      return [path, ino, size, mtimeMs, ctimeMs].join(' ')
    })
    .join('\n')

async function readTexts(files: readonly FoundFile[], signal: AbortSignal): Promise<DesiredText[] | string> {
  const texts: DesiredText[] = []
  let total = 0
  for (const {path, file} of files) {
    const bytes = await readStart(path, signal)
    total += bytes.byteLength
    if (total > MAX_BUNDLE_BYTES) return `with ${file} there are more than ${MAX_BUNDLE_BYTES} bytes to read`
    texts.push({file, dir: dirname(path), bytes})
  }
  return texts
}

const sizeOf = (parts: readonly {readonly bytes: Uint8Array}[]): number =>
  parts.reduce((sum, {bytes}) => sum + bytes.byteLength, 0)

/** To the end, but no further than it takes to tell that it is too much. */
async function readStart(path: string, signal: AbortSignal): Promise<Uint8Array> {
  const chunks: Uint8Array[] = []
  for await (const chunk of createReadStream(path, {end: MAX_FILE_BYTES, signal}))
    chunks.push(chunk as Buffer)
  return Buffer.concat(chunks)
}
