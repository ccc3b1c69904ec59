// Which files a list of paths means: a file itself, of a directory every .yaml and .yml below it in the order
// of their names. Dot files are skipped; links are followed, but never round in a circle.
import {readdirSync, realpathSync, statSync, type Dirent} from 'node:fs'
import {isAbsolute, join, relative, resolve} from 'node:path'
import type {Diagnostic} from '../model/diagnostic.ts'

export interface FoundFile {
  readonly path: string
  /** As messages name it: relative where it is below the working directory. */
  readonly file: string
}

export interface FoundFiles {
  readonly files: readonly FoundFile[]
  readonly diagnostics: readonly Diagnostic[]
}

const MAX_FILES = 10_000
const MAX_DEPTH = 64
const WANTED = /\.ya?ml$/i

export function findFiles(paths: readonly string[], cwd: string): FoundFiles {
  const search = new Search(cwd)
  for (const path of paths) search.add(resolve(cwd, path))
  return search
}

class Search implements FoundFiles {
  readonly files: FoundFile[] = []
  readonly diagnostics: Diagnostic[] = []
  readonly #seen = new Set<string>()
  /** Files that were come across, the same ones counted again. */
  #met = 0
  readonly #cwd: string

  constructor(cwd: string) {
    this.#cwd = cwd
  }

  add(path: string): void {
    this.#attempt(path, () => {
      if (!statSync(path).isDirectory()) {
        this.#addFile(path)
        return
      }
      const [met, mistakes] = [this.#met, this.diagnostics.length]
      this.#walk(path, [])
      if (this.#met === met && this.diagnostics.length === mistakes)
        this.#refuse(path, 'no_files', 'there is no .yaml or .yml file in this directory')
    })
  }

  /** `above`: the real paths of the directories that this one was reached through. */
  #walk(dir: string, above: readonly string[]): void {
    this.#attempt(dir, () => {
      const real = realpathSync(dir)
      if (above.includes(real) || above.length >= MAX_DEPTH) {
        this.#refuse(dir, 'directory_loop', 'this directory contains itself, by way of a link')
        return
      }
      const entries = readdirSync(dir, {withFileTypes: true}).sort(byName)
      for (const entry of entries) this.#visit(join(dir, entry.name), entry, [...above, real])
    })
  }

  #visit(path: string, entry: Dirent, above: readonly string[]): void {
    if (entry.name.startsWith('.') || this.files.length > MAX_FILES) return
    this.#attempt(path, () => {
      const what = entry.isSymbolicLink() ? statSync(path) : entry
      if (what.isDirectory()) this.#walk(path, above)
      else if (what.isFile() && WANTED.test(entry.name)) this.#addFile(path)
    })
  }

  #addFile(path: string): void {
    this.#met++
    const real = realpathSync(path)
    if (this.#seen.has(real)) return
    this.#seen.add(real)
    if (this.files.length === MAX_FILES)
      this.#refuse(path, 'too_many_files', `these are more than ${MAX_FILES} files`)
    this.files.push({path, file: this.#nameOf(path)})
  }

  #attempt(path: string, work: () => void): void {
    try {
      work()
    } catch (error) {
      this.#refuse(path, 'unreadable', describeFault(error))
    }
  }

  #refuse(path: string, code: string, message: string): void {
    this.diagnostics.push({code, file: this.#nameOf(path), message})
  }

  #nameOf(path: string): string {
    const below = relative(this.#cwd, path)
    return below === '' ? '.' : below.startsWith('..') || isAbsolute(below) ? path : below
  }
}

const byName = (a: Dirent, b: Dirent): number => (a.name < b.name ? -1 : a.name > b.name ? 1 : 0)

export function describeFault(error: unknown): string {
  const {code} = error as NodeJS.ErrnoException
  if (code === 'ENOENT') return 'there is no such file or directory'
  if (code === 'EACCES' || code === 'EPERM') return `it may not be read (${code})`
  if (code === 'ELOOP') return 'the link leads round in a circle'
  return `it cannot be read (${code ?? String(error)})`
}
