// The installed packages as they were, put aside while npm works on them: an upgrade that turns out to be no plugin must
// not cost the one that works. npm itself keeps nothing of what it replaces.
import {cpSync, existsSync, mkdtempSync, renameSync, rmSync} from 'node:fs'
import {join} from 'node:path'

const KEPT = ['package.json', 'package-lock.json', 'node_modules']

export class KeptInstall {
  readonly #dataDir: string
  readonly dir: string

  constructor(dataDir: string) {
    this.#dataDir = dataDir
    // In the same directory, so that it can be put back by renaming.
    this.dir = mkdtempSync(join(dataDir, '.before-'))
    for (const name of KEPT.filter((one) => existsSync(join(dataDir, one))))
      cpSync(join(dataDir, name), join(this.dir, name), {
        recursive: true,
        verbatimSymlinks: true,
        preserveTimestamps: true,
      })
  }

  putBack(): void {
    for (const name of KEPT) {
      rmSync(join(this.#dataDir, name), {recursive: true, force: true})
      if (existsSync(join(this.dir, name))) renameSync(join(this.dir, name), join(this.#dataDir, name))
    }
  }

  forget(): void {
    rmSync(this.dir, {recursive: true, force: true})
  }
}
