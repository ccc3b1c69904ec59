// Keeps the state of a sandbox in a file: written whole beside it and renamed over it, soon after a change.
import {readFile, rename, rm, writeFile} from 'node:fs/promises'
import {decodeState, encodeState} from '../persist.ts'
import type {ClusterState} from '../state.ts'

const DEBOUNCE_MS = 200

export class StateFileError extends Error {
  constructor(problem: string, file: string, cause: unknown) {
    const why = cause instanceof Error ? cause.message : String(cause)
    super(`the state of the sandbox cannot be ${problem} ${file}: ${why}`, {cause})
    this.name = 'StateFileError'
  }
}

/** undefined: there is no such file yet. */
export async function loadStateFile(file: string): Promise<ClusterState | undefined> {
  try {
    return decodeState(await readFile(file, 'utf8'))
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return undefined
    throw new StateFileError('read from', file, error)
  }
}

export class StateFile {
  readonly #file: string
  readonly #state: () => ClusterState
  #written = ''
  #timer: NodeJS.Timeout | undefined
  #saving: Promise<void> = Promise.resolve()

  constructor(file: string, state: () => ClusterState) {
    this.#file = file
    this.#state = state
  }

  /** Something may have changed. */
  touch(): void {
    this.#timer ??= setTimeout(() => {
      this.#timer = undefined
      this.#saving = this.#saving.then(() => this.#save()).catch(() => undefined)
    }, DEBOUNCE_MS)
  }

  /** Writes the file for the first time: whoever cannot keep a state shall know it at once. */
  open(): Promise<void> {
    return this.#save()
  }

  async close(): Promise<void> {
    clearTimeout(this.#timer)
    await this.#saving
    await this.#save()
  }

  async #save(): Promise<void> {
    const state = this.#state()
    const text = encodeState(state)
    if (text !== this.#written) {
      await replaceFile(this.#file, text)
      this.#written = text
    }
    // A running task goes on changing the state without a request.
    if (state.tasks.some((t) => t.endtime === undefined)) this.touch()
  }
}

async function replaceFile(file: string, text: string): Promise<void> {
  const draft = `${file}.${String(process.pid)}.tmp`
  try {
    await writeFile(draft, text, {mode: 0o600})
    await rename(draft, file)
  } catch (error) {
    await rm(draft, {force: true}).catch(() => undefined)
    throw new StateFileError('written to', file, error)
  }
}
