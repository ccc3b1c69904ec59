// A state directory on the real disk with a journal of one's own making, for tests of the commands around it.
import {mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync} from 'node:fs'
import {tmpdir} from 'node:os'
import {join} from 'node:path'
import {openJournal, type JournalIdentity, type JournalStore} from '../../src/lib/store/open-journal.ts'
import {systemDisk} from '../../src/lib/store/system-disk.ts'

export class StateDirectory {
  /** The project directory; commands run in it. */
  readonly project = mkdtempSync(join(tmpdir(), 'felhom-state-'))
  readonly path = join(this.project, '.felhom')
  readonly #identity: JournalIdentity

  constructor(identity: JournalIdentity) {
    this.#identity = identity
    mkdirSync(this.path, {mode: 0o700})
  }

  /** Opens the journal as a writer for the length of `work`. */
  async write(work: (journal: JournalStore) => Promise<void>, now = Date.now): Promise<void> {
    const journal = await openJournal({
      disk: systemDisk,
      dir: this.path,
      identity: this.#identity,
      clock: {now},
      warn: (text) => {
        throw new Error(`unexpected warning: ${text}`)
      },
    })
    try {
      await work(journal)
    } finally {
      await journal.close()
    }
  }

  /** Names of the files of the journal, sorted. */
  files(): string[] {
    return readdirSync(join(this.path, 'journal')).sort()
  }

  read(file: string): Buffer {
    return readFileSync(join(this.path, 'journal', file))
  }

  /** Everything in the journal, to see that nothing was changed. */
  contents(): Record<string, string> {
    return Object.fromEntries(this.files().map((file) => [file, this.read(file).toString('latin1')]))
  }

  /** Changes one byte of one line, so that it is still JSON. */
  damage(file: string, line: number): void {
    const lines = this.read(file).toString('utf8').split('\n')
    const text = lines[line - 1] ?? ''
    lines[line - 1] = text.replace(
      /"seq":\d/,
      (match) => `${match.slice(0, -1)}${match.endsWith('9') ? '8' : '9'}`,
    )
    writeFileSync(join(this.path, 'journal', file), lines.join('\n'))
  }

  remove(): void {
    rmSync(this.project, {recursive: true, force: true})
  }
}
