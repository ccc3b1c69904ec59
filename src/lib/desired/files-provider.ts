// Desired state from files, directories and standard input. Of all the providers only this one touches the
// disk; whatever it finds there, it reads no more than it has said it would.
import {createReadStream} from 'node:fs'
import {dirname} from 'node:path'
import type {DesiredReading} from '../model/desired.ts'
import type {Diagnostic} from '../model/diagnostic.ts'
import type {DesiredText} from './desired-text.ts'
import {describeFault, findFiles} from './find-files.ts'
import {DesiredReader} from './read-desired.ts'
import {MAX_FILE_BYTES} from './read-file.ts'

export interface FilesOptions {
  readonly cwd: string
  /** What `-` means. */
  readonly stdin?: AsyncIterable<Uint8Array>
}

const STDIN = '-'

export class FilesProvider {
  readonly #paths: readonly string[]
  readonly #cwd: string
  readonly #stdin: AsyncIterable<Uint8Array>

  constructor(paths: readonly string[], {cwd, stdin = process.stdin}: FilesOptions) {
    this.#paths = paths
    this.#cwd = cwd
    this.#stdin = stdin
  }

  async load(): Promise<DesiredReading> {
    const reader = new DesiredReader()
    if (this.#paths.includes(STDIN)) add(reader, await readText('stdin', this.#cwd, this.#stdin))
    const named = this.#paths.filter((path) => path !== STDIN)
    const {files, diagnostics} = findFiles(named, this.#cwd)
    for (const diagnostic of diagnostics) reader.refuse(diagnostic)
    for (const {path, file} of files) {
      const stream = createReadStream(path, {end: MAX_FILE_BYTES})
      add(reader, await readText(file, dirname(path), stream))
    }
    return reader.finish()
  }
}

function add(reader: DesiredReader, text: DesiredText | Diagnostic): void {
  if ('bytes' in text) reader.add(text)
  else reader.refuse(text)
}

/** To the end, but no further than it takes to tell that it is too much. */
async function readText(
  file: string,
  dir: string,
  stream: AsyncIterable<Uint8Array>,
): Promise<DesiredText | Diagnostic> {
  const chunks: Uint8Array[] = []
  let total = 0
  try {
    for await (const chunk of stream) {
      chunks.push(chunk)
      total += chunk.byteLength
      if (total > MAX_FILE_BYTES) break
    }
  } catch (error) {
    return {code: 'unreadable', file, message: describeFault(error)}
  }
  return {file, dir, bytes: Buffer.concat(chunks)}
}
